import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Option } from 'commander';
import { indexDocuments } from '../store/core/subject-index';
import { documentsIn } from '../domain/core/held-documents';
import { drivenWorks, partsOfBatch } from '../domain/core/batch';
import { inParallel } from '../store/core/in-parallel';
import { inquiryFolder, LookupBatchRepository } from '../store/inquiry-batches';
import {
  inquiryBatchFolder,
  inquiryBatchWorkflowId,
  type InquiryBatchRecord,
  type InquiryWork,
} from '../domain/core/inquiry-batch';
import { queueName } from '../domain/core/queues';
import { planThings, type PlanCounts } from '../sheets/plan-rows';
import { readSheet } from '../sheets/read-rows';
import type { EngineClient } from '../temporal/connection';
import { refuseMissingSearchAttributes } from '../temporal/search-attributes';
import type { inquiryBatch } from '../workflows/inquiry-batch';
import { attributesAtStart } from '../workflows/core/search-attributes';
import { storeFile } from './cli/stored-file';
import { followByLines } from './cli/follow';
import { inquiryBatchLine, showInquiryBatch, type InquiryOnFile } from './inquiry-batch-outcome';
import type { InquiryKind, InquiryTerms, StandingWork } from './inquiry-kinds';
import { exitCodes, print, printJson, tell } from './cli/terminal';
import { refuseUnwritable } from './cli/unwritable-folder';
import {
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from './jobs/context';

export interface InquiryBatchFlags {
  file: string;
  column?: string;
  sheet?: string;
  concurrency: number;
  deadline: number;
  dryRun?: true;
  by?: string;
  out?: string;
  html?: true;
  excel?: true;
  detach?: true;
  json?: true;
}

export function fileOption(what: string): Option {
  return new Option('--file <file>', `CSV or .xlsx with a column of ${what}, a line each`);
}

/** A file read to its end: nothing is written or sent before this has succeeded. */
interface PlannedFile {
  kind: InquiryKind;
  terms: InquiryTerms;
  flags: InquiryBatchFlags;
  counts: PlanCounts;
  /** What makes two batches the same one: the lines, and what is asked for. */
  manifest: string;
}

/** `trace search --file`, `profile lookup --file`: a work for each different thing of the file. */
export async function runInquiryBatch(
  kind: InquiryKind,
  terms: InquiryTerms,
  flags: InquiryBatchFlags,
): Promise<number> {
  const plan = await planFile(kind, terms, flags);
  const place = await openContext(tell, flags.by);
  if (flags.dryRun === true) return showDryRun(place, plan);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const { counts } = plan;
  tell(
    `${counts.lines} lines: ${counts.items} different ${kind.things}, ${counts.duplicates} duplicates, ${counts.invalid} invalid, ${counts.unsupported} unsupported, ${counts.blank} blank`,
  );
  const batch = await openBatch(place, plan);
  if (batch.end === null) {
    const isLeft = await withEngine(place, (engine) => run(place, engine, batch, plan));
    if (isLeft) return exitCodes.done;
  }
  const end = await new LookupBatchRepository(place.store).outcome(batch.folder);
  return showInquiryBatch(place, { ...batch, end }, flags);
}

/** @throws SheetError */
async function planFile(
  kind: InquiryKind,
  terms: InquiryTerms,
  flags: InquiryBatchFlags,
): Promise<PlannedFile> {
  const hash = createHash('sha256');
  const lines = openPlan(kind, flags, tell);
  for await (const row of lines) hash.update(`${JSON.stringify(row)}\n`);
  const { label, strategy, retryRural } = terms;
  const manifest = JSON.stringify([kind.kind, hash.digest('hex'), label, strategy, retryRural]);
  return { kind, terms, flags, counts: { ...lines.counts }, manifest };
}

function openPlan(
  kind: InquiryKind,
  { file, column, sheet }: InquiryBatchFlags,
  onSheetChosen?: (notice: string) => void,
) {
  const rows = readSheet(file, {
    holds: kind.holds,
    ...(column !== undefined && { column }),
    ...(sheet !== undefined && { sheet }),
    ...(onSheetChosen !== undefined && { onSheetChosen }),
  });
  return planThings(rows, (row) => kind.read(row));
}

/** The batch of this file that has not ended, or that leaves nothing to ask; else a new one. */
async function openBatch(place: CommandContext, plan: PlannedFile): Promise<InquiryOnFile> {
  const shelf = new LookupBatchRepository(place.store);
  const name = place.idKey.nameOf('manifest', plan.manifest);
  const workflowId = inquiryBatchWorkflowId(plan.kind.kind, name);
  const newest = await shelf.newest(workflowId);
  const end = newest === null ? null : await shelf.outcome(newest.folder);
  if (newest !== null && (end === null || !(await isAnyOpen(place, plan)))) {
    if (end !== null) tell(`this batch ended ${end.endedAt}: its results are shown`);
    return { ...newest, end };
  }
  return fileBatch(place, plan, { name, workflowId });
}

async function isAnyOpen(
  place: CommandContext,
  { kind, terms, flags }: PlannedFile,
): Promise<boolean> {
  for await (const row of openPlan(kind, flags)) {
    if (row.kind !== 'item') continue;
    const standing = await kind.standing(place, row.document, terms);
    if (standing?.ended !== true) return true;
  }
  return false;
}

/** Puts the manifest and the works on file, the record last: the batch can be started then. */
async function fileBatch(
  place: CommandContext,
  { kind, terms, flags, counts }: PlannedFile,
  { name, workflowId }: { name: string; workflowId: string },
): Promise<InquiryOnFile> {
  const { store, environment, idKey } = place;
  const shelf = new LookupBatchRepository(store);
  const createdAt = new Date().toISOString();
  const batchId = `${workflowId}/${createdAt.replace(/[-:.]/g, '')}`;
  const folder = inquiryBatchFolder(batchId);
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const held = [basename(flags.file), terms.label ?? ''].flatMap(documentsIn);
  await indexDocuments(store, folder, nameOf, held);
  const writer = store.rows.writer(folder, nameOf);
  const works: InquiryWork[] = [];
  for await (const row of openPlan(kind, flags)) {
    await writer.add(row);
    if (row.kind === 'item') works.push(await workOf(place, kind, terms, row.document));
  }
  await writer.end();
  const asked = drivenWorks(works).length;
  const { label, strategy, retryRural } = terms;
  const record: InquiryBatchRecord = {
    kind: kind.kind,
    batchId,
    name,
    label,
    strategy,
    retryRural,
    inputName: basename(flags.file),
    ...(await storeFile(store, flags.file)),
    lines: counts.lines,
    blankLines: counts.blank,
    items: counts.items,
    linesAtFault: counts.invalid + counts.unsupported,
    works: asked,
    parts: partsOfBatch(asked),
    createdAt,
    createdBy: environment.actor,
  };
  await shelf.put(folder, record, works, label && nameOf(label));
  await place.audit.appendAndAnchor([
    {
      kind: 'decision',
      id: `decision/${batchId}/start`,
      result: 'start',
      by: record.createdBy,
      happenedAt: createdAt,
      work: batchId,
      details: { items: counts.items, works: asked },
    },
  ]);
  return { folder, record, end: null };
}

async function workOf(
  place: CommandContext,
  kind: InquiryKind,
  terms: InquiryTerms,
  thing: string,
): Promise<InquiryWork> {
  const standing = await kind.standing(place, thing, terms);
  if (standing !== null) return { workId: standing.workId, before: standing.ended };
  return { workId: await kind.put(place, thing, terms), before: false };
}

/** @returns true when it was started and left alone */
async function run(
  place: CommandContext,
  engine: EngineClient,
  { folder, record }: InquiryOnFile,
  { kind, flags }: PlannedFile,
): Promise<boolean> {
  await refuseMissingSearchAttributes(engine);
  const { batchId, items, linesAtFault, name, works, parts, retryRural } = record;
  const { queueSuffix } = place;
  const workflowId = inquiryBatchWorkflowId(kind.kind, name);
  if (await isRunning(engine, workflowId)) {
    tell('it runs already: --concurrency and --deadline are those that it was started with');
  } else {
    const all = await new LookupBatchRepository(place.store).members(folder);
    await inParallel(all ?? [], 50, ({ workId }) =>
      place.store.jobs.release(inquiryFolder(workId)),
    );
  }
  await engine.client.workflow.start<typeof inquiryBatch>('inquiryBatch', {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      {
        kind: kind.kind,
        batchId,
        folder,
        linesAtFault,
        works,
        parts,
        part: 0,
        carried: { underWay: [], counts: {}, paused: false },
        concurrency: flags.concurrency,
        deadlineMs: flags.deadline,
        retryRural,
        queueSuffix,
      },
    ],
    typedSearchAttributes: attributesAtStart(kind.kind, batchId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  const before = items - works;
  const noun = kind.noun[works === 1 ? 0 : 1];
  tell(`${batchId}: ${works} ${noun}${before > 0 ? `; ${before} had ended before` : ''}`);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id: batchId, status: 'started' });
    else print(batchId);
    return true;
  }
  await warnWithoutPollers(engine, place, 'investigation');
  await followByLines(place, engine, workflowId, (current) =>
    inquiryBatchLine(current, workflowId),
  );
  return false;
}

