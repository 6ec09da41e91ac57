import type { AnalysisHead, AnalysisSummary, AnalysedAssignor } from '../../domain/credit/analysis';
import { categoryAxis, countAxis, drawn, grid } from '../charts';
import type { ReportLanguage } from '../formats';
import { html, type Html } from '../html';
import { htmlPage } from '../html-page';
import {
  aboutPart,
  barsPart,
  cardPart,
  evidencePart,
  leftPart,
  tablePart,
  tilesPart,
  timelinePart,
  type Column,
  type EvidenceFile,
} from '../parts';
import { type Reader, readerOf } from '../reader';
import { statusWord } from '../words';
import { firings, masked, type AnalysisFigures } from './figures';
import { issuesPart, leftWords } from './issues-part';

/** The analysis of a page. */
export interface ReportedAnalysis {
  jobId: string;
  operationId: string | null;
  createdBy: string;
  /** ISO 8601. */
  createdAt: string;
  endedAt: string;
  /** The uploaded files. */
  files: readonly { name: string; sha256: string; bytes: number }[];
}

export interface AnalysisReport {
  job: ReportedAnalysis;
  analysis: AnalysisHead & { assignor: AnalysedAssignor };
  fileName: string;
  contradictions: readonly string[];
  figures: AnalysisFigures;
  /** Files of the result folder. */
  files: readonly EvidenceFile[];
  /** Epoch milliseconds. */
  writtenAt: number;
}

const statuses = [
  ['approved', 'good'],
  ['alerted', 'warn'],
  ['blocked', 'bad'],
] as const;

/** Texts of the service are escaped, and documents are masked everywhere. */
export function analysisHtml(report: AnalysisReport, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { formats, say } = reader;
  const { analysis, contradictions, figures, job } = report;
  const { assignor, summary } = analysis;
  const kicker = say('Credit analysis', 'Análise de crédito');
  const sent = job.files.map((file) => {
    return {
      ...file,
      name: masked(file.name),
      mediaType: say('as it was sent', 'como foi enviado'),
    };
  });
  const events = [
    { at: job.createdAt, what: say('Asked for', 'Pedido'), note: job.createdBy },
    {
      at: analysis.timestamp ?? '',
      what: say('At the service: analysed', 'No serviço: analisado'),
    },
    { at: job.endedAt, what: say('Ended and stored', 'Encerrado e armazenado') },
  ];
  const name = masked(assignor.name ?? say('assignor without a name', 'cedente sem nome'));
  const about = say(
    'Documents are masked. result.json, titulos.csv and issues.csv beside this page hold all of it in full.',
    'Os documentos estão mascarados. result.json, titulos.csv e issues.csv, ao lado desta página, trazem tudo por extenso.',
  );
  return htmlPage(reader, {
    kicker,
    title: masked(report.fileName),
    headline: `${say('Assignor', 'Cedente')}: ${name} (${statusWord(assignor.status, language)})`,
    when: formats.instant(job.endedAt),
    main: html`${tiles(summary, figures, reader)} ${contradictionsPart(contradictions, reader)}
      <div class="pair">
        ${statusesPart('count', summary, reader)} ${statusesPart('value', summary, reader)}
      </div>
      ${payersPart(figures, reader)} ${duePart(figures, reader)} ${rulesPart(figures, reader)}
      ${issuesPart(figures, reader)}
      ${leftPart(reader, html`<p>${leftWords(contradictions, reader)}</p>`)}
      ${timelinePart(reader, events)} ${evidencePart(reader, [...sent, ...report.files])}
      ${detailsPart(report, reader)}`,
    about,
    writtenAt: report.writtenAt,
  });
}

function tiles(summary: AnalysisSummary, figures: AnalysisFigures, { formats, say }: Reader): Html {
  const money = (value: number | null): string => (value === null ? '–' : formats.money(value));
  const count = (value: number | null): string => (value === null ? '–' : formats.number(value));
  const [greatest] = figures.payers;
  const share =
    greatest === undefined || figures.value === 0
      ? '–'
      : formats.share(greatest.value, figures.value);
  return tilesPart([
    { name: 'Títulos', value: count(summary.receivables), note: money(summary.totalValue) },
    {
      name: say('Approved', 'Aprovados'),
      value: count(summary.approved),
      note: money(summary.approvedValue),
      look: 'good',
    },
    {
      name: say('Alerted', 'Com alerta'),
      value: count(summary.alerted),
      note: money(summary.alertedValue),
      look: summary.alerted === 0 ? '' : 'warn',
    },
    {
      name: say('Blocked', 'Bloqueados'),
      value: count(summary.blocked),
      note: money(summary.blockedValue),
      look: summary.blocked === 0 ? '' : 'bad',
    },
    {
      name: say('Payers', 'Sacados'),
      value: count(summary.payers),
      note: say(
        `${count(summary.payersWithIssues)} with issues`,
        `${count(summary.payersWithIssues)} com problemas`,
      ),
    },
    {
      name: say('Greatest payer', 'Maior sacado'),
      value: share,
      note: say('of the value', 'do valor'),
    },
  ]);
}

function contradictionsPart(
  contradictions: readonly string[],
  { say, stored }: Reader,
): Html | null {
  if (contradictions.length === 0) return null;
  return cardPart(
    say('The result contradicts itself', 'O resultado se contradiz'),
    html`<ul>
      ${contradictions.map((sentence) => html`<li>${masked(stored(sentence))}</li>`)}
    </ul>`,
  );
}

