import { punctuateDocument } from '../../domain/core/documents/documents';
import type { CoverageRow, InvestigationReport } from '../../domain/investigations/report';
import type { InvestigationStatus } from '../../domain/investigations/kinds';
import type { Words } from '../../domain/job';
import type { ReportLanguage } from '../formats';
import { html, type Content, type Html } from '../html';
import { htmlPage } from '../html-page';
import { cardPart, factsPart, smallPart, tablePart, tilesPart, type Tile } from '../parts';
import { readerOf } from '../reader';
import { nameOf, statusWord } from '../words';
import { graphPart } from './graph';
import { assetsPart, listsPart } from './lists';
import { badge, factWords, isPlanned, isRequested, none, note, sections, whyWords } from './page';
import type { Page, Section } from './page';
import {
  certificatesPart,
  divergencesPart,
  evidencePart,
  requestsText,
  timelinePart,
} from './records';

const headlines: Record<InvestigationStatus, Words> = {
  completed: [
    'Every required step is answered.',
    'Todas as etapas obrigatórias foram respondidas.',
  ],
  incomplete: [
    'Incomplete: a required step has no answer.',
    'Incompleto: falta a resposta de uma etapa obrigatória.',
  ],
  cancelled: [
    'Cancelled before its end: what is here is what had been answered.',
    'Cancelado antes do fim: aqui está o que já havia sido respondido.',
  ],
};

/**
 * The report on a subject as one page, which loads nothing and runs nothing. Texts of services are escaped.
 *
 * @param how `writtenAt`: epoch milliseconds, the only value that is not from the report
 */
export function investigationHtml(
  report: InvestigationReport,
  { language, writtenAt }: { language: ReportLanguage; writtenAt: number },
): string {
  const reader = readerOf(language);
  const { formats, say } = reader;
  const page: Page = { report, reader };
  const { requested, plan, status } = report;
  const [at, ended] = [formats.instant(requested.at), formats.instant(report.settledAt)];
  const label = requested.label === null ? '' : ` (${requested.label})`;
  return htmlPage(reader, {
    kicker: say('Due-diligence report', 'Relatório de due diligence'),
    title: subjectName(report),
    headline: say(...headlines[status]),
    when: say(
      `Plan ${plan.name}. Asked by ${requested.by} on ${at}${label}, ended ${ended}.`,
      `Plano ${plan.name}. Pedido por ${requested.by} em ${at}${label}, encerrado em ${ended}.`,
    ),
    main: html`${figuresPart(page)} ${incompletePart(page)} ${stoppedPart(page)}
    ${subjectPart(page)} ${findingsPart(page)} ${coveragePart(page)} ${certificatesPart(page)}
    ${assetsPart(page)} ${listsPart(page, 'occurrences')} ${listsPart(page, 'pictures')}
    ${listsPart(
      page,
      'risk',
      say(
        'The classification of the service, with the rules that matched.',
        'A classificação do serviço, com as regras que se aplicaram.',
      ),
    )}
    ${listsPart(page, 'credit')}
    ${listsPart(
      page,
      'changes',
      say(
        'Changes that were open when they were taken, and how they stand since.',
        'Alterações que estavam em aberto quando foram recebidas, e como estão desde então.',
      ),
    )}
    ${divergencesPart(page)} ${timelinePart(page)} ${evidencePart(page)}`,
    about: say(
      `${report.id}. To check this folder on any machine: diligence report verify FOLDER --public-key KEY`,
      `${report.id}. Para conferir esta pasta em qualquer máquina: diligence report verify PASTA --public-key CHAVE`,
    ),
    writtenAt,
  });
}

function subjectName({ subject, plan }: InvestigationReport): string {
  const { cnpj, cpf, name } = subject;
  if (typeof name === 'string') return name;
  const [document] = [cnpj, cpf].flatMap((list) => list ?? []);
  return document === undefined ? plan.name : punctuateDocument(document);
}

