import { Command } from 'commander';
import { indexDocuments } from '../../store/core/subject-index';
import { documentsIn } from '../../domain/core/held-documents';
import { LensRepository, lensIndexes } from '../../store/lens/lens';
import { startEntry } from '../../domain/audit-entries';
import {
  lensFolder,
  lensManifest,
  lensStandsForGood,
  lensWorkflowId,
  type LensOutcome,
  type LensRecord,
} from '../../domain/lens/analyze';
import { lensModes, type LensMode } from '../../domain/lens/lens-analysis';
import { queueName } from '../../domain/core/queues';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { analyzeLens } from '../../workflows/lens/analyze-lens';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { deadlineOption, withActor, withDetach } from '../cli/flags';
import { followByLines } from '../cli/follow';
import { jobLine } from '../cli/job-line';
import { fileInput, readInput, type ReadInput } from './input';
import { analyses, showLens, type LensOnFile, type LensOutput } from './outcome';
import { recordAtWork, workOfOutcome } from '../cli/single-work';
import { exitCodes, oneOf, print, printJson, tell } from '../cli/terminal';
import { refuseUnwritable } from '../cli/unwritable-folder';
import {
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

interface AnalyzeFlags extends LensOutput {
  file: string;
  mode?: LensMode;
  label?: string;
  deadline: number;
  by?: string;
  detach?: true;
}

/** `diligence lens`. */
export function lensCommand(): Command {
  const command = new Command('lens').description(
    'Analyses of a picture: its place, or its faces.',
  );
  command.addCommand(analyzeCommand());
  return command;
}

function analyzeCommand(): Command {
  return withDetach(withActor(new Command('analyze')))
    .description('Have one file analysed; asked for again, it is the same analysis.')
    .requiredOption('--file <path>', 'the file to hand in')
    .option(
      '--mode <mode>',
      `${lensModes.join(' or ')} (default: the service chooses)`,
      oneOf(lensModes),
    )
    .option('--label <text>', 'makes this another analysis than the same without it')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption())
    .action(async (flags: AnalyzeFlags) => {
      process.exitCode = await analyze(flags);
    });
}

async function analyze(flags: AnalyzeFlags): Promise<number> {
  const place = await openContext(tell, flags.by);
  const input = await readInput(flags.file, place.environment.lens.maxFileBytes);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const { mode = null, label = null } = flags;
  const name = place.idKey.nameOf('manifest', lensManifest(input.sha256, mode, label));
  const standing = await standingLens(place, name);
  if (standing !== null && standing.outcome !== null) {
    tell(
      `${standing.record.workId}: ended ${standing.outcome.settledAt}, and is shown as it stands; \`--label\` makes another analysis`,
    );
    return showLens(place, standing, flags);
  }
  // What is gone on with may have lost its copy.
  if (standing !== null) await fileInput(place, flags.file, input);
  const record =
    standing?.record ?? (await fileLens(place, { name, input, mode, label }, flags.file));
  return withEngine(place, (engine) => follow(place, engine, record, flags));
}

/** The newest work of the same ask, unless asking again could bring something else. */
async function standingLens({ store }: CommandContext, name: string): Promise<LensOnFile | null> {
  const file = new LensRepository(store);
  const [newest] = await file.all(name);
  if (newest === undefined) return null;
  const outcome = await file.outcome(newest.folder);
  const { expired } = await file.current(name);
  const stands = outcome === null || lensStandsForGood(outcome, expired);
  return stands ? { ...newest, outcome } : null;
}

interface LensAsk {
  name: string;
  input: ReadInput;
  mode: LensMode | null;
  label: string | null;
}

/** Puts the bytes on file, then, there and on the audit trail, what is asked for. */
async function fileLens(
  place: CommandContext,
  { name, input, mode, label }: LensAsk,
  path: string,
): Promise<LensRecord> {
  const { store, audit, environment, idKey } = place;
  const file = await fileInput(place, path, input);
  const now = new Date();
  const workId = `${lensWorkflowId(name)}/${now.toISOString().replace(/[-:.]/g, '')}`;
  const folder = lensFolder(workId);
  const by = environment.actor;
  const createdAt = now.toISOString();
  const record: LensRecord = { workId, name, file, mode, label, createdAt, createdBy: by };
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const held = documentsIn(`${file.fileName} ${label ?? ''}`);
  await indexDocuments(store, lensIndexes(folder).asked, nameOf, held);
  await new LensRepository(store).putRecord(folder, record, label && nameOf(label));
  const terms = { items: 1, onUnknown: 'report', fresh: false };
  await audit.appendAndAnchor([startEntry({ workId, by }, terms, now.getTime())]);
  return record;
}

/** Starts it unless it runs, and shows how it ends. */
async function follow(
  place: CommandContext,
  engine: EngineClient,
  record: LensRecord,
  flags: AnalyzeFlags,
): Promise<number> {
  await refuseMissingSearchAttributes(engine);
  const { file, name, workId } = record;
  const workflowId = lensWorkflowId(name);
  const folder = lensFolder(workId);
  const { queueSuffix } = place;
  if (await isRunning(engine, workflowId)) tell(`${workId}: is being analysed already`);
  else await place.store.jobs.release(folder);
  const handle = await engine.client.workflow.start<typeof analyzeLens>('analyzeLens', {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      {
        ref: { workId, folder },
        attempt: (await new LensRepository(place.store).current(name)).attempt,
        deadlineAt: Date.now() + flags.deadline,
        interactive: true,
        queueSuffix,
      },
    ],
    typedSearchAttributes: attributesAtStart('lens', workId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: 1 },
  });
  const atWork = await recordAtWork(place, analyses, handle, { folder, record });
  const { workId: id } = atWork.record;
  tell(`${id}: analysis of ${file.bytes} bytes (${file.mediaType})`);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id, status: 'started' });
    else print(id);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, place, 'investigation');
  const outcome = await followByLines<LensOutcome>(place, engine, workflowId, (current) =>
    jobLine(current, workflowId),
  );
  return showLens(place, await workOfOutcome(place, analyses, atWork, outcome), flags);
}
