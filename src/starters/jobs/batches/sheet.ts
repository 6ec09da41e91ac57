import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { attentionOf } from '../../../domain/attention';
import { parseJson } from '../../../apis/http/problem';
import { BatchFigures } from '../../../report/batches/figures';
import { batchHtml } from '../../../report/batches/page';
import { CsvFile } from '../../../sheets/write/csv-file';
import { ownCells, ownNames } from '../../../sheets/write/result-cells';
import { evidenceOf, exportJob, findingsPage } from '../export-job';
import type { ExportOptions } from '../job-kind';
import { batchKindOf, cellsOf, type BatchRules, type BatchSheets, type EndedChild } from './rules';
import {
  answerOf,
  ownJob,
  reportedOf,
  rowsOf,
  surveyRows,
  whenOf,
  type BatchSurvey,
  type EndedBatch,
  type ResultRow,
} from './rows';
import type { CommandContext } from '../context';
import { removeOthers, writeWhole } from '../written-file';

/** Columns of all kinds, before and after their own. */
const firstColumns = ['line', 'requested', 'status'] as const;
const lastColumns = [
  'error_code',
  'error_message',
  'reference',
  'duplicate_of',
  'note',
  'id',
  'settled_at',
] as const;

type Target = ExportOptions & { folder: string };

/** One line for each input line, in order; the responses beside it, and one page about all lines. */
export async function writeRows(
  ctx: CommandContext,
  rules: BatchRules,
  job: EndedBatch,
  target: Target,
): Promise<BatchSurvey> {
  const { excel, folder, lang } = target;
  await mkdir(folder, { recursive: true });
  const ours = [...firstColumns, ...Object.keys(rules.columns), ...lastColumns];
  const { columns = [] } = job.input;
  const header = [...ours, ...ownNames(columns, ours)];
  const results = new CsvFile(join(folder, 'results.csv'), header, { excel });
  const sheets = rules.sheets?.(folder, { excel }) ?? null;
  const [answers, pages] = [new Set<string>(), new Set<string>()];
  const figures = new BatchFigures(job.input.kind);
  try {
    const survey = await surveyRows(ctx, rules, job, async (row, own) => {
      if (!results.write([...lineOf(rules, row), ...ownCells(row.own, columns)]))
        await results.drained();
      const answer = await answerOf(ctx, rules, own);
      if (answer !== null) answers.add(await writeAnswer(folder, row.line, answer));
      const inFolder = folderName(row);
      const ownFolder = { ...target, folder: join(folder, inFolder) };
      const files =
        rules.hasFolders && own !== null ? await exportJob(ctx, rules.child, own, ownFolder) : [];
      const page =
        answer === null ? null : await writePage(ctx, rules, { line: row.line, job: own }, target);
      if (page !== null) pages.add(page);
      const more = answer === null ? {} : sheets?.learn(answer);
      figures.add({
        ...row,
        ...whenOf(row),
        cells: { ...more, ...(own && cellsOf(rules, own)) },
        page: files.includes('report.html')
          ? `${encodeURIComponent(inFolder)}/report.html`
          : page && `pages/${page}`,
      });
    });
    if (sheets !== null) await writeSheets(ctx, rules, job, sheets);
    await sheets?.close();
    await results.close();
    // Files of an earlier result in this folder may be about other people.
    await removeOthers(join(folder, 'answers'), /^\d+\.json$/, answers);
    await removeOthers(join(folder, 'pages'), /^\d+\.html$/, pages);
    const report = {
      record: job.input,
      figures,
      cost: survey.billing.all(),
      files: await evidenceOf(folder, ['results.csv']),
      endedAt: job.outcome.endedAt,
      writtenAt: Date.now(),
    };
    await writeWhole(folder, 'report.html', batchHtml(report, lang));
    return survey;
  } catch (error) {
    await results.abandon();
    await sheets?.abandon();
    throw error;
  }
}

async function writePage(
  ctx: CommandContext,
  rules: BatchRules,
  { job, line }: { job: EndedChild | null; line: number },
  { folder, html, lang }: Target,
): Promise<string | null> {
  if (!html || rules.hasPages !== true || job === null) return null;
  if (attentionOf(batchKindOf(rules), job.outcome.status).exitCode !== 0) return null;
  const files = [`answers/${line}.json`];
  const page = await findingsPage(ctx, rules.child, job, { files, folder, lang });
  const name = `${line}.html`;
  await mkdir(join(folder, 'pages'), { recursive: true });
  await writeWhole(join(folder, 'pages'), name, page);
  return name;
}

async function writeSheets(
  ctx: CommandContext,
  rules: BatchRules,
  job: EndedBatch,
  sheets: BatchSheets,
): Promise<void> {
  for await (const row of rowsOf(ctx, rules, job)) {
    const answer = await answerOf(ctx, rules, ownJob(row));
    if (answer !== null) await sheets.write(row, answer);
  }
}

/** For a file, its name without the common ending; if that is no valid file name, the line number. */
function folderName({ requested, line }: ResultRow): string {
  const name = requested.replace(/\.rem$/, '');
  return /[@/\\:]|^\.|^$/.test(name) ? `line-${line}` : name;
}

function lineOf(rules: BatchRules, row: ResultRow): (string | number | null)[] {
  const { line, requested, status, error, reference, duplicateOf, note } = row;
  return [
    line,
    requested,
    status,
    ...Object.values(reportedOf(rules, row)),
    error?.code ?? null,
    error?.message ?? null,
    reference,
    duplicateOf,
    note,
    ...Object.values(whenOf(row)),
  ];
}

async function writeAnswer(folder: string, line: number, answer: Buffer): Promise<string> {
  const name = `${line}.json`;
  const text = `${JSON.stringify(parseJson(answer), null, 2)}\n`;
  await mkdir(join(folder, 'answers'), { recursive: true });
  await writeWhole(join(folder, 'answers'), name, text);
  return name;
}
