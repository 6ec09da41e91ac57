import type { CoverageTable } from './row';

/** Nothing depends on it. */
const asItCame = 'not read: stored and shown as it came';

/** The parts of the specification that are about trace searches, item by item. */
export const traceChecklist = {
  'Trace search': [
    'id',
    'object',
    'status',
    'status queued',
    'status running',
    'status completed',
    'status failed',
    'status cancelled',
    'type',
    'type email',
    'type phone',
    'type username',
    'type wallet',
    'target',
    'strategy',
    'strategy all',
    'strategy first_match',
    'partial',
    'coverage',
    'billing',
    'artifacts',
    'result',
    'failure',
    'poll_after_seconds',
    'billing.status',
    'billing.amount',
    'billing.unit',
    'created_at',
    'updated_at',
    'started_at',
    'completed_at',
  ],
  'Trace: endpoints': [
    'POST /rastro: Idempotency-Key',
    'POST /rastro: target',
    'POST /rastro: strategy',
    'POST /rastro: the default strategy is not shown',
    'how a search is read is not shown',
    'GET /rastro: page size',
    'GET /rastro: cursor',
    'GET /rastro: status filter',
    'GET /rastro: type filter',
    'GET /rastro: data and page',
  ],
} as const;

export const traceTable: CoverageTable<typeof traceChecklist> = {
  'Trace search': {
    id: {
      sandbox: 'A UUID.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › reads a search of which only the id can be read',
    },
    object: {
      sandbox: 'Always rastro_search.',
      client: 'not read: the route says what it is',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    status: {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › tells the status %p as it is, known or not',
    },
    'status queued': {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#traceStates',
      test: 'contract/traces-client.test.ts › tells the status %p as it is, known or not',
    },
    'status running': {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#traceStates',
      test: 'contract/traces-client.test.ts › tells the status %p as it is, known or not',
    },
    'status completed': {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#traceStates',
      test: 'contract/traces-client.test.ts › tells the status %p as it is, known or not',
    },
    'status failed': {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#traceStates',
      test: 'contract/traces-client.test.ts › tells the status %p as it is, known or not',
    },
    'status cancelled': {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#traceStates',
      test: 'contract/traces-client.test.ts › tells the status %p as it is, known or not',
    },
    type: {
      sandbox: 'Derived from the target.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    'type email': {
      sandbox: 'Derived from the target.',
      client: 'src/domain/traces/search.ts#traceTypes',
      test: 'contract/traces-client.test.ts › a search of the type %s reads as one',
    },
    'type phone': {
      sandbox: 'Derived from the target.',
      client: 'src/domain/traces/search.ts#traceTypes',
      test: 'contract/traces-client.test.ts › a search of the type %s reads as one',
    },
    'type username': {
      sandbox: 'Derived from the target.',
      client: 'src/domain/traces/search.ts#traceTypes',
      test: 'contract/traces-client.test.ts › a search of the type %s reads as one',
    },
    'type wallet': {
      sandbox: 'Derived from the target.',
      client: 'src/domain/traces/search.ts#traceTypes',
      test: 'contract/traces-client.test.ts › a search of the type %s reads as one',
    },
    target: {
      sandbox: 'As it was asked for.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    strategy: {
      sandbox: 'As it was asked for.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    'strategy all': {
      sandbox: 'As it was asked for.',
      client: 'src/domain/traces/search.ts#traceStrategies',
      test: 'contract/traces-client.test.ts › a new search has its key in a header, and no type',
    },
    'strategy first_match': {
      sandbox: 'As it was asked for.',
      client: 'src/domain/traces/search.ts#traceStrategies',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    partial: {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#TraceSeen.partial',
      test: 'integration/trace-search.test.ts › %s ends with %d',
    },
    coverage: {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#sourcesOf',
      test: 'unit/domain/traces.test.ts › reads the situation of sources from %j',
    },
    billing: {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/core/service/billing-totals.ts#BillingTotals.add',
      test: 'unit/domain/traces.test.ts › adds billing up by its words, and counts what was not told',
    },
    artifacts: {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    result: {
      sandbox: 'By the script of the target and the clock.',
      client: asItCame,
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    failure: {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/domain/traces/search.ts#TraceSeen.failure',
      test: 'integration/trace-search.test.ts › %s ends with %d',
    },
    poll_after_seconds: {
      sandbox: 'By the script of the target and the clock.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    'billing.status': {
      sandbox: 'Charged when it is completed, tokens.',
      client: 'src/domain/core/service/billing-totals.ts#Billing.status',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    'billing.amount': {
      sandbox: 'Charged when it is completed, tokens.',
      client: 'src/domain/core/service/billing-totals.ts#Billing.amount',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    'billing.unit': {
      sandbox: 'Charged when it is completed, tokens.',
      client: 'src/domain/core/service/billing-totals.ts#Billing.unit',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    created_at: {
      sandbox: 'By the clock.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    updated_at: {
      sandbox: 'By the clock.',
      client: asItCame,
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    started_at: {
      sandbox: 'By the clock.',
      client: asItCame,
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
    completed_at: {
      sandbox: 'By the clock.',
      client: 'src/apis/investigation/wire/traces.wire.ts#traceWire',
      test: 'contract/traces-client.test.ts › a search reads as it was told',
    },
  },
  'Trace: endpoints': {
    'POST /rastro: Idempotency-Key': {
      sandbox: 'A key gives the first search again.',
      client: 'src/domain/traces/search.ts#traceKey',
      test: 'integration/trace-search.test.ts › answers for %s that are lost, spoilt or late leave one search',
    },
    'POST /rastro: target': {
      sandbox: 'Refused when it is missing.',
      client: 'src/apis/investigation/traces.ts#TracesApi.create',
      test: 'contract/traces-client.test.ts › a new search has its key in a header, and no type',
    },
    'POST /rastro: strategy': {
      sandbox: 'all or first_match.',
      client: 'src/apis/investigation/traces.ts#TracesApi.create',
      test: 'contract/traces-client.test.ts › a new search has its key in a header, and no type',
    },
    'POST /rastro: the default strategy is not shown': {
      sandbox: 'all.',
      client: 'assumption: strategy that is not given',
      test: 'contract/traces-client.test.ts › a new search has its key in a header, and no type',
    },
    'how a search is read is not shown': {
      sandbox: 'By id, unless the scenario has no such route.',
      client: 'assumption: read a search',
      test: 'integration/trace-search.test.ts › where a search cannot be read by its id, the list tells',
    },
    'GET /rastro: page size': {
      sandbox: 'Refused beyond 1 to 100.',
      client: 'src/apis/investigation/pages.ts#ListedApi.list',
      test: 'contract/traces-client.test.ts › what is asked of the list travels under the assumed names',
    },
    'GET /rastro: cursor': {
      sandbox: 'Stable or shifting.',
      client: 'src/apis/investigation/pages.ts#ListedApi.list',
      test: 'contract/traces-client.test.ts › what is asked of the list travels under the assumed names',
    },
    'GET /rastro: status filter': {
      sandbox: 'Obeyed, or ignored when told to.',
      client: 'src/apis/investigation/pages.ts#ListedApi.list',
      test: 'contract/traces-client.test.ts › what is asked of the list travels under the assumed names',
    },
    'GET /rastro: type filter': {
      sandbox: 'Obeyed, or ignored when told to.',
      client: 'src/starters/traces/commands.ts#traceCommand',
      test: 'integration/trace-search.test.ts › what the service holds is listed, masked, with what it cost; ours are told',
    },
    'GET /rastro: data and page': {
      sandbox: 'Pages that end with has_more false.',
      client: 'src/apis/investigation/pages.ts#pageFromWire',
      test: 'contract/traces-client.test.ts › where there is no route by id the list is searched, and this is remembered',
    },
  },
};
