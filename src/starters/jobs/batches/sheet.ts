import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../../apis/http/problem';
import { AnalysisSheet } from '../../../sheets/analysis-sheet';
import type { BatchRules, BatchSheets } from './rules';
import {
  ownEnd,
  rowsOf,
  surveyRows,
  type BatchSurvey,
  type EndedBatch,
  type ResultRow,
} from './rows';
import type { CommandContext } from '../context';
import { removeOthers, writeWhole } from '../written-file';

/** What all kinds have, before and behind their own columns. */
const firstColumns = ['line', 'asked', 'status'] as const;
const lastColumns = [
  'error_code',
  'error_message',
  'reference',
  'duplicate_of',
  'note',
  'id',
  'settled_at',
] as const;

interface Target {
  folder: string;
  how: { excel: boolean; html: boolean };
}

/** One line an input line, in order; the answers beside it. */
export async function writeRows(
  ctx: CommandContext,
  rules: BatchRules,
  job: EndedBatch,
  { folder, how }: Target,
): Promise<BatchSurvey> {
  await mkdir(folder, { recursive: true });
  const columns = [...firstColumns, ...rules.columns, ...lastColumns];
  const options = { excel: how.excel, decimalComma: true };
  const results = new AnalysisSheet(join(folder, 'results.csv'), columns, options);
  const sheets = rules.sheets?.(folder, how) ?? null;
  const answers = new Set<string>();
  try {
    const survey = await surveyRows(ctx, rules, job, async (row, own) => {
      if (!results.write(cellsOf(rules, row))) await results.drained();
      const answer = (await own?.answer()) ?? null;
      if (answer !== null) answers.add(await writeAnswer(folder, row.line, answer));
      await own?.exportTo?.(join(folder, folderName(row)));
      await sheets?.learn(row, answer);
    });
    if (sheets !== null) await writeSheets(rowsOf(ctx, rules, job), sheets);
    const { counts } = survey;
    await sheets?.close({ record: job.input, counts, endedAt: job.outcome.endedAt });
    await results.close();
    // Of an earlier result that stood here: they may be about other people.
    await removeOthers(join(folder, 'answers'), /^\d+\.json$/, answers);
    return survey;
  } catch (error) {
    await results.abandon();
    await sheets?.abandon();
    throw error;
  }
}

async function writeSheets(rows: AsyncIterable<ResultRow>, sheets: BatchSheets): Promise<void> {
  for await (const row of rows) {
    const answer = (await ownEnd(row)?.answer()) ?? null;
    if (answer !== null) await sheets.write(row, answer);
  }
}

/** Of a file, its name without the ending that all of them have. */
function folderName({ asked }: ResultRow): string {
  return asked.replace(/\.rem$/, '');
}

function cellsOf(rules: BatchRules, row: ResultRow): (string | number | null)[] {
  const { line, asked, status, child, end, error, reference, duplicateOf, note } = row;
  const reported = rules.columns.map((column) => {
    const isCharged = status !== 'duplicate' || !rules.chargeColumns.includes(column);
    const value = isCharged ? (end?.cells[column] ?? null) : null;
    return typeof value === 'boolean' ? String(value) : value;
  });
  return [
    line,
    asked,
    status,
    ...reported,
    error?.code ?? null,
    error?.message ?? null,
    reference,
    duplicateOf,
    note,
    end?.jobId ?? child?.jobId ?? null,
    end?.settledAt ?? null,
  ];
}

/** `answers/<line>.json`: what the service answered, as it came. */
async function writeAnswer(folder: string, line: number, answer: Buffer): Promise<string> {
  const name = `${line}.json`;
  const text = `${JSON.stringify(parseJson(answer), null, 2)}\n`;
  await mkdir(join(folder, 'answers'), { recursive: true });
  await writeWhole(join(folder, 'answers'), name, text);
  return name;
}