function statusesPart(by: 'count' | 'value', summary: AnalysisSummary, reader: Reader): Html {
  const { formats, language, say } = reader;
  const isCount = by === 'count';
  const shownAmount = (amount: number): string =>
    isCount ? formats.number(amount) : formats.money(amount);
  const bars = statuses.map(([status, look]) => {
    const amount = (isCount ? summary[status] : summary[`${status}Value`]) ?? 0;
    return { name: statusWord(status, language), amount, shown: shownAmount(amount), look };
  });
  const whole = bars.reduce((sum, { amount }) => sum + amount, 0);
  const title = isCount ? say('By count', 'Por quantidade') : say('By value', 'Por valor');
  const heads: [string, string] = [
    say('Status', 'Situação'),
    isCount ? 'Títulos' : say('Value', 'Valor'),
  ];
  return cardPart(title, barsPart(reader, bars, { heads, whole, total: shownAmount(whole) }));
}

/** Concentration of the value on few payers. */
function payersPart({ otherPayers, payers, value }: AnalysisFigures, reader: Reader): Html | null {
  const { formats, language, say } = reader;
  if (payers.length === 0) return null;
  const bars = payers.map((payer) => ({
    name: html`${payer.name} <span class="muted small block number">${payer.document}</span>`,
    amount: payer.value,
    shown: formats.money(payer.value),
    means: `${reader.count(payer.receivables, ['título', 'títulos'], ['título', 'títulos'])}, ${statusWord(payer.status, language)}`,
  }));
  if (otherPayers.count > 0) {
    const count = formats.number(otherPayers.count);
    const name = html`${say(`${count} others`, `outros ${count}`)}`;
    const shown = formats.money(otherPayers.value);
    bars.push({ name, amount: otherPayers.value, shown, means: '' });
  }
  return cardPart(
    say('Concentration: payers by value', 'Concentração: sacados por valor'),
    barsPart(reader, bars, {
      heads: [say('Payer', 'Sacado'), say('Value', 'Valor')],
      whole: value,
      total: formats.money(value),
    }),
  );
}

/** Months in the drawing; the table has all of them. */
const mostMonths = 36;

function duePart({ due }: AnalysisFigures, { formats, say }: Reader): Html | null {
  if (due.length === 0) return null;
  const months = due.filter(({ month }) => month !== '');
  const title = say('Due dates: value by month', 'Vencimentos: valor por mês');
  const label = (month: string): string =>
    month === '' ? say('without a date', 'sem data') : `${month.slice(5)}/${month.slice(0, 4)}`;
  const words = due.map(({ month, value }) => `${label(month)}: ${formats.money(value)}`);
  const shown = months.slice(0, mostMonths);
  const drawing = drawn(
    { name: 'due', title, description: words.slice(0, mostMonths).join('; ') },
    (size) => ({
      grid: grid(size),
      xAxis: categoryAxis(
        shown.map(({ month }) => label(month)),
        { hideOverlap: true },
      ),
      yAxis: countAxis(formats),
      series: [
        {
          type: 'bar',
          silent: true,
          barMaxWidth: 40,
          data: shown.map(({ value }) => value),
          itemStyle: { color: 'var(--accent)' },
        },
      ],
    }),
  );
  const columns: Column[] = [
    { name: say('Month', 'Mês') },
    { name: 'Títulos', look: 'right' },
    { name: say('Value', 'Valor'), look: 'right' },
  ];
  const rows = due.map(({ count, month, value }) => [
    label(month),
    formats.number(count),
    formats.money(value),
  ]);
  const table = tablePart(columns, rows);
  return cardPart(
    title,
    html`<div class="pair">
      <div>${shown.length === 0 ? null : drawing}</div>
      <div>${table}</div>
    </div>`,
  );
}

function rulesPart({ rules }: AnalysisFigures, reader: Reader): Html | null {
  const { formats, language, say } = reader;
  if (rules.length === 0) return null;
  const bars = rules.map((fired) => ({
    name: masked(fired.rule),
    amount: firings(fired),
    means: (['blocked', 'alerted'] as const)
      .filter((status) => fired[status] > 0)
      .map((status) => `${statusWord(status, language)}: ${formats.number(fired[status])}`)
      .join(', '),
    look: fired.blocked > 0 ? ('bad' as const) : ('warn' as const),
  }));
  const whole = bars.reduce((sum, { amount }) => sum + amount, 0);
  return cardPart(
    say('Rules that fired', 'Regras que dispararam'),
    barsPart(reader, bars, {
      heads: [say('Rule', 'Regra'), say('Times', 'Vezes')],
      whole,
      total: formats.number(whole),
    }),
  );
}

function detailsPart({ analysis, job }: AnalysisReport, reader: Reader): Html {
  const { formats, say } = reader;
  return aboutPart(reader, [
    ['Id', html`<code>${job.jobId}</code>`],
    [say('Operation', 'Operação'), job.operationId && html`<code>${job.operationId}</code>`],
    [say('Rule engine', 'Motor de regras'), analysis.engineName ?? analysis.engineId],
    [say('Cost', 'Custo'), say('the service reports none', 'o serviço não informa')],
    [say('Started', 'Início'), formats.instant(job.createdAt)],
    [say('Ended', 'Fim'), formats.instant(job.endedAt)],
  ]);
}
