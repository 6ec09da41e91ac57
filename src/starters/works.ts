import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { orderEntry } from '../domain/audit-entries';
import type { StopWord } from '../domain/job';
import type { EngineClient } from '../temporal/connection';
import { cancelUpdate, controlSignal, pauseUpdate, resumeUpdate } from '../workflows/messages';
import { showBatch, showSingle } from './certificates/outcome';
import { outputOf, withActor, withOutput, type OutputFlags } from './cli/flags';
import {
  analysisOf,
  isAnalysisId,
  orderAnalysis,
  showAnalysis,
  showAnalysisStatus,
} from './credit/outcome';
import { listCommand } from './list-jobs';
import { CommandError, UsageError } from './jobs/errors';
import { namedOnce, print, printJson, tell } from './cli/terminal';
import { familyOf } from './work-families';
import { refuseCertificateFlags, type OrderOptions } from './cli/work-family';
import { wayOn } from './cli/work-state';
import { statusLines, viewOne, viewWith, workDocument, type WorkView } from './cli/work-views';
import {
  decisionsOn,
  engineIdOf,
  findWork,
  jobFolderOf,
  laneId,
  mostLanes,
  summaryOf,
  workIdOf,
  type WorkOnFile,
} from './cli/works-on-file';
import { isNotFound, openContext, withEngine, type CommandContext } from './jobs/context';

/** `list`, `status`, `result`, `cancel`, `pause`, `resume`: works, whatever their kind. */
export function workCommands(): Command[] {
  return [
    listCommand(),
    idCommand('status', 'Show how a work stands.')
      .option('--json', 'one JSON document on standard output')
      .action(async (id: string | undefined, flags: { id?: string; json?: true }) => {
        await showStatus(idOf(id, flags), flags.json === true);
      }),
    withOutput(idCommand('result', 'Write the result folder of a work that has ended.')).action(
      async (id: string | undefined, flags: ResultFlags) => {
        process.exitCode = await showResult(idOf(id, flags), flags);
      },
    ),
    withActor(idCommand('cancel', 'Stop requesting; what is outstanding is still brought home.'))
      .option('--now', 'leave what is outstanding at the service, with its ids on file')
      .option('--cancel-remote', 'of a dossier: cancel it at the service too')
      .action(async (id: string | undefined, flags: OrderFlags & { now?: true }) => {
        const now = flags.now === true;
        await order(id, flags, {
          name: now ? 'cancel_now' : 'cancel',
          stops: 'cancelled',
          give: (handle) => handle.executeUpdate(cancelUpdate, { args: [{ now }] }),
          whenNotRunning: (engine, work) => cancelLanes(engine, work, now ? 'now' : 'wait'),
        });
      }),
    withActor(idCommand('pause', 'Request nothing new until `resume`.')).action(
      async (id: string | undefined, flags: OrderFlags) => {
        await order(id, flags, {
          name: 'pause',
          stops: 'paused',
          give: (handle) => handle.executeUpdate(pauseUpdate),
        });
      },
    ),
    withActor(
      idCommand('resume', 'Go on after `pause`, or after requests were turned away.'),
    ).action(async (id: string | undefined, flags: OrderFlags) => {
      await order(id, flags, {
        name: 'resume',
        give: (handle) => handle.executeUpdate(resumeUpdate),
      });
    }),
  ];
}

type ResultFlags = OutputFlags & { id?: string };
type OrderFlags = OrderOptions & { id?: string; by?: string };

/** What a person asks of a work that runs. */
interface Order {
  name: Parameters<typeof orderEntry>[0];
  /** What no claim commits after; default: none, it goes on. */
  stops?: StopWord;
  give: (handle: ReturnType<EngineClient['client']['workflow']['getHandle']>) => Promise<string>;
  whenNotRunning?: (engine: EngineClient, work: WorkOnFile) => Promise<string | null>;
}

function idCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('[id]', 'the id that the command printed when it started the work')
    .option('--id <id>', 'the same, by name');
}

function idOf(positional: string | undefined, flags: { id?: string }): string {
  const id = namedOnce(positional, flags.id, { flagName: '--id', what: 'works' });
  if (id === undefined)
    throw new UsageError('which work? give its id (`diligence list` shows them)');
  return id;
}

async function showStatus(id: string, json: boolean): Promise<void> {
  const place = await openContext(tell);
  if (isAnalysisId(id)) {
    await showAnalysisStatus(place, await analysisOf(place, id), json);
    return;
  }
  const family = familyOf(id);
  if (family !== undefined) {
    await family.status(place, id, json);
    return;
  }
  const work = await onFile(place, id);
  const view = await viewOne(place, work);
  const decisions = work.decision === null ? await openDecisions(place, work) : [];
  if (json) {
    printJson({ ...workDocument(view), decisions: decisions.map(workDocument) });
    return;
  }
  for (const shown of [view, ...decisions]) for (const line of statusLines(shown)) print(line);
}

