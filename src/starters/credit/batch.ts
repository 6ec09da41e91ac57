import { readdir } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { CreditBatchRepository } from '../../store/credit/credit-batches';
import {
  creditBatchFolder,
  creditBatchWorkflowId,
  type CreditBatchFile,
} from '../../domain/credit/batch';
import { drivenWorks, partsOfBatch } from '../../domain/core/batch';
import { resultFilters, type ResultFilter } from '../../domain/credit/operation';
import { queueName } from '../../domain/core/queues';
import { InputFileError } from '../../receivables/input-file-error';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { creditBatch } from '../../workflows/credit/credit-batch';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { deadlineOption, defaultFolder, withActor, withDetach } from '../cli/flags';
import { standingOf } from './analyze';
import { showBatchFiles, type CreditBatchOnFile } from './batch-outcome';
import { mayBeSent } from './check';
import { engineIdOf } from './named-engine';
import { fileRecord, forEngine, instantOf, preparedInput, type PreparedInput } from './input';
import { followCreditBatch } from '../cli/follow';
import { UsageError } from '../jobs/errors';
import { exitCodes, oneOf, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { refuseUnwritable } from '../cli/unwritable-folder';
import {
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

interface BatchFlags {
  dir: string;
  engine?: string;
  filter: ResultFilter;
  force?: string;
  concurrency: number;
  deadline: number;
  by?: string;
  out?: string;
  detach?: true;
  json?: true;
}

/** A file of the folder, scanned. */
interface ScannedFile {
  file: string;
  input: PreparedInput | null;
  /** Why it is not sent. */
  refused: string | null;
}

/** More would make one listing too long to hold. */
const mostFiles = 20_000;

/** `diligence credit batch`. */
export function creditBatchCommand(): Command {
  return withDetach(withActor(new Command('batch')))
    .description('Have every CNAB file (.rem) of a folder analysed, X.rem with X.zip beside it.')
    .requiredOption('--dir <folder>', 'the folder')
    .option('--engine <id|name>', 'the rule engine (default: the service chooses)')
    .option(
      '--filter <filter>',
      'what each result.json holds: issues or all',
      oneOf(resultFilters),
      'all',
    )
    .option('--force <reason>', 'send also what the local scan refuses; the reason is kept')
    .option('--concurrency <n>', 'analyses in flight at once', wholeNumber(1, 50), 4)
    .option('--out <folder>', 'result folder, one folder a file in it (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption())
    .addHelpText('after', '\nRun again, it goes on: what has ended is not bought again.')
    .action(async (flags: BatchFlags) => {
      process.exitCode = await batch(flags);
    });
}

async function batch(flags: BatchFlags): Promise<number> {
  if (flags.force?.trim() === '') throw new UsageError('--force: expected a reason');
  const place = await openContext(tell, flags.by);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const scanned = await scanFolder(place, flags);
  const out = flags.out ?? folderWithoutBatch(place, flags);
  if (scanned.every(({ input }) => input === null)) {
    const files = scanned.map((one) => lineOf(one, { workId: null, before: false, sameAs: null }));
    await showBatchFiles(place, { id: null, files, end: null }, { ...flags, out });
    throw new UsageError(`${flags.dir}: every file is refused by the local scan, nothing was sent`);
  }
  const engineId = flags.engine === undefined ? null : await engineIdOf(place, flags.engine);
  const named = scanned.map(({ input, ...rest }) => ({
    ...rest,
    input: input && forEngine(place, input, engineId),
  }));
  const found = await openBatch(place, named, flags);
  const { id, work } = found;
  if (work !== null) {
    const isLeft = await withEngine(place, (engine) => run(place, engine, work, flags));
    if (isLeft) return exitCodes.done;
  }
  const end =
    work === null ? null : await new CreditBatchRepository(place.store).outcome(work.folder);
  return showBatchFiles(
    place,
    { id, files: found.files, end },
    { ...flags, out: flags.out ?? (id === null ? out : defaultFolder(id)) },
  );
}

/** Of a folder of which nothing was sent as a batch: the same each time. */
function folderWithoutBatch({ idKey }: CommandContext, { dir }: BatchFlags): string {
  return defaultFolder(`credit-batch/${idKey.nameOf('manifest', `folder\n${resolve(dir)}`)}`);
}

async function scanFolder(
  place: CommandContext,
  { dir, force }: BatchFlags,
): Promise<ScannedFile[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--dir: ${dir} cannot be read (${error.code ?? error.name})`);
  });
  const files = names.filter((name) => extname(name).toLowerCase() === '.rem').sort();
  if (files.length === 0) throw new UsageError(`${dir}: holds no .rem file`);
  if (files.length > mostFiles) {
    throw new UsageError(
      `${dir}: ${files.length} files, at most ${mostFiles} in a batch; nothing was sent`,
    );
  }
  const scanned: ScannedFile[] = [];
  for (const file of files) {
    const stem = basename(file, extname(file)).toLowerCase();
    const zip = names.find((name) => name.toLowerCase() === `${stem}.zip`);
    const paths = {
      cnab: join(dir, file),
      ...(zip !== undefined && { xmls: join(dir, zip) }),
      ...(force !== undefined && { force }),
    };
    try {
      const input = await preparedInput(place, paths, null, 'briefly');
      scanned.push({ file, input, refused: null });
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof InputFileError)) throw error;
      tell(error.message);
      scanned.push({ file, input: null, refused: error.message });
    }
  }
  for (const file of zipsAlone(names)) {
    tell(`${file}: ${noFileOfIt}; not sent`);
    scanned.push({ file, input: null, refused: noFileOfIt });
  }
  return scanned;
}

const noFileOfIt = 'no .rem of this name';

/** Invoices that nothing is sent with. */
function zipsAlone(names: readonly string[]): string[] {
  const stemOf = (name: string): string => basename(name, extname(name)).toLowerCase();
  const endsIn = (name: string, ending: string): boolean => extname(name).toLowerCase() === ending;
  const stems = new Set(names.filter((name) => endsIn(name, '.rem')).map(stemOf));
  return names.filter((name) => endsIn(name, '.zip') && !stems.has(stemOf(name))).sort();
}

interface FoundBatch {
  id: string | null;
  files: CreditBatchFile[];
  /** What is to be started or followed; null when nothing is left to do. */
  work: CreditBatchOnFile | null;
}

/** The batch of these files that has not ended, else a new one over what is not bought yet. */
async function openBatch(
  place: CommandContext,
  scanned: readonly ScannedFile[],
  flags: BatchFlags,
): Promise<FoundBatch> {
  const shelf = new CreditBatchRepository(place.store);
  const things = scanned.flatMap(({ file, input }) => (input === null ? [] : [file, input.name]));
  const name = place.idKey.nameOf('manifest', ['credit-batch', ...things].join('\n'));
  const newest = await shelf.newest(name);
  if (newest !== null && (await shelf.outcome(newest.folder)) === null) {
    const files = (await shelf.members(newest.folder)) ?? [];
    return { id: newest.record.batchId, files, work: { ...newest, end: null } };
  }
  const files = await planFiles(place, scanned, flags);
  const analyses = drivenWorks(files).length;
  if (analyses === 0) return { id: newest?.record.batchId ?? null, files, work: null };
  const now = new Date();
  const batchId = `${creditBatchWorkflowId(name)}/${instantOf(now)}`;
  const folder = creditBatchFolder(batchId);
  const record = {
    batchId,
    name,
    directory: flags.dir,
    files: files.length,
    notSent: files.filter(({ refused }) => refused !== null).length,
    analyses,
    parts: partsOfBatch(analyses),
    createdAt: now.toISOString(),
    createdBy: place.environment.actor,
  };
  await shelf.put(folder, record, files);
  await place.audit.appendAndAnchor([
    {
      kind: 'decision',
      id: `decision/${batchId}/start`,
      result: 'start',
      by: record.createdBy,
      happenedAt: record.createdAt,
      work: batchId,
      details: { files: files.length, analyses },
    },
  ]);
  return { id: batchId, files, work: { folder, record, end: null } };
}

/** Puts on file what is asked for anew, and finds what was before. */
async function planFiles(
  place: CommandContext,
  scanned: readonly ScannedFile[],
  { engine, filter, force }: BatchFlags,
): Promise<CreditBatchFile[]> {
  const files: CreditBatchFile[] = [];
  const known = new Map<string, CreditBatchFile>();
  for (const one of scanned) {
    const { file, input } = one;
    const twin = input === null ? undefined : known.get(input.name);
    if (input === null || twin !== undefined) {
      const { workId = null, before = false, file: sameAs = null } = twin ?? {};
      files.push(lineOf(one, { workId, before, sameAs }));
      continue;
    }
    const standing = await standingOf(place, input.name);
    const forced = mayBeSent(input.checked.worst) ? null : (force ?? null);
    const { record } =
      standing.kind === 'new'
        ? await fileRecord(place, input, { engine: engine ?? null, filter, forced })
        : standing.analysis;
    const { workId } = record;
    const before = standing.kind === 'ended';
    const line = lineOf({ file, refused: null }, { workId, before, sameAs: null });
    known.set(input.name, line);
    files.push(line);
  }
  return files;
}

function lineOf(
  { file, refused }: Pick<ScannedFile, 'file' | 'refused'>,
  rest: Omit<CreditBatchFile, 'file' | 'refused'>,
): CreditBatchFile {
  return { file, refused, ...rest };
}

/** @returns true when it was started and left alone */
async function run(
  place: CommandContext,
  engine: EngineClient,
  { folder, record }: CreditBatchOnFile,
  { concurrency, deadline, detach, json }: BatchFlags,
): Promise<boolean> {
  await refuseMissingSearchAttributes(engine);
  const { batchId, name, notSent, analyses, parts } = record;
  const { queueSuffix } = place;
  const workflowId = creditBatchWorkflowId(name);
  const runsAlready = await isRunning(engine, workflowId);
  await engine.client.workflow.start<typeof creditBatch>('creditBatch', {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      {
        batchId,
        folder,
        analyses,
        notSent,
        parts,
        concurrency,
        queueSuffix,
        part: 0,
        carried: { underWay: [], counts: {}, paused: false },
        deadlineMs: deadline,
      },
    ],
    typedSearchAttributes: attributesAtStart('credit-batch', batchId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  tell(`${batchId}: ${analyses} ${analyses === 1 ? 'file' : 'files'} to analyse`);
  if (runsAlready) {
    tell('it runs already: --concurrency and --deadline are those that it was started with');
  }
  if (detach === true) {
    if (json === true) printJson({ id: batchId, status: 'started' });
    else print(batchId);
    return true;
  }
  await warnWithoutPollers(engine, place, 'credit');
  await followCreditBatch(place, engine, workflowId);
  return false;
}
