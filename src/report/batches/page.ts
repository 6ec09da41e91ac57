import { attentionOf, whyOf } from '../../domain/attention';
import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Cell } from '../../domain/core/findings';
import type { JobBatchRecord } from '../../domain/core/job-batch';
import { maskDocument } from '../../domain/core/documents/documents';
import type { JobKind } from '../../domain/job';
import { maskTarget } from '../../domain/traces/target';
import { maskTextOfPeople } from '../../protection/redaction';
import { cellContent, hasValue } from '../findings/section';
import type { ReportLanguage } from '../formats';
import { html, type Content } from '../html';
import {
  badge,
  code,
  small,
  type Block,
  type Fact,
  type Look,
  type Section,
  type Tile,
} from '../page';
import { problemWords } from '../problem-words';
import { type Reader, readerOf } from '../reader';
import {
  command,
  costTile,
  jobHtml,
  type EvidenceFile,
  type JobPage,
  type TimelineEvent,
} from '../sections';
import { hiddenColumns, type BatchFigures, type BatchRow, type LeftRow } from './figures';
import { nameOf, sentence, statusWord } from '../words';

const mostColumns = 6;

export interface BatchReport {
  id: string;
  record: Pick<
    JobBatchRecord,
    'blankLines' | 'createdAt' | 'createdBy' | 'inputSha256' | 'label'
  > & { kind: JobKind; inputName: string | null };
  figures: BatchFigures;
  cost: readonly BillingTotal[];
  files: readonly EvidenceFile[];
  /** ISO 8601. */
  endedAt: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** What a kind of batch has of its own. */
export interface BatchPart {
  tiles: readonly Tile[];
  /** Before what is left to do, and after it. */
  parts?: readonly (Section | null)[];
  more?: readonly (Section | null)[];
  events?: readonly TimelineEvent[];
  facts: readonly Fact[];
  next: NextSteps;
}

interface NextSteps {
  /** Of one line; null: it must be corrected. */
  commandOf: (row: LeftRow) => string | null;
  /** For all lines of a status at once. */
  actionsOf: (status: string) => Block;
}

/** The page of a batch whose lines are jobs. */
export function batchHtml(
  report: Omit<BatchReport, 'id' | 'record'> & { record: JobBatchRecord },
  language: ReportLanguage,
): string {
  const reader = readerOf(language);
  const { batchId: id, children, items } = report.record;
  const { lines, totals } = report.figures;
  const sums = Object.entries(totals).slice(0, 3);
  const part = {
    tiles: [
      { name: ['Lines', 'Linhas'] as const, value: lines },
      ...sums.map(([column, sum]) => ({
        name: nameOf(column, language),
        value: sumWords(column, sum, reader),
      })),
    ],
    facts: [
      [['Asked for anew', 'Pedidos novos'], children],
      [['Had ended before', 'Já encerrados antes'], items - children],
    ] as const,
    next: {
      commandOf: ({ jobId }: LeftRow) => jobId && `diligence inbox show ${jobId}`,
      actionsOf: () => null,
    },
  };
  return batchPage({ ...report, id }, part, reader);
}

/** Its lines with their totals. */
export function batchPage(report: BatchReport, part: BatchPart, reader: Reader): string {
  const { formats, language, say } = reader;
  const { cost, endedAt, figures, files, id, record } = report;
  const { blankLines, createdAt, inputName, inputSha256, kind, label } = record;
  const { events = [], facts, more = [], next, parts = [], tiles } = part;
  const page: JobPage = {
    kicker: nameOf(kind, language),
    title:
      inputName === null
        ? say('one document, given on the command line', 'um documento, dado na linha de comando')
        : maskTextOfPeople(inputName),
    headline: headline(figures, reader),
    when: `${formats.instant(createdAt)} – ${formats.instant(endedAt)}`,
    tiles: [
      ...tiles.slice(0, 1),
      {
        name: ['Need a person', 'Precisam de uma pessoa'],
        value: figures.needed,
        look: figures.needed === 0 ? 'good' : 'warn',
      },
      ...tiles.slice(1),
      costTile(cost, reader),
    ],
    job: { ...record, id, endedAt },
    parts: [statusesSection(figures, kind, reader), ...parts],
    left: leftBlocks(figures, kind, reader, next),
    more: [...more, rowsSection(figures, kind, reader)],
    events,
    files,
    facts: [
      [['Input', 'Entrada'], inputName && maskTextOfPeople(inputName)],
      [['sha256 of the input', 'sha256 da entrada'], code(inputSha256)],
      [['Label', 'Rótulo'], label && maskTextOfPeople(label)],
      [['Blank lines left out', 'Linhas em branco deixadas de fora'], blankLines || null],
      ...facts,
    ],
    about: [
      'Documents are masked. results.csv beside this page holds every line in full.',
      'Os documentos estão mascarados. results.csv, ao lado desta página, traz todas as linhas por extenso.',
    ],
  };
  return jobHtml(page, reader, report.writtenAt);
}

function headline({ lines, needed }: BatchFigures, { count, say }: Reader): string {
  const all = count(lines, ['line', 'lines'], ['linha', 'linhas']);
  const open =
    needed === 0
      ? say('Nothing is left to do.', 'Não há nada pendente.')
      : `${count(needed, ['line needs', 'lines need'], ['linha precisa', 'linhas precisam'])} ${say('a person.', 'de uma pessoa.')}`;
  return `${all}. ${open}`;
}

function sumWords(column: string, sum: number, { formats }: Reader): string {
  return column === 'assessed_value' ? formats.money(sum) : formats.decimal(sum);
}

function statusesSection({ counts }: BatchFigures, kind: JobKind, { language }: Reader): Section {
  const bars = Object.entries(counts).map(([status, amount]) => {
    return { name: statusWord(status, language), amount, look: lookOf(kind, status) };
  });
  return {
    title: ['How the lines ended', 'Como as linhas terminaram'],
    blocks: {
      bars,
      of: ['Status', 'Situação'],
      amount: ['Lines', 'Linhas'],
    },
  };
}

function lookOf(kind: JobKind, status: string): Look {
  const { exitCode, needsAttention } = attentionOf(kind, status);
  return needsAttention ? 'bad' : exitCode === 1 ? 'warn' : 'good';
}

function rowsSection(figures: BatchFigures, kind: JobKind, reader: Reader): Section {
  const { language } = reader;
  const { lines, rows, totals } = figures;
  // A column with only zeros is left out.
  const isSomething = (cell: Cell | undefined): boolean => hasValue(cell) && cell !== 0;
  const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))]
    .filter((column) => !hiddenColumns.test(column))
    .filter((column) => rows.some(({ cells }) => isSomething(cells[column])))
    .slice(0, mostColumns);
  const sums = columns.map((column) => {
    const sum = totals[column];
    return sum === undefined ? '' : sumWords(column, sum, reader);
  });
  return {
    title: ['Lines', 'Linhas'],
    count: lines,
    blocks: {
      columns: [
        { name: ['Line', 'Linha'], as: 'line' },
        { name: ['Asked for', 'Pedido'] },
        { name: ['Status', 'Situação'] },
        ...columns.map((column) => ({
          name: nameOf(column, language),
          ...(totals[column] !== undefined && { as: 'count' as const }),
        })),
      ],
      rows: rows.map((row) => [
        row.line,
        requestedFor(row, kind),
        [statusWord(row.status, language), small(errorWords(row, reader))],
        ...columns.map((column) => cellContent(reader, column, row.cells[column] ?? null)),
      ]),
      totals: sums.some((sum) => sum !== '') ? ['Total', '', '', ...sums] : null,
      more: [lines - rows.length, 'results.csv'],
    },
  };
}

