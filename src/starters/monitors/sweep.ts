import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { Command } from 'commander';
import { exitCodeOf } from '../../domain/attention';
import { sweepEnd, watchEnd } from '../../domain/job-ends';
import { watchEntry } from '../../domain/monitors/audit';
import { sweepWorkflowId, type SweepOutcome, type SweepTerms } from '../../domain/monitors/sweep';
import { scheduleIdOf, type WatchOutcome } from '../../domain/monitors/watch';
import { queueName } from '../../domain/core/queues';
import { MonitorListRepository } from '../../store/monitors/lists';
import { MonitorRepository } from '../../store/monitors/monitors';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { monitorSweep } from '../../workflows/monitors/monitor-sweep';
import type { monitorWatch } from '../../workflows/monitors/monitor-watch';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { withActor, withDetach } from '../cli/flags';
import { followByLines } from '../cli/follow';
import { monitorIdsOf, monitorsOption, termOptions, termsOf, type SweepFlags } from './ids';
import { healthLines, passesOf, sweepLine, sweepLines, watchLine, watchLines } from './outcome';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { exitCodes, print, printJson, tell } from '../cli/terminal';
import { openContext, warnWithoutPollers, withEngine, type CommandContext } from '../jobs/context';

interface Flags extends SweepFlags {
  monitors: string;
  by?: string;
  detach?: true;
  json?: true;
}

/** What a person asks for. */
interface Order {
  ids: string[];
  terms: SweepTerms;
  reconcile: boolean;
}

/** `diligence monitor sweep`. */
export function sweepCommand(): Command {
  return sweepLike('sweep', 'Pull, deliver and acknowledge what is open now.', false);
}

/** `diligence monitor reconcile`. */
export function reconcileCommand(): Command {
  return sweepLike(
    'reconcile',
    'Sweep, then walk over all states: what others acknowledged is put on file as such.',
    true,
  );
}

function sweepLike(name: string, description: string, reconcile: boolean): Command {
  const command = withDetach(withActor(new Command(name)))
    .description(description)
    .addOption(monitorsOption())
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      '\nExit codes: 0 all is through; 1 it failed, or a sweep of the monitor runs already; 3 something is stuck.',
    )
    .action(async (flags: Flags) => {
      const ids = await monitorIdsOf(flags.monitors);
      process.exitCode = await run({ ids, terms: termsOf(flags), reconcile }, name, flags);
    });
  for (const option of termOptions()) command.addOption(option);
  return command;
}

async function run(order: Order, name: string, flags: Flags): Promise<number> {
  const place = await openContext(tell, flags.by);
  const { ids } = order;
  const [only] = ids;
  return withEngine(place, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    const { actor } = place.environment;
    const listName = only !== undefined && ids.length === 1 ? only : 'by-hand';
    await place.audit.append([
      watchEntry(name, { name: listName, by: actor }, { monitors: ids.length }, Date.now()),
    ]);
    return only !== undefined && ids.length === 1
      ? sweepOne(place, engine, only, order, flags)
      : sweepMany(place, engine, order, flags);
  });
}

async function sweepOne(
  place: CommandContext,
  engine: EngineClient,
  monitorId: string,
  { terms, reconcile }: Order,
  { detach, json }: Flags,
): Promise<number> {
  const workflowId = sweepWorkflowId(monitorId);
  const { store, idKey, queueSuffix } = place;
  const by = place.environment.actor;
  const known = new MonitorRepository(store, (text) => idKey.nameOf('document', text));
  // The first sweep looks for what others acknowledged before it.
  const walks = (await known.get(monitorId))?.walks;
  const isFirst = walks?.at == null || walks.unfinished !== null;
  await started(monitorId, () =>
    engine.client.workflow.start<typeof monitorSweep>('monitorSweep', {
      workflowId,
      taskQueue: queueName('workflows', queueSuffix),
      args: [
        {
          monitorId,
          by,
          terms,
          reconcile: reconcile || isFirst,
          interactive: true,
          queueSuffix,
          carried: null,
        },
      ],
      typedSearchAttributes: attributesAtStart('monitor-sweep', workflowId),
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    }),
  );
  if (detach === true) return detached(workflowId, json === true);
  tell(workflowId);
  await warnWithoutPollers(engine, place, 'monitors');
  const outcome = await followByLines<SweepOutcome>(place, engine, workflowId, (current) =>
    sweepLine(current, workflowId),
  );
  const exitCode = exitCodeOf('monitor-sweep', sweepEnd(outcome));
  if (json === true) printJson({ exitCode, outcome });
  else for (const line of sweepLines(outcome)) print(printable(line));
  return exitCode;
}

/** Many at once go by a watch: one look for each, and sweeps where something is open. */
async function sweepMany(
  place: CommandContext,
  engine: EngineClient,
  { ids, terms, reconcile }: Order,
  { detach, json }: Flags,
): Promise<number> {
  const list = await new MonitorListRepository(place.store).put('by-hand', ids);
  const workflowId = `${scheduleIdOf('by-hand')}/${list.edition}`;
  const { queueSuffix } = place;
  const by = place.environment.actor;
  await started(`these ${ids.length} monitors`, () =>
    engine.client.workflow.start<typeof monitorWatch>('monitorWatch', {
      workflowId,
      taskQueue: queueName('workflows', queueSuffix),
      args: [
        {
          list,
          by,
          terms,
          reconcileAll: reconcile,
          interactive: true,
          queueSuffix,
          carried: null,
        },
      ],
      typedSearchAttributes: attributesAtStart('monitor-watch', scheduleIdOf('by-hand')),
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    }),
  );
  if (detach === true) return detached(workflowId, json === true);
  tell(workflowId);
  await warnWithoutPollers(engine, place, 'monitors');
  const outcome = await followByLines<WatchOutcome>(place, engine, workflowId, (current) =>
    watchLine(current, workflowId),
  );
  const passes = await passesOf(place, 'by-hand', list.pages);
  const failing = passes.flatMap((pass) => pass.failing);
  const exitCode = exitCodeOf('monitor-watch', watchEnd(outcome));
  if (json === true) {
    const blocked = passes.flatMap((pass) => pass.blocked);
    const unwell = passes.flatMap((pass) => pass.unwell ?? []);
    const unknown = passes.flatMap((pass) => pass.unknown ?? []);
    const left = passes.flatMap((pass) => pass.left ?? []);
    printJson({ exitCode, outcome, failing, blocked, unwell, unknown, left });
  } else {
    for (const line of watchLines(outcome)) print(line);
    for (const { monitorId, why } of failing) print(printable(`  ${monitorId}: ${why}`));
    for (const line of healthLines(passes)) print(printable(`  ${line}`));
  }
  return exitCode;
}

/** @throws CommandError when one runs already: two sweeps of one monitor never run at once */
async function started(what: string, start: () => Promise<unknown>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new CommandError(
      `a sweep of ${what} is running already (${error.workflowId}): nothing was started`,
    );
  }
}

function detached(workflowId: string, json: boolean): number {
  if (json) printJson({ id: workflowId, status: 'started' });
  else print(workflowId);
  return exitCodes.done;
}