/** What works would be asked for, and what stands. */
interface Foreseen {
  request: number;
  reuse: number;
  underWay: number;
}

interface LineProblem {
  line: number;
  status: string;
  code: string;
  message: string;
}

const nothingForeseen: Foreseen = { request: 0, reuse: 0, underWay: 0 };

function wordOf(standing: StandingWork | null): keyof Foreseen {
  if (standing === null) return 'request';
  return standing.ended ? 'reuse' : 'underWay';
}

/** What a command about one thing would do, without doing it. */
export function showDryRunOfOne(standing: StandingWork | null, isJson: boolean): number {
  return tellForeseen({ ...nothingForeseen, [wordOf(standing)]: 1 }, [], isJson);
}

/** What a batch would do, without doing it. */
async function showDryRun(
  place: CommandContext,
  { kind, terms, flags }: PlannedFile,
): Promise<number> {
  const found = { ...nothingForeseen };
  const problems: LineProblem[] = [];
  for await (const row of openPlan(kind, flags)) {
    if ('code' in row) {
      const { line, code, message, kind: status } = row;
      problems.push({ line, status, code, message });
    }
    if (row.kind !== 'item') continue;
    found[wordOf(await kind.standing(place, row.document, terms))] += 1;
  }
  return tellForeseen(found, problems, flags.json === true);
}

function tellForeseen(found: Foreseen, problems: LineProblem[], isJson: boolean): number {
  if (isJson) {
    printJson({ dryRun: true, ...found, problems });
    return exitCodes.done;
  }
  print(`would ask for ${found.request}, show ${found.reuse} that are on file`);
  if (found.underWay > 0) print(`${found.underWay} are under way and would be gone on with`);
  for (const { line, status, code, message } of problems.slice(0, 50)) {
    print(`  line ${line}: ${status} (${code}): ${message}`);
  }
  if (problems.length > 50) print(`  and ${problems.length - 50} more`);
  print('nothing was sent');
  return exitCodes.done;
}
