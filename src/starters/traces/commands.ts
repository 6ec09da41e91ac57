import { Command } from 'commander';
import { TracesApi } from '../../apis/investigation/traces';
import { maskTarget } from '../../domain/traces/target';
import { traceTypes, traceStates } from '../../domain/traces/search';
import type { Trace } from '../../apis/investigation/wire/traces.wire';
import { listCommand, type ServiceList } from '../cli/service-list';
import { withStart } from '../cli/start-flags';
import { trace, traces } from './request';

export function traceCommand(): Command {
  const search = new Command('search').description(
    'Search for one target, or for each of an input; asked for again, it is the same search.',
  );
  const about = 'List the searches that the service holds, targets masked, and what they cost.';
  return new Command('trace')
    .description('Searches for an e-mail address, phone number, user name or wallet.')
    .addCommand(withStart(search, { one: trace, many: traces }))
    .addCommand(listCommand(list, about));
}

const list: ServiceList<Trace> = {
  name: 'traces',
  noun: [
    ['search', 'searches'],
    ['busca', 'buscas'],
  ],
  pathTemplate: '/rastro',
  api: (service, { traceNames }, timeoutMs) => new TracesApi(service, traceNames, timeoutMs),
  filters: {
    status: { words: traceStates, of: ({ state }) => state },
    type: { words: traceTypes, of: ({ type }) => type },
  },
  id: ({ traceId }) => traceId,
  /** `job`: of ours; null: requested elsewhere. */
  view: async (one, store) => {
    const { billing, completedAt, createdAt, partial, strategy, target, traceId: id, type } = one;
    const masked = target === null ? null : maskTarget(target);
    const job = await store.attempts.holderOfTrace(id);
    const about = { id, status: one.statusWord, type, target: masked, strategy, partial };
    return { ...about, billing, createdAt, completedAt, job };
  },
  columns: ['createdAt', 'status', 'type', 'target', 'billing', 'id', 'job'],
};
