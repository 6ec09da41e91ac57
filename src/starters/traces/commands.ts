import { Command } from 'commander';
import { withStart } from '../cli/start-flags';
import { trace, traces } from './request';
import { TracesApi } from '../../apis/investigation/traces';
import { maskTarget } from '../../domain/traces/target';
import {
  traceStates,
  traceTypes,
  type Trace,
  type TraceState,
  type TraceType,
} from '../../domain/traces/trace';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { printServiceList, type ServiceList } from '../cli/service-list';
import { oneOf, printNote } from '../cli/terminal';
import { openContext } from '../jobs/context';

/** `diligence trace`. */
export function traceCommand(): Command {
  const search = new Command('search').description(
    'Search for one target, or for each of an input; asked for again, it is the same search.',
  );
  return new Command('trace')
    .description('Searches for an e-mail address, phone number, user name or wallet.')
    .addCommand(withStart(search, { one: trace, many: traces }))
    .addCommand(traceListCommand());
}

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
  /** Our job's id; null: requested elsewhere. */
  job: string | null;
}

/** `diligence trace list`. */
export function traceListCommand(): Command {
  return new Command('list')
    .description('List the searches that the service holds, targets masked, and what they cost.')
    .option('--status <status>', traceStates.join(', '), oneOf(traceStates))
    .option('--type <type>', traceTypes.join(', '), oneOf(traceTypes))
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: ListFlags) => {
      const { store } = await openContext(printNote);
      const view = {
        name: 'traces',
        noun: [
          ['search', 'searches'],
          ['busca', 'buscas'],
        ] as const,
        billing: ({ billing }: Trace) => billing,
        view: async (one: Trace) => viewOf(one, await store.attempts.holderOfTrace(one.traceId)),
        line: traceLine,
      };
      await printServiceList(tracesListed(flags), view, flags.json === true);
    });
}

function tracesListed({ status, type }: ListFlags): ServiceList<Trace> {
  const filter = { ...(status && { status }), ...(type && { type }), pageSize: 100 };
  return {
    pathTemplate: '/rastro',
    api: (service, { traceNames }, timeoutMs) => {
      const api = new TracesApi(service, traceNames, timeoutMs);
      return (cursor) => api.list({ ...filter, ...(cursor !== null && { cursor }) }, 'interactive');
    },
    id: ({ traceId }) => traceId,
    isWanted: (one) =>
      (status === undefined || one.state === status) && (type === undefined || one.type === type),
  };
}

function viewOf(one: Trace, job: string | null): TraceView {
  const { traceId: id, statusWord: status, type, target, strategy, partial, billing } = one;
  const { createdAt, completedAt } = one;
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
    job,
  };
}

export function traceLine(
  { id, status, type, target, partial, billing, createdAt, job }: TraceView,
  _: Trace,
  { language, say }: Reader,
): string {
  const cost = billing === null ? '' : `${billing.amount ?? '-'} ${billing.unit ?? ''}`.trim();
  const state = status === null ? '-' : stateWord(status, language);
  const first = `${state}${partial === true ? say(' (partial)', ' (parcial)') : ''}`;
  const cells = [createdAt ?? '-', first.padEnd(19), (type ?? '-').padEnd(8), target ?? '-'];
  return [...cells, cost, id, job ?? ''].join('  ').trimEnd();
}
