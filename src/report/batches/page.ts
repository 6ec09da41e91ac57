import { attentionOf, whyOf } from '../../domain/attention';
import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Cell } from '../../domain/core/findings';
import type { JobBatchRecord } from '../../domain/core/job-batch';
import { maskDocument } from '../../domain/core/documents/documents';
import { maskTarget } from '../../domain/traces/target';
import { maskTextOfPeople } from '../../protection/redaction';
import { costWords } from '../findings/report';
import { cellContent } from '../findings/section';
import type { ReportLanguage } from '../formats';
import { html, type Html } from '../html';
import { htmlPage } from '../html-page';
import {
  aboutPart,
  barsPart,
  cardPart,
  commandPart,
  evidencePart,
  leftPart,
  morePart,
  smallPart,
  tablePart,
  tilesPart,
  timelinePart,
  type Bar,
  type Column,
  type EvidenceFile,
} from '../parts';
import { problemWords } from '../problem-words';
import { type Reader, readerOf } from '../reader';
import { nameOf, sentence, statusWord } from '../words';
import { hiddenColumns, type BatchFigures, type BatchRow } from './figures';

const mostColumns = 6;

export interface BatchReport {
  record: JobBatchRecord;
  figures: BatchFigures;
  cost: readonly BillingTotal[];
  files: readonly EvidenceFile[];
  /** ISO 8601. */
  endedAt: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** The page of a batch: its lines with their totals. Loads nothing and runs nothing. */
export function batchHtml(report: BatchReport, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { formats, say } = reader;
  const { endedAt, figures, record } = report;
  const kicker = nameOf(record.kind, language);
  const name = maskTextOfPeople(record.inputName);
  const lines = reader.count(record.lines, ['line', 'lines'], ['linha', 'linhas']);
  const needed = figures.left.length + figures.moreLeft;
  const open =
    needed === 0
      ? say('Nothing is left to do.', 'Não há nada pendente.')
      : `${reader.count(needed, ['line needs', 'lines need'], ['linha precisa', 'linhas precisam'])} ${say('a person.', 'de uma pessoa.')}`;
  const about = say(
    'Documents are masked. results.csv beside this page holds every line in full.',
    'Os documentos estão mascarados. results.csv, ao lado desta página, traz todas as linhas por extenso.',
  );
  const request = { at: record.createdAt, what: say('Asked for', 'Pedido') };
  const ended = { at: endedAt, what: say('Ended', 'Encerrado') };
  return htmlPage(reader, {
    kicker,
    title: name,
    headline: `${lines}. ${open}`,
    when: `${formats.instant(record.createdAt)} – ${formats.instant(endedAt)}`,
    main: html`${tiles(report, reader)} ${statusesPart(report, reader)}
    ${rowsPart(figures, record, reader)} ${stepsPart(figures, record, reader)}
    ${timelinePart(reader, [request, ended])} ${evidencePart(reader, report.files)}
    ${detailsPart(report, reader)}`,
    about,
    writtenAt: report.writtenAt,
  });
}

function tiles({ cost, figures, record }: BatchReport, reader: Reader): Html {
  const { formats, language, say } = reader;
  const needed = figures.left.length + figures.moreLeft;
  const sums = Object.entries(figures.totals).slice(0, 6 - 3);
  return tilesPart([
    { name: say('Lines', 'Linhas'), value: formats.number(record.lines) },
    {
      name: say('Need a person', 'Precisam de uma pessoa'),
      value: formats.number(needed),
      look: needed === 0 ? 'good' : 'warn',
    },
    ...sums.map(([column, sum]) => ({
      name: nameOf(column, language),
      value: sumWords(column, sum, reader),
    })),
    { name: say('Cost', 'Custo'), ...costWords(cost, reader) },
  ]);
}

function sumWords(column: string, sum: number, { formats }: Reader): string {
  return column === 'assessed_value' ? formats.money(sum) : formats.decimal(sum);
}

function statusesPart({ figures, record }: BatchReport, reader: Reader): Html {
  const { formats, language, say } = reader;
  const bars = Object.entries(figures.counts).map(([status, amount]): Bar => {
    const { exitCode, needsAttention } = attentionOf(record.kind, status);
    const look = needsAttention ? 'bad' : exitCode === 1 ? 'warn' : 'good';
    return { name: statusWord(status, language), amount, look };
  });
  const heads: [string, string] = [say('Status', 'Situação'), say('Lines', 'Linhas')];
  const total = formats.number(record.lines);
  const table = barsPart(reader, bars, { heads, whole: record.lines, total });
  return cardPart(say('How the lines ended', 'Como as linhas terminaram'), table);
}

function rowsPart(figures: BatchFigures, { kind }: JobBatchRecord, reader: Reader): Html {
  const { formats, language, say } = reader;
  const { more, rows, totals } = figures;
  const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))]
    .filter((column) => !hiddenColumns.test(column))
    .filter((column) => rows.some(({ cells }) => isSomething(cells[column])))
    .slice(0, mostColumns);
  const heads: Column[] = [
    { name: say('Line', 'Linha'), look: 'line' },
    { name: say('Asked for', 'Pedido') },
    { name: say('Status', 'Situação') },
    ...columns.map((column): Column => ({
      name: nameOf(column, language),
      ...(totals[column] !== undefined && { look: 'right' }),
    })),
  ];
  const cells = rows.map((row) => [
    row.line,
    [requestedFor(row, kind), smallPart(maskTextOfPeople(row.reference))],
    [statusWord(row.status, language), row.error === null ? null : errorNote(row.error, reader)],
    ...columns.map((column) => {
      const value = row.cells[column] ?? null;
      return column === 'assessed_value' && value !== null
        ? formats.money(Number(value))
        : cellContent(reader, column, value);
    }),
  ]);
  const sums = columns.map((column) => {
    const sum = totals[column];
    return sum === undefined ? '' : sumWords(column, sum, reader);
  });
  return cardPart(
    say('Lines', 'Linhas'),
    html`${tablePart(heads, cells, ['Total', '', '', ...sums])}
    ${morePart(reader, more, 'results.csv')}`,
    formats.number(rows.length + more),
  );
}

