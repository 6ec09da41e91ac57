import type { InvestigationReport } from '../../domain/investigations/report';
import type { StepStatus } from '../../domain/investigations/investigation';
import type { Words } from '../../domain/job';
import type { Cell } from '../../domain/core/findings';
import type { SweepFault } from '../../domain/monitors/sweep';
import { cellWords } from '../findings/section';
import { html, type Html } from '../html';
import { faultNames, noteOf } from '../monitors/sweep-words';
import type { Look } from '../parts';
import { problemWords } from '../problem-words';
import type { Reader } from '../reader';
import { whyInPortuguese } from '../sentences-pt';
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

export function whyWords({ reader: { say } }: Page, why: string): string {
  return say(why, whyInPortuguese(why));
}

/** What stands in `report.json` as a code, or as a sentence of ours, is worded. */
export function factWords(reader: Reader, what: string, value: Cell): string {
  const { language, say } = reader;
  if (what === 'sweepFault') return say(...faultNames[value as SweepFault]);
  if (what === 'notes') {
    const notes = String(value).split('; ');
    return notes.map((code) => say(...noteOf(code))).join('; ');
  }
  const [, code = null, message] = /^(\w+) (.+)$/s.exec(String(value)) ?? [];
  if (what !== 'error' || message === undefined) return cellWords(reader, what, value);
  return `${code} ${problemWords({ code, message }, language)}`;
}
