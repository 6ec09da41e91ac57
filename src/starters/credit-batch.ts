import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { Command } from 'commander';
import { AnalysisFile } from '../archive/analyses';
import { analysisWorkflowId, type AnalysisRecord } from '../domain/credit/work';
import { queueName } from '../domain/queues';
import { InputFileError } from '../receivables/input-file-error';
import type { EngineClient } from '../temporal/connection';
import { refuseMissingSearchAttributes } from '../temporal/search-attributes';
import type { creditBatch } from '../workflows/credit-batch';
import { attributesAtStart } from '../workflows/search-attributes';
import { deadlineOption, withActor } from './certificate-flags';
import { standingOf } from './credit-analyze';
import { engineIdOf, fileRecord, preparedInput, type PreparedInput } from './credit-input';
import { analysisExitCode, writeOutcome, type AnalysisOnFile } from './credit-outcome';
import { followCreditBatch } from './follow';
import { UsageError, exitCodes, print, printJson, tell, wholeNumber } from './terminal';
import { openWorkplace, warnWithoutPollers, withEngine, type Workplace } from './workplace';

interface BatchFlags {
  dir: string;
  engine?: string;
  concurrency: number;
  deadline: number;
  by?: string;
  out: string;
  json?: true;
}

/** One file of the folder, and what is to become of it. */
interface Planned {
  file: string;
  /** Null: it is not sent, and `refused` says why. */
  analysis: AnalysisOnFile | null;
  refused: string | null;
  /** Ended before this batch: nothing is bought. */
  isOld: boolean;
}

/** History of a batch grows by a dozen events a file. */
const mostFiles = 1_000;

/** `diligence credit batch`. */
export function creditBatchCommand(): Command {
  return withActor(new Command('batch'))
    .description('Have every CNAB file (.rem) of a folder analysed, X.rem with X.zip beside it.')
    .requiredOption('--dir <folder>', 'the folder')
    .option('--engine <id|name>', 'the rule engine (default: the service chooses)')
    .option('--concurrency <n>', 'analyses in flight at once', wholeNumber(1, 50), 4)
    .option('--out <folder>', 'result folder, one folder a file in it', 'out/credit-batch')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption())
    .addHelpText('after', '\nRun again, it goes on: what has ended is not bought again.')
    .action(async (flags: BatchFlags) => {
      process.exitCode = await batch(flags);
    });
}

async function batch(flags: BatchFlags): Promise<number> {
  const names = await readdir(flags.dir);
  const files = names.filter((name) => extname(name).toLowerCase() === '.rem').sort();
  if (files.length === 0) throw new UsageError(`${flags.dir}: holds no .rem file`);
  if (files.length > mostFiles) {
    throw new UsageError(`${flags.dir}: ${files.length} files, at most ${mostFiles} in a batch`);
  }
  const engineId = flags.engine === undefined ? null : await engineIdOf(flags.engine);
  const place = await openWorkplace(flags.by);
  const planned: Planned[] = [];
  const known = new Set<string>();
  for (const file of files) {
    const one = await plan(place, file, { flags, names, engineId });
    const { workId } = one.analysis?.record ?? { workId: null };
    const isTwin = workId !== null && known.has(workId);
    planned.push(isTwin ? { ...one, isOld: true } : one);
    if (workId !== null) known.add(workId);
  }
  const open = planned.filter(({ analysis, isOld }) => analysis !== null && !isOld);
  if (open.length > 0) await withEngine(place, (engine) => run(place, engine, open, flags));
  return show(place, planned, flags);
}

/** Scans a file and files it, unless the same was filed before. */
async function plan(
  place: Workplace,
  file: string,
  {
    flags,
    names,
    engineId,
  }: { flags: BatchFlags; names: readonly string[]; engineId: string | null },
): Promise<Planned> {
  const stem = basename(file, extname(file));
  const zip = names.find((name) => name.toLowerCase() === `${stem.toLowerCase()}.zip`);
  const cnab = join(flags.dir, file);
  const xmls = zip === undefined ? {} : { xmls: join(flags.dir, zip) };
  let input: PreparedInput;
  try {
    input = await preparedInput(place, { cnab, ...xmls }, engineId);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InputFileError)) throw error;
    return { file, analysis: null, refused: error.message, isOld: true };
  }
  const standing = await standingOf(place, input.name);
  if (standing.kind !== 'new') {
    const { analysis } = standing;
    return { file, analysis, refused: null, isOld: standing.kind === 'ended' };
  }
  const record = await fileRecord(place, input, {
    engine: flags.engine ?? null,
    filter: 'all',
    forced: null,
  });
  return { file, analysis: record, refused: null, isOld: false };
}

async function run(
  place: Workplace,
  engine: EngineClient,
  open: readonly Planned[],
  { concurrency, deadline }: BatchFlags,
): Promise<void> {
  await refuseMissingSearchAttributes(engine);
  const analyses = open
    .map(({ analysis }) => analysis)
    .filter((analysis) => analysis !== null)
    .map(({ folder, record }) => ({
      workflowId: analysisWorkflowId(record.name),
      ref: { workId: record.workId, folder },
    }));
  const ids = analyses.map(({ ref }) => ref.workId).join('\n');
  const batchId = `credit-batch/${place.idKey.nameOf('manifest', `credit-batch\n${ids}`)}`;
  await engine.client.workflow.start<typeof creditBatch>('creditBatch', {
    workflowId: batchId,
    taskQueue: queueName('workflows', place.queueSuffix),
    args: [
      { batchId, analyses, concurrency, deadlineMs: deadline, queueSuffix: place.queueSuffix },
    ],
    typedSearchAttributes: attributesAtStart('credit-batch', batchId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  tell(`${batchId}: ${analyses.length} file(s) to analyse`);
  await warnWithoutPollers(engine, place, 'credit');
  await followCreditBatch(place, engine, batchId);
}

/** One line a file, and its folder. */
async function show(
  place: Workplace,
  planned: readonly Planned[],
  { out, json }: BatchFlags,
): Promise<number> {
  const analyses = new AnalysisFile(place.archive);
  const lines = [];
  let exitCode: number = exitCodes.done;
  for (const { file, analysis, refused, isOld } of planned) {
    const outcome = analysis === null ? null : await analyses.outcome(analysis.folder);
    const status = refused !== null ? 'not sent' : (outcome?.status ?? 'running');
    const isDone = outcome !== null && analysisExitCode(outcome) === exitCodes.done;
    if (!isDone) exitCode = exitCodes.needsAPerson;
    const record: AnalysisRecord | undefined = analysis?.record;
    const folder =
      record === undefined || outcome === null
        ? null
        : await writeOutcome(place, record, outcome, join(out, basename(file, extname(file))));
    const id = record?.workId ?? null;
    lines.push({ file, status, id, folder, before: isOld && outcome !== null, note: refused });
  }
  if (json === true) printJson({ exitCode, files: lines });
  else {
    for (const { file, status, id, note } of lines) {
      print([file, status, id ?? '-', note ?? ''].join('  ').trimEnd());
    }
  }
  return exitCode;
}