/** A column with only zeros is left out. */
function isSomething(cell: Cell | undefined): boolean {
  return cell !== undefined && cell !== null && cell !== '' && cell !== 0;
}

function errorNote(error: NonNullable<BatchRow['error']>, { language }: Reader): Html | null {
  const { code } = error;
  const text = maskTextOfPeople(problemWords(error, language));
  return smallPart(code === null ? text : `${code}: ${text}`);
}

function requestedFor({ requested, page }: BatchRow, kind: JobBatchRecord['kind']): Html {
  const masked =
    kind === 'trace-batch'
      ? maskTarget(requested)
      : /^\d{11}$/.test(requested)
        ? maskDocument(requested)
        : maskTextOfPeople(requested);
  return page === null ? html`${masked}` : html`<a href="${page}">${masked}</a>`;
}

function stepsPart(
  { left, moreLeft }: BatchFigures,
  { kind }: JobBatchRecord,
  reader: Reader,
): Html {
  const { formats, language, say } = reader;
  if (left.length === 0) return leftPart(reader, null);
  const columns: Column[] = [
    { name: say('Line', 'Linha'), look: 'line' },
    { name: say('Asked for', 'Pedido') },
    { name: say('What happened', 'O que aconteceu'), look: 'wide' },
    { name: say('What to do now', 'O que fazer agora'), look: 'wide' },
  ];
  const correct = say(
    'Correct the line in the input and run the file again: what has ended well is not asked for again.',
    'Corrija a linha na entrada e execute o arquivo de novo: o que terminou bem não é pedido outra vez.',
  );
  const rows = left.map((row) => [
    row.line,
    requestedFor({ ...row, page: null }, kind),
    [
      html`<strong>${statusWord(row.status, language)}.</strong> `,
      row.error === null ? sentence(whyOf(row.status, say)) : errorNote(row.error, reader),
    ],
    row.jobId === null ? correct : commandPart(`diligence inbox show ${row.jobId}`),
  ]);
  return leftPart(
    reader,
    html`${tablePart(columns, rows)} ${morePart(reader, moreLeft, 'results.csv')}`,
    formats.number(left.length + moreLeft),
  );
}

function detailsPart({ endedAt, record }: BatchReport, reader: Reader): Html {
  const { formats, say } = reader;
  return aboutPart(reader, [
    ['Id', html`<code>${record.batchId}</code>`],
    [say('Input', 'Entrada'), maskTextOfPeople(record.inputName)],
    [
      say('sha256 of the input', 'sha256 da entrada'),
      record.inputSha256 === null ? null : html`<code>${record.inputSha256}</code>`,
    ],
    [say('Label', 'Rótulo'), record.label],
    [
      say('Blank lines left out', 'Linhas em branco deixadas de fora'),
      record.blankLines === 0 ? null : formats.number(record.blankLines),
    ],
    [say('Asked for anew', 'Pedidos novos'), formats.number(record.children)],
    [
      say('Had ended before', 'Já encerrados antes'),
      formats.number(record.items - record.children),
    ],
    [say('Started by', 'Iniciado por'), record.createdBy],
    [say('Started', 'Início'), formats.instant(record.createdAt)],
    [say('Ended', 'Fim'), formats.instant(endedAt)],
  ]);
}