function incompletePart(page: Page): Html | null {
  const { error } = page.report;
  if (error === null) return null;
  return html`<section class="card notice">
    <h2>${page.reader.say('Why it is incomplete', 'Por que está incompleto')}</h2>
    <p>${whyWords(page, error)}</p>
  </section>`;
}

function stoppedPart(page: Page): Html | null {
  const { coverage, status } = page.report;
  if (status !== 'cancelled') return null;
  const stopped = coverage.filter((row) => row.status !== 'answered');
  return html`<section class="card notice">
    <h2>${page.reader.say('What was stopped', 'O que foi interrompido')}</h2>
    <ul>
      ${stopped.map(({ step, why }) => html`<li>${why === null ? step : `${step}: ${whyWords(page, why)}`}</li>`)}
    </ul>
    <p>${requestsText(page)}</p>
  </section>`;
}

function figuresPart(page: Page): Html {
  const { report, reader } = page;
  const { formats, say } = reader;
  const { assets, certificates, coverage, divergences } = report;
  const requested = coverage.filter((row) => row.requested > 0);
  const answered = requested.filter(({ status }) => status === 'answered').length;
  const issued = certificates.filter(({ file }) => file !== null);
  const [first] = issued.flatMap(({ validity }) => validity?.validUntil ?? []).toSorted();
  const listed = assets.totals.reduce((sum, { count }) => sum + count, 0);
  const worth = assets.totals.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const risk = factOf(report, 'riskLevel') ?? factOf(report, 'riskStatus');
  const score = factOf(report, 'riskScore');
  const open = report.changes.reduce((sum, table) => sum + openOf(table.rows), 0);
  const tile = (section: Section, value: string | null, below = ''): Tile => ({
    name:
      section === 'risk'
        ? say('Risk, as classified', 'Risco, conforme classificado')
        : section === 'assets'
          ? say('Assets listed', 'Bens relacionados')
          : say(...sections[section].title),
    value: isRequested(page, section)
      ? (value ?? say('no answer', 'sem resposta'))
      : say('not requested', 'não consultado'),
    note: below,
  });
  const all = formats.number(requested.length);
  return tilesPart([
    {
      name: say('Steps answered', 'Etapas respondidas'),
      value: formats.number(answered),
      note: say(`of ${all} that asked`, `de ${all} que perguntaram`),
      look: answered < requested.length ? 'warn' : 'good',
    },
    tile(
      'certificates',
      issued.length === 0 ? null : formats.number(issued.length),
      first !== undefined
        ? `${say('the first ends', 'a primeira vence em')} ${formats.day(first)}`
        : issued.length > 0
          ? say('without a term by law', 'sem prazo em lei')
          : '',
    ),
    tile(
      'assets',
      assets.people.length === 0 ? null : formats.number(listed),
      worth > 0 ? `${formats.money(worth)}, ${say('as far as told', 'no que foi informado')}` : '',
    ),
    tile('risk', risk, score === null ? '' : `${say('score', 'pontuação')} ${score}`),
    tile('changes', report.changes.length === 0 ? null : formats.number(open)),
    {
      name: say('Divergences', 'Divergências'),
      value: formats.number(divergences.length),
      note:
        divergences.length > 0
          ? say('shown side by side', 'mostradas lado a lado')
          : say('none found', 'nenhuma encontrada'),
      look: divergences.length > 0 ? 'warn' : '',
    },
  ]);
}

/** Changes without an acknowledgement, of those shown. */
function openOf(rows: InvestigationReport['changes'][number]['rows']): number {
  return rows.filter((row) => row.includes('open')).length;
}

function factOf({ findings }: InvestigationReport, wanted: string): string | null {
  const facts = findings.flatMap((finding) => finding.facts);
  const value = facts.find(({ what }) => what === wanted)?.value ?? null;
  return value === null ? null : String(value);
}

