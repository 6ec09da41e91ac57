import type { AnalysedAssignor, AnalysisHead, AnalysisSummary } from '../../domain/credit/analysis';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/job';
import type { Words } from '../../domain/job';
import type { ReportLanguage } from '../formats';
import type { Content } from '../html';
import { blocks, code, small, type Bar, type Section, type Tile } from '../page';
import { readerOf, type Reader } from '../reader';
import { jobHtml, type EvidenceFile, type JobPage } from '../sections';
import { statusWord } from '../words';
import { firings, masked, type AnalysisFigures } from './figures';

const mostPayers = 10;
/** Months in the drawing; the table has all of them. */
const mostMonths = 36;

export interface AnalysisReport {
  job: Pick<AnalysisRecord, 'cnab' | 'createdAt' | 'createdBy' | 'jobId' | 'xmls'>;
  outcome: Pick<AnalysisOutcome, 'operationId' | 'settledAt'>;
  analysis: AnalysisHead & { assignor: AnalysedAssignor };
  contradictions: readonly string[];
  figures: AnalysisFigures;
  /** Files of the result folder. */
  files: readonly EvidenceFile[];
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** Texts of the service are escaped, and documents are masked everywhere. */
export function analysisHtml(report: AnalysisReport, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { formats, say, stored } = reader;
  const { analysis, contradictions, figures, job, outcome } = report;
  const { operationId, settledAt: endedAt } = outcome;
  const { assignor, summary } = analysis;
  const name = masked(assignor.name ?? say('assignor without a name', 'cedente sem nome'));
  const mediaType = say('as it was sent', 'como foi enviado');
  const files = job.xmls === null ? [job.cnab] : [job.cnab, job.xmls];
  const sent = files.map((file) => ({ ...file, name: masked(file.name), mediaType }));
  const left =
    contradictions.length === 0
      ? say(
          'Nothing for diligence. What is alerted or blocked is for the credit desk to decide.',
          'Nada para o diligence. O que tem alerta ou está bloqueado cabe à mesa de crédito decidir.',
        )
      : say(
          'Ask the service about the contradictions above before you rely on the result.',
          'Pergunte ao serviço sobre as contradições acima antes de confiar no resultado.',
        );
  const page: JobPage = {
    kicker: ['Credit analysis', 'Análise de crédito'],
    title: masked(job.cnab.name),
    headline: `${say('Assignor', 'Cedente')}: ${name} (${statusWord(assignor.status, language)})`,
    when: formats.instant(endedAt),
    tiles: tilesOf(summary, figures, reader),
    job: { ...job, id: job.jobId, endedAt },
    parts: [
      contradictions.length === 0
        ? null
        : {
            title: ['The result contradicts itself', 'O resultado se contradiz'],
            blocks: { items: contradictions.map((one) => masked(stored(one))) },
          },
      statusesSection(summary, reader),
      payersSection(figures, reader),
      dueSection(figures, reader),
      rulesSection(figures, reader),
      issuesSection(figures, reader),
    ],
    left: [{ text: left }],
    events: [
      { at: analysis.timestamp, what: say('At the service: analysed', 'No serviço: analisado') },
    ],
    files: [...sent, ...report.files],
    facts: [
      [['Operation', 'Operação'], code(operationId)],
      [['Rule engine', 'Motor de regras'], analysis.engineName ?? analysis.engineId],
      [['Cost', 'Custo'], say('the service reports none', 'o serviço não informa')],
    ],
    about: [
      'Documents are masked. result.json, titulos.csv and issues.csv beside this page hold all of it in full.',
      'Os documentos estão mascarados. result.json, titulos.csv e issues.csv, ao lado desta página, trazem tudo por extenso.',
    ],
  };
  return jobHtml(page, reader, report.writtenAt);
}

const statuses = [
  ['approved', 'good'],
  ['alerted', 'warn'],
  ['blocked', 'bad'],
] as const;

function tilesOf(
  summary: AnalysisSummary,
  { payers }: AnalysisFigures,
  { formats, language, say }: Reader,
): Tile[] {
  const money = (value: number | null): string => (value === null ? '–' : formats.money(value));
  const value = payers.reduce((sum, one) => sum + one.value, 0);
  const share = value === 0 ? '–' : formats.share(payers[0]?.value ?? 0, value);
  const withIssues = summary.payersWithIssues ?? '–';
  return [
    { name: 'Títulos', value: summary.receivables ?? '–', note: money(summary.totalValue) },
    ...statuses.map(([status, look]): Tile => ({
      name: statusWord(status, language),
      value: summary[status] ?? '–',
      note: money(summary[`${status}Value`]),
      look: summary[status] === 0 && status !== 'approved' ? '' : look,
    })),
    {
      name: ['Payers', 'Sacados'],
      value: summary.payers ?? '–',
      note: say(`${withIssues} with issues`, `${withIssues} com problemas`),
    },
    {
      name: ['Greatest payer', 'Maior sacado'],
      value: share,
      note: say('of the value', 'do valor'),
    },
  ];
}

function statusesSection(summary: AnalysisSummary, { language }: Reader): Section {
  const barsOf = (by: '' | 'Value'): Bar[] =>
    statuses.map(([status, look]) => {
      return { name: statusWord(status, language), amount: summary[`${status}${by}`] ?? 0, look };
    });
  const status = ['Status', 'Situação'] as const;
  return {
    title: ['By count and by value', 'Por quantidade e por valor'],
    blocks: {
      pair: [
        { bars: barsOf(''), of: status, amount: 'Títulos' },
        { bars: barsOf('Value'), of: status, amount: ['Value', 'Valor'], as: 'money' },
      ],
    },
  };
}

/** Concentration of the value on few payers. */
function payersSection({ payers }: AnalysisFigures, reader: Reader): Section | null {
  const { count, formats, language, say } = reader;
  if (payers.length === 0) return null;
  const others = payers.slice(mostPayers);
  const titulos = ['título', 'títulos'] as const;
  const bars: Bar[] = payers.slice(0, mostPayers).map((payer) => ({
    name: [payer.name, ' ', small(payer.document)],
    amount: payer.value,
    means: `${count(payer.receivables, titulos, titulos)}, ${statusWord(payer.status, language)}`,
  }));
  const many = formats.number(others.length);
  if (others.length > 0)
    bars.push({
      name: say(`${many} others`, `outros ${many}`),
      amount: others.reduce((sum, { value }) => sum + Math.round(value * 100), 0) / 100,
    });
  return {
    title: ['Concentration: payers by value', 'Concentração: sacados por valor'],
    blocks: {
      bars,
      of: ['Payer', 'Sacado'],
      amount: ['Value', 'Valor'],
      as: 'money',
    },
  };
}

function dueSection({ due }: AnalysisFigures, { say }: Reader): Section | null {
  if (due.length === 0) return null;
  const label = (month: string): string =>
    month === '' ? say('without a date', 'sem data') : `${month.slice(5)}/${month.slice(0, 4)}`;
  const months = due.filter(({ month }) => month !== '').slice(0, mostMonths);
  const title = ['Due dates: value by month', 'Vencimentos: valor por mês'] as const;
  return {
    title,
    blocks: {
      pair: [
        months.length === 0
          ? null
          : {
              chart: {
                name: 'due',
                title,
                form: 'columns',
                as: 'money',
                points: months.map(({ month, value }) => [label(month), value]),
              },
            },
        {
          columns: [
            { name: ['Month', 'Mês'] },
            { name: 'Títulos', as: 'count' },
            { name: ['Value', 'Valor'], as: 'money' },
          ],
          rows: due.map(({ count, month, value }) => [label(month), count, value]),
        },
      ],
    },
  };
}

function rulesSection({ rules }: AnalysisFigures, { formats, language }: Reader): Section | null {
  if (rules.length === 0) return null;
  const bars = rules.map((fired): Bar => ({
    name: fired.rule,
    amount: firings(fired),
    means: (['blocked', 'alerted'] as const)
      .filter((status) => fired[status] > 0)
      .map((status) => `${statusWord(status, language)}: ${formats.number(fired[status])}`)
      .join(', '),
    look: fired.blocked > 0 ? 'bad' : 'warn',
  }));
  return {
    title: ['Rules that fired', 'Regras que dispararam'],
    blocks: {
      bars,
      of: ['Rule', 'Regra'],
      amount: ['Times', 'Vezes'],
    },
  };
}

const levels: Readonly<Record<string, Words>> = {
  cedente: ['Assignor', 'Cedente'],
  sacado: ['Payer', 'Sacado'],
  titulo: ['Titulo', 'Título'],
};

/** Every rule that fired, with what it found. */
function issuesSection({ allIssues, issues }: AnalysisFigures, { say }: Reader): Section {
  const rows = issues.map(
    ({ actual, expected, field, level, message, threshold, ...one }): Content[] => [
      [`${say(...(levels[level] ?? [level, level]))} ${one.name}`, small(one.payer)],
      one.value,
      [one.rule, small(field)],
      one.status,
      blocks([actual, expected, threshold].flatMap((text) => (text === null ? [] : masked(text)))),
      message && masked(message),
    ],
  );
  return {
    title: ['Issues', 'Problemas'],
    count: allIssues,
    blocks: [
      issues.length === 0
        ? { text: '–' }
        : {
            columns: [
              { name: ['About', 'Sobre'], as: 'wide' },
              { name: ['Value', 'Valor'], as: 'money' },
              { name: ['Rule', 'Regra'] },
              { name: ['Status', 'Situação'], as: 'status' },
              { name: ['Found, expected', 'Encontrado, esperado'] },
              { name: ['Message', 'Mensagem'], as: 'wide' },
            ],
            rows,
            more: [allIssues - issues.length, 'issues.csv'],
          },
    ],
  };
}
