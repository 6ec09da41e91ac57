import { Command } from 'commander';
import { isHttpError } from '../../apis/http/errors';
import { walkPages } from '../../apis/investigation/pages';
import { TracesApi, type TraceFilter } from '../../apis/investigation/traces';
import { BillingTotals } from '../../domain/core/billing-totals';
import { maskTarget } from '../../domain/traces/target';
import {
  traceStates,
  traceTypes,
  type Trace,
  type TraceState,
  type TraceType,
} from '../../domain/traces/trace';
import { withService } from '../jobs/service-access';
import { printJsonList } from '../cli/json-list';
import { messageOf, RepeatedCalls } from '../jobs/repeated-calls';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { oneOf, print, tell } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

interface ListFlags {
  status?: TraceState;
  type?: TraceType;
  json?: true;
}

/** A search as the service lists it, and whether it is one of ours. */
interface TraceView {
  id: string;
  status: string | null;
  type: string | null;
  /** Masked. */
  target: string | null;
  strategy: string | null;
  partial: boolean | null;
  billing: Trace['billing'];
  createdAt: string | null;
  completedAt: string | null;
  /** Id of our work; null: it was asked for elsewhere. */
  work: string | null;
}

const listCall = { method: 'GET', pathTemplate: '/rastro' } as const;

/** `diligence trace list`. */
export function traceListCommand(): Command {
  return new Command('list')
    .description('List the searches that the service holds, targets masked, and what they cost.')
    .option('--status <status>', traceStates.join(', '), oneOf(traceStates))
    .option('--type <type>', traceTypes.join(', '), oneOf(traceTypes))
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: ListFlags) => {
      await listTraces(await openContext(tell), flags);
    });
}

/** Page by page, however many there are; what is told is told as it comes. */
async function listTraces({ store }: CommandContext, flags: ListFlags): Promise<void> {
  const totals = new BillingTotals();
  const read = (show: (view: TraceView) => void): Promise<number> =>
    eachListed(flags, async (trace) => {
      show(viewOf(trace, await store.attempts.holderOfTrace(trace.traceId)));
      totals.add(trace.billing);
    });
  if (flags.json === true) {
    await printJsonList('traces', async (add) => ({
      unreadable: await read(add),
      billing: totals.all(),
    }));
    return;
  }
  const unreadable = await read((view) => print(lineOf(view)));
  const { count, untold } = totals;
  print(`${count} ${count === 1 ? 'search' : 'searches'}`);
  for (const { status, unit, count: of, amount } of totals.all()) {
    print(printable(`  ${of} ${status ?? '-'}: ${amount ?? '-'} ${unit ?? ''}`.trimEnd()));
  }
  if (untold > 0) print(`  ${untold} without billing`);
  if (unreadable > 0) tell(`${unreadable} entries of the list could not be read`);
}

/**
 * Each search once, judged by its own fields: a service may ignore the filter.
 *
 * @returns how many entries could not be read
 * @throws CommandError
 */
async function eachListed(
  flags: ListFlags,
  each: (trace: Trace) => Promise<void>,
): Promise<number> {
  const { status, type } = flags;
  const filter: TraceFilter = { ...(status && { status }), ...(type && { type }), pageSize: 100 };
  const lately = new Set<string>();
  let unreadable = 0;
  await withService('investigation', async (service, { traceNames }, timeoutMs) => {
    const traces = new TracesApi(service, traceNames, timeoutMs);
    const calls = new RepeatedCalls({ tell });
    const pages = walkPages(listCall, (cursor) =>
      calls.again(() =>
        traces.list({ ...filter, ...(cursor !== null && { cursor }) }, 'interactive'),
      ),
    );
    for await (const { items } of pages) {
      for (const listed of items) {
        if (listed.kind === 'unreadable') unreadable += 1;
        else if (isWanted(listed.item, flags) && isNews(lately, listed.item.traceId)) {
          await each(listed.item);
        }
      }
    }
  }).catch((error: unknown) => {
    if (!isHttpError(error)) throw error;
    throw new CommandError(`the list was not read to its end: ${messageOf(error)}`);
  });
  return unreadable;
}

/** What is made meanwhile moves others onto the next page. */
function isNews(lately: Set<string>, id: string): boolean {
  if (lately.has(id)) return false;
  lately.add(id);
  const [oldest] = lately;
  if (lately.size > mostRemembered && oldest !== undefined) lately.delete(oldest);
  return true;
}

/** A bound, whatever the length of the list. */
const mostRemembered = 10_000;

function isWanted(trace: Trace, { status, type }: ListFlags): boolean {
  return (
    (status === undefined || trace.state === status) && (type === undefined || trace.type === type)
  );
}

function viewOf(trace: Trace, work: string | null): TraceView {
  const { traceId: id, statusWord: status, type, target, strategy, partial, billing } = trace;
  const { createdAt, completedAt } = trace;
  return {
    id,
    status,
    type,
    target: target === null ? null : maskTarget(target),
    strategy,
    partial,
    billing,
    createdAt,
    completedAt,
    work,
  };
}

function lineOf({
  id,
  status,
  type,
  target,
  partial,
  billing,
  createdAt,
  work,
}: TraceView): string {
  const cost = billing === null ? '' : `${billing.amount ?? '-'} ${billing.unit ?? ''}`.trim();
  const stands = `${status ?? '-'}${partial === true ? ' (partial)' : ''}`;
  const cells = [createdAt ?? '-', stands.padEnd(19), (type ?? '-').padEnd(8), target ?? '-'];
  return printable([...cells, cost, id, work ?? ''].join('  ').trimEnd());
}