function errorWords({ error }: BatchRow, { language }: Reader): Content {
  if (error === null) return null;
  const text = maskTextOfPeople(problemWords(error, language));
  return error.code === null ? text : `${error.code}: ${text}`;
}

function noteOf({ note = '' }: BatchRow, { stored }: Reader): string {
  return note
    .split(' · ')
    .map((part) => stored(maskTextOfPeople(part)))
    .join(' · ');
}

function requestedFor({ requested, page, reference }: BatchRow, kind: JobKind): Content {
  const masked =
    kind === 'trace-batch'
      ? maskTarget(requested)
      : /^\d{11}$|^\d{14}$/.test(requested)
        ? maskDocument(requested)
        : maskTextOfPeople(requested);
  return [
    page === null ? masked : html`<a href="${page}">${masked}</a>`,
    small(maskTextOfPeople(reference)),
  ];
}

function leftBlocks(
  { left }: BatchFigures,
  kind: JobKind,
  reader: Reader,
  { actionsOf, commandOf }: NextSteps,
): Block[] | null {
  const { formats, language, say } = reader;
  if (left.length === 0) return null;
  const correct = say(
    'Correct the line in the input and run the file again: what has ended well is not asked for again.',
    'Corrija a linha na entrada e execute o arquivo de novo: o que terminou bem não é pedido outra vez.',
  );
  return left.flatMap(([status, { count, rows }]): Block[] => [
    {
      heading: [
        statusWord(status, language),
        ' ',
        badge(formats.number(count), lookOf(kind, status)),
      ],
    },
    attentionOf(kind, status).needsAttention ? { text: sentence(whyOf(status, say)) } : null,
    actionsOf(status),
    {
      columns: [
        { name: ['Line', 'Linha'], as: 'line' },
        { name: ['Asked for', 'Pedido'] },
        { name: ['What happened', 'O que aconteceu'], as: 'wide' },
        { name: ['What to do now', 'O que fazer agora'], as: 'wide' },
      ],
      rows: rows.map((row) => {
        const line = commandOf(row);
        return [
          row.line,
          requestedFor({ ...row, page: null }, kind),
          [errorWords(row, reader) ?? sentence(whyOf(status, say)), small(noteOf(row, reader))],
          line === null ? correct : command(line),
        ];
      }),
      more: [count - rows.length, 'results.csv'],
    },
  ]);
}
