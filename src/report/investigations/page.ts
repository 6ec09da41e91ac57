import type { InvestigationReport } from '../../domain/investigations/report';
import type { StepStatus } from '../../domain/investigations/investigation';
import type { Words } from '../../domain/job';
import { html, type Html } from '../html';
import type { Look } from '../parts';
import type { Reader } from '../reader';
import { statusWord } from '../words';

/** Context of every part of the page. */
export interface Page {
  report: InvestigationReport;
  reader: Reader;
}

export type Section =
  'certificates' | 'assets' | 'occurrences' | 'pictures' | 'risk' | 'credit' | 'changes';

/** Sections by kind of step. */
export const sections: Record<Section, { kind: string; title: Words }> = {
  certificates: { kind: 'certificate', title: ['Certificates', 'Certidões'] },
  assets: { kind: 'profile', title: ['Assets', 'Bens'] },
  occurrences: { kind: 'trace', title: ['Occurrences', 'Ocorrências'] },
  pictures: { kind: 'lens', title: ['Pictures', 'Imagens'] },
  risk: { kind: 'dossier', title: ['Risk', 'Risco'] },
  credit: { kind: 'credit', title: ['Credit', 'Crédito'] },
  changes: { kind: 'monitor', title: ['Open changes', 'Alterações em aberto'] },
};

/** Whether the plan has a step of the kind. */
export function isPlanned({ report }: Page, section: Section): boolean {
  return report.coverage.some(({ kind }) => kind === sections[section].kind);
}

/** Whether a step of the kind had a subject to request. */
export function isRequested({ report }: Page, section: Section): boolean {
  const { kind: wanted } = sections[section];
  return report.coverage.some(({ requested, kind }) => kind === wanted && requested > 0);
}

/** Why a section is empty. */
export function absence(page: Page, section: Section): Html {
  const { say } = page.reader;
  return isRequested(page, section)
    ? note(
        say(
          'There is no answer about this: “What was asked” says why.',
          'Não há resposta sobre isto: veja o motivo em “O que foi consultado”.',
        ),
      )
    : note(say('Nothing was asked about this.', 'Nada foi consultado sobre isto.'));
}

export function note(text: string): Html {
  return html`<p class="muted">${text}</p>`;
}

export function none({ reader: { say } }: Page): Html {
  return note(say('None.', 'Nada consta.'));
}

const looks: Readonly<Partial<Record<string, Look>>> = {
  answered: 'good',
  partial: 'warn',
  missing: 'bad',
  refused: 'bad',
  undecided: 'warn',
} satisfies Partial<Record<StepStatus | 'refused' | 'undecided', Look>>;

/** Colour of a status: complete, partial, missing. */
export function lookOf(status: string): Look {
  return looks[status] ?? '';
}

export function badge({ reader: { language } }: Page, status: string): Html {
  return html`<span class="badge ${lookOf(status)}">${statusWord(status, language)}</span>`;
}

/** Relative to the page. */
export function fileLink(path: string | null): Html | null {
  if (path === null) return null;
  const href = path.split('/').map(encodeURIComponent).join('/');
  return html`<a href="${href}">${path.slice(path.lastIndexOf('/') + 1)}</a>`;
}

/** Reasons of a step are stored in English; unknown ones are shown unchanged. */
const reasons: readonly [RegExp, string][] = [
  [/there is nothing to ask about/, 'não há o que perguntar'],
  [/it needs (\S+), which had no result/, 'depende de $1, que nada trouxe'],
  [/(\d+) more things were left out/, 'mais $1 ficaram de fora'],
  [
    /the budget was reached, and (\d+) more requests were not allowed/,
    'o orçamento se esgotou, e mais $1 pedidos não foram permitidos',
  ],
  [/it was not requested/, 'não foi consultado'],
  [/nothing had been requested/, 'nada havia sido consultado'],
  [/stopped before its answer/, 'interrompido antes da resposta'],
  [/without an end/, 'sem fim'],
  [/\bunknown_outcome\b/, 'resultado desconhecido'],
  [/\bfailed\b/, 'falhou'],
  [/\brefused\b/, 'recusado'],
  [/\bexpired\b/, 'prazo esgotado'],
  [/\bcancelled\b/, 'cancelado'],
  [/\binvalid\b/, 'inválido'],
  [/\bunreadable\b/, 'ilegível'],
];

export function whyWords({ reader: { language } }: Page, why: string): string {
  if (language === 'en') return why;
  const inPortuguese = (part: string): string =>
    reasons.reduce((reported, [english, own]) => reported.replace(english, own), part);
  return why.split('; ').map(inPortuguese).join('; ');
}