const subjectWords: Readonly<Partial<Record<string, Words>>> = {
  cnpj: ['CNPJ', 'CNPJ'],
  cpf: ['CPF', 'CPF'],
  name: ['Name, as known to who asked', 'Nome, conforme quem pediu'],
  email: ['E-mail', 'E-mail'],
  phone: ['Phone', 'Telefone'],
  photo: ['Photograph (sha256)', 'Fotografia (sha256)'],
  receivables: ['Receivables (sha256)', 'Recebíveis (sha256)'],
  xmls: ['Invoices (sha256)', 'Notas fiscais (sha256)'],
};

function subjectPart({ report, reader: { language, say } }: Page): Html {
  const known = Object.entries(report.subject).map(([word, value]): [string, Content] => {
    const values = value === null ? [] : Array.isArray(value) ? value : [value];
    const isDocument = word === 'cnpj' || word === 'cpf';
    const shown = values.map(
      (one) => html`<span class="block">${isDocument ? punctuateDocument(one) : one}</span>`,
    );
    const name = subjectWords[word];
    return [name ? say(...name) : nameOf(word, language), shown.length === 0 ? null : shown];
  });
  return cardPart(say('Subject', 'De quem se trata'), factsPart(known));
}

function findingsPart(page: Page): Html {
  const { reader, report } = page;
  const { language, say } = reader;
  const rows = report.findings.map((finding) => [
    [finding.step, smallPart(nameOf(finding.kind, language))],
    finding.status === null ? '' : statusWord(finding.status, language),
    finding.facts.map(
      ({ value, what }) =>
        html`<span class="fact"
          ><span class="muted">${nameOf(what, language)}:</span>
          ${factWords(reader, what, value)}</span
        >`,
    ),
  ]);
  const columns = [
    { name: say('Step', 'Etapa'), width: 20 },
    { name: say('Status', 'Situação'), width: 18 },
    { name: say('What it states', 'O que informa') },
  ];
  const intro = say(
    'As the services state them. This report gives no verdict.',
    'Conforme informado pelos serviços. Este relatório não dá parecer.',
  );
  return cardPart(say('Findings in short', 'O que foi encontrado, em resumo'), [
    note(intro),
    rows.length === 0 ? none(page) : tablePart(columns, rows),
  ]);
}

function coveragePart(page: Page): Html {
  const { reader, report } = page;
  const { formats, htmlLanguage, language, say } = reader;
  const sum = (of: 'requested' | 'answered'): string =>
    formats.number(report.coverage.reduce((count, row) => count + row[of], 0));
  const [answered, requested] = [sum('answered'), sum('requested')];
  const left = (Object.keys(sections) as Section[])
    .filter((section) => !isPlanned(page, section))
    .map((section) => say(...sections[section].title).toLocaleLowerCase(htmlLanguage));
  const cells = (row: CoverageRow): Content[] => [
    [
      row.step,
      smallPart(
        `${nameOf(row.kind, language)}, ${row.required ? say('required', 'obrigatória') : say('optional', 'opcional')}`,
      ),
    ],
    row.needs.join(', '),
    badge(page, row.status),
    row.requested === 0 ? '' : `${formats.number(row.answered)} / ${formats.number(row.requested)}`,
    row.why === null ? '' : whyWords(page, row.why),
  ];
  const columns = [
    { name: say('Step', 'Etapa'), width: 22 },
    { name: say('After', 'Depois de'), width: 18 },
    { name: say('Status', 'Situação'), width: 16 },
    { name: say('Answered', 'Respostas'), width: 12 },
    { name: say('Why', 'Motivo') },
  ];
  return cardPart(say('What was asked', 'O que foi consultado'), [
    note(
      say(
        `${answered} of ${requested} questions were answered.`,
        `${answered} de ${requested} perguntas foram respondidas.`,
      ),
    ),
    tablePart(columns, report.coverage.map(cells)),
    left.length === 0
      ? null
      : note(
          `${say('The plan does not ask about:', 'O plano não pergunta sobre:')} ${left.join(', ')}.`,
        ),
    graphPart(page),
  ]);
}