/** Decisions that have not ended: what the work's own counts do not tell yet. */
async function openDecisions(place: CommandContext, work: WorkOnFile): Promise<WorkView[]> {
  const decisions = await decisionsOn(place, work);
  const open: WorkView[] = [];
  const latest = await place.works.latest(work.folder);
  for (const decision of decisions) {
    // One that was lost before a later one ended was given again.
    if ((decision.decision?.number ?? 0) <= (latest?.edition ?? 0)) continue;
    const view = await viewOne(place, decision);
    if (view.state !== 'ended') open.push(view);
  }
  return open;
}

async function showResult(id: string, flags: ResultFlags): Promise<number> {
  const place = await openContext(tell);
  if (isAnalysisId(id)) refuseCertificateFlags(id, flags);
  if (isAnalysisId(id)) return showAnalysis(place, await analysisOf(place, id), flags);
  const family = familyOf(id);
  if (family !== undefined) {
    refuseCertificateFlags(id, flags, family.takesExcel);
    return family.result(place, id, flags);
  }
  const work = await onFile(place, id);
  const { folder, record } = work;
  const ended = (await summaryOf(place, work)) !== null;
  const summary = ended ? await place.works.summary(folder) : null;
  if (summary === null) {
    throw new CommandError(`${id} has not ended: \`diligence status ${id}\` shows how it stands`);
  }
  const [pending] = await openDecisions(place, work);
  if (pending !== undefined) {
    tell(`${pending.id} (${pending.state}) has not ended: the counts are those before it`);
  }
  const output = outputOf(flags, record.workId);
  return record.kind === 'certificate'
    ? showSingle(place, summary, output)
    : showBatch(place, summary, output);
}

async function order(
  given: string | undefined,
  flags: OrderFlags,
  { name, stops, give, whenNotRunning }: Order,
): Promise<void> {
  const id = idOf(given, flags);
  if (flags.cancelRemote === true && familyOf(id)?.ordersTheService !== true) {
    throw new UsageError(`--cancel-remote is for dossiers: ${id} is none`);
  }
  const place = await openContext(tell, flags.by);
  if (isAnalysisId(id)) {
    if (name === 'pause') throw new UsageError(`${id}: an analysis cannot be paused`);
    await orderAnalysis(place, await analysisOf(place, id), name === 'resume' ? name : 'cancel');
    return;
  }
  const family = familyOf(id);
  if (family !== undefined) {
    await family.order(place, id, name, flags);
    return;
  }
  const work = await onFile(place, id);
  if ((await summaryOf(place, work)) !== null) {
    throw new CommandError(`${id} has ended: \`diligence result ${id}\` shows how`);
  }
  if (stops === 'paused' && work.decision === null && work.record.kind === 'certificate') {
    throw new UsageError(`${id}: a single issuance cannot be paused`);
  }
  await withEngine(place, async (engine) => {
    const asked = { workId: workIdOf(work), by: place.environment.actor };
    const entry = orderEntry(name, asked, Date.now());
    const { jobs } = place.store;
    const folder = jobFolderOf(work);
    if (stops === undefined) {
      await jobs.release(folder, 'paused');
      await place.audit.append([entry]);
    } else await jobs.stop(folder, stops, [entry]);
    await place.audit.anchor();
    const refuse = (): Promise<string> =>
      place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
    try {
      const answer = give(engine.client.workflow.getHandle(engineIdOf(work)));
      const isOnRecord = stops !== undefined;
      print(isOnRecord ? ((await within(answerPatienceMs, answer)) ?? notAnswered) : await answer);
    } catch (error) {
      // It may have been stopped before: the mark stays.
      if (error instanceof WorkflowUpdateFailedError) {
        await refuse();
        throw new CommandError(`${id}: ${error.cause?.message ?? 'refused'}`);
      }
      const otherwise = isNotFound(error) ? await whenNotRunning?.(engine, work) : null;
      if (otherwise != null) {
        print(otherwise);
        return;
      }
      if (isNotFound(error)) {
        if (stops !== undefined) await jobs.release(folder, stops);
        await refuse();
        const { state } = await viewWith(place, engine, work);
        throw new CommandError(`${id} ${wayOn(work, state) ?? 'has ended meanwhile'}`);
      }
      throw error;
    }
  });
}

/** Null when it takes longer. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T | null> {
  answer.catch(() => undefined);
  return Promise.race([answer, setTimeout(ms, null, { ref: false })]);
}

/** Where no worker runs nobody answers: what was asked for stands in the store. */
const answerPatienceMs = 5_000;
const notAnswered =
  'no worker answers; on record: nothing more is requested, and the next worker sees to the rest';

/** Lanes outlive a batch that was terminated, and are told themselves. */
async function cancelLanes(
  engine: EngineClient,
  work: WorkOnFile,
  how: 'wait' | 'now',
): Promise<string | null> {
  let told = 0;
  for (let number = 0; number < mostLanes; number += 1) {
    const lane = engine.client.workflow.getHandle(laneId(work, number));
    await lane.signal(controlSignal, { cancel: how }).then(
      () => (told += 1),
      () => undefined,
    );
  }
  return told === 0
    ? null
    : `the batch is not running; ${told} of its lanes were, and are cancelled`;
}

async function onFile(place: CommandContext, id: string): Promise<WorkOnFile> {
  const found = await findWork(place, id);
  if (found === null) throw new CommandError(`no work ${id} in this store`);
  return found;
}
