import type { CoverageRow, CoverageTable } from './row';

/** Nothing depends on it. */
const asItCame = 'not read: stored and shown as it came';

/** The parts of the investigation service's specification that are about monitors, item by item. */
export const monitorChecklist = {
  Monitor: [
    'id',
    'object',
    'status',
    'status active',
    'status paused',
    'status cancelled',
    'identifier',
    'identifier_type',
    'name',
    'listen_items',
    'listen_items company',
    'listen_items debts',
    'listen_items processes',
    'listen_items partners',
    'emails',
    'frequency_hours',
    'health',
    'health.status',
    'health.consecutive_failures',
    'health.last_cycle_at',
    'subscription',
    'subscription.status',
    'subscription.id',
    'execution_allowed',
    'blocking_reason',
    'blocking_reason monitor_paused',
    'blocking_reason monitor_cancelled',
    'blocking_reason payment_required',
    'blocking_reason feature_disabled',
    'created_at',
    'updated_at',
  ],
  'Monitor change': [
    'id',
    'status',
    'status open',
    'status acknowledged',
    'severity',
    'severity info',
    'severity warn',
    'severity critical',
    'type',
    'before',
    'after',
    'detected_at',
    'acknowledged_at',
  ],
  'Monitor: states': [
    'acknowledge: the change is acknowledged, and acknowledged_at is set',
    'an acknowledged change stays in the history',
  ],
  'Monitor: endpoints': [
    'PATCH /monitors/{monitor_id}: name',
    'PATCH /monitors/{monitor_id}: listen_items',
    'PATCH /monitors/{monitor_id}: emails',
    'PATCH /monitors/{monitor_id}: frequency_hours',
    'PATCH /monitors/{monitor_id} answers the updated monitor',
    'PATCH /monitors/{monitor_id}: two problems',
    'GET /monitors/{monitor_id}/changes: page size',
    'GET /monitors/{monitor_id}/changes: cursor',
    'GET /monitors/{monitor_id}/changes: severity filter',
    'GET /monitors/{monitor_id}/changes: status filter',
    'GET /monitors/{monitor_id}/changes: data',
    'GET /monitors/{monitor_id}/changes: page.next_cursor',
    'GET /monitors/{monitor_id}/changes: page.has_more',
    'GET /monitors/{monitor_id}/changes: one problem',
    'POST /monitors/{monitor_id}/changes/{change_id}/ack: no body, answers the change',
    'POST /monitors/{monitor_id}/changes/{change_id}/ack: two problems',
  ],
  'Monitor: authentication and limits': [
    'the token is a bearer token in the header Authorization',
    'page size 1 to 100',
    'frequency_hours 1 to 720',
    'changes are read by polling the list: nothing is sent unasked',
  ],
  'Monitor: not shown': [
    'names of the query parameters',
    'a service that knows no such name',
    'reading a monitor',
    'what happens to fields left out of a PATCH',
    'values of health.status and subscription.status',
    'values of type, and what stands in before and after',
    'monitor transitions',
    'creating and listing monitors',
  ],
} as const;

const change = 'src/domain/monitors/change.ts';
const api = 'src/apis/investigation/monitors.ts#MonitorsApi';
const wire = 'contract/monitors-wire.test.ts';
const client = 'contract/monitors-client.test.ts';
const sandbox = 'contract/sandbox-monitors.test.ts';
const command = 'contract/monitor-update.test.ts';

const wholeMonitor: CoverageRow['test'] = `${client} › a monitor reads as it was told`;
const wholeChange: CoverageRow['test'] = `${client} › a change reads as it was told`;
const scripted = 'As the scenario has it.';
const kept = 'not read: handed on and archived as it came';

const reason = (word: string, when: string): CoverageRow => ({
  sandbox: when,
  client: `${change}#Monitor.blockingReason`,
  test: `${wire} › shows the blocking reason ${word} as it is`,
});

const listened = (item: string): CoverageRow => ({
  sandbox: 'Listened to unless the scenario or an update says otherwise.',
  client: `${change}#listenItems`,
  test: `${wire} › shows that it listens to ${item}`,
});

export const monitorTable: CoverageTable<typeof monitorChecklist> = {
  Monitor: {
    id: {
      sandbox: 'A UUID: of the scenario, or told by its number.',
      client: `${change}#Monitor.monitorId`,
      test: `${wire} › an answer without the id that was asked for is none, and quotes no value`,
    },
    object: {
      sandbox: 'Always monitor.',
      client: 'not read: the route says what it is',
      test: `${wire} › reads a monitor whose object is missing, null, or of another type`,
    },
    status: {
      sandbox:
        'As the scenario has it, or a control route sets it; unknown_status puts another there.',
      client: `${change}#Monitor.statusWord`,
      test: `${wire} › a monitor is active`,
    },
    'status active': {
      sandbox: 'Unless told otherwise.',
      client: `${change}#Monitor.statusWord`,
      test: `${wire} › a monitor is active`,
    },
    'status paused': {
      sandbox: scripted,
      client: `${change}#Monitor.statusWord`,
      test: `${wire} › a monitor is paused`,
    },
    'status cancelled': {
      sandbox: 'As the scenario has it; what of it can still be had is chosen there.',
      client: `${change}#Monitor.statusWord`,
      test: `${sandbox} › a monitor is cancelled while it is watched`,
    },
    identifier: {
      sandbox: 'An invented CNPJ with check digits, or the one of the scenario.',
      client: `${change}#Monitor.identifier`,
      test: `${sandbox} › seeded monitors are fictional, and the same for the same seed`,
    },
    identifier_type: {
      sandbox: 'By the number of digits.',
      client: asItCame,
      test: wholeMonitor,
    },
    name: { sandbox: scripted, client: `${change}#Monitor.name`, test: wholeMonitor },
    listen_items: {
      sandbox: 'All four, unless told otherwise.',
      client: `${change}#Monitor.listenItems`,
      test: wholeMonitor,
    },
    'listen_items company': listened('company'),
    'listen_items debts': listened('debts'),
    'listen_items processes': listened('processes'),
    'listen_items partners': listened('partners'),
    emails: { sandbox: scripted, client: `${change}#Monitor.emails`, test: wholeMonitor },
    frequency_hours: {
      sandbox: '24, unless told otherwise.',
      client: `${change}#Monitor.frequencyHours`,
      test: wholeMonitor,
    },
    health: {
      sandbox: 'Left out with null.',
      client: `${change}#Monitor.health`,
      test: `${wire} › reads a monitor whose health is missing, null, or of another type`,
    },
    'health.status': {
      sandbox: 'unknown, or the word of the scenario.',
      client: `${change}#MonitorHealth.status`,
      test: wholeMonitor,
    },
    'health.consecutive_failures': {
      sandbox: scripted,
      client: `${change}#MonitorHealth.consecutiveFailures`,
      test: wholeMonitor,
    },
    'health.last_cycle_at': {
      sandbox: 'The last whole cycle of frequency_hours; stands still while it may not run.',
      client: `${change}#MonitorHealth.lastCycleAt`,
      test: wholeMonitor,
    },
    subscription: {
      sandbox: 'Left out with null.',
      client: `${change}#Monitor.subscription`,
      test: `${wire} › reads a monitor whose subscription is missing, null, or of another type`,
    },
    'subscription.status': {
      sandbox: 'included, or the word of the scenario.',
      client: `${change}#Monitor.subscription`,
      test: wholeMonitor,
    },
    'subscription.id': {
      sandbox: 'Fixed by the seed.',
      client: `${change}#Monitor.subscription`,
      test: wholeMonitor,
    },
    execution_allowed: {
      sandbox: 'While active, unless the scenario says otherwise.',
      client: `${change}#Monitor.executionAllowed`,
      test: `${client} › the states that a monitor can be in are told`,
    },
    blocking_reason: {
      sandbox: 'Only while it may not run.',
      client: `${change}#Monitor.blockingReason`,
      test: wholeMonitor,
    },
    'blocking_reason monitor_paused': reason('monitor_paused', 'While paused.'),
    'blocking_reason monitor_cancelled': reason('monitor_cancelled', 'Once cancelled.'),
    'blocking_reason payment_required': reason('payment_required', scripted),
    'blocking_reason feature_disabled': reason('feature_disabled', scripted),
    created_at: {
      sandbox: 'A month before the sandbox began.',
      client: asItCame,
      test: wholeMonitor,
    },
    updated_at: {
      sandbox: 'The instant of the last update.',
      client: asItCame,
      test: `${client} › an update sends the given fields and no others`,
    },
  },
  'Monitor change': {
    id: {
      sandbox: 'Fixed by seed, monitor and place, or by the scenario; no_id takes it away.',
      client: `${change}#Change.changeId`,
      test: `${client} › one unreadable entry leaves the others readable`,
    },
    status: {
      sandbox: 'open until acknowledged; unknown_status puts another word there.',
      client: `${change}#Change.statusWord`,
      test: `${wire} › a word that nobody knows hides no change: it is open, and stands behind the critical ones`,
    },
    'status open': {
      sandbox: 'Until it is acknowledged.',
      client: `${change}#changeStates`,
      test: `${wire} › knows a change that is open`,
    },
    'status acknowledged': {
      sandbox: 'By the client, or by another one.',
      client: `${change}#changeStates`,
      test: `${wire} › knows a change that is acknowledged`,
    },
    severity: {
      sandbox: 'Drawn, or of the scenario.',
      client: `${change}#Change.severityWord`,
      test: wholeChange,
    },
    'severity info': {
      sandbox: 'Six of ten.',
      client: `${change}#severities`,
      test: `${wire} › knows the severity info`,
    },
    'severity warn': {
      sandbox: 'Three of ten.',
      client: `${change}#severities`,
      test: `${wire} › knows the severity warn`,
    },
    'severity critical': {
      sandbox: 'One of ten.',
      client: `${change}#severities`,
      test: `${wire} › knows the severity critical`,
    },
    type: {
      sandbox: 'One of four invented words, or of the scenario.',
      client: `${change}#Change.type`,
      test: wholeChange,
    },
    before: { sandbox: 'An invented object, or of the scenario.', client: kept, test: wholeChange },
    after: { sandbox: 'An invented object, or of the scenario.', client: kept, test: wholeChange },
    detected_at: {
      sandbox: 'The instant from which on it is listed.',
      client: `${change}#Change.detectedAt`,
      test: `${client} › changes appear as the clock of the sandbox goes on`,
    },
    acknowledged_at: {
      sandbox: 'The instant of the first acknowledgement.',
      client: `${change}#Change.acknowledgedAt`,
      test: `${client} › an acknowledged change says since when, and again the same`,
    },
  },
  'Monitor: states': {
    'acknowledge: the change is acknowledged, and acknowledged_at is set': {
      sandbox: 'A second time changes nothing, or is 409 on wish.',
      client: `${api}.acknowledge`,
      test: `${client} › an acknowledged change says since when, and again the same`,
    },
    'an acknowledged change stays in the history': {
      sandbox: 'Listed without a filter, and with acknowledged.',
      client: `${api}.listChanges`,
      test: `${sandbox} › acknowledged changes stay in the history`,
    },
  },
  'Monitor: endpoints': {
    'PATCH /monitors/{monitor_id}: name': {
      sandbox: 'Any text.',
      client: `${change}#MonitorUpdate.name`,
      test: `${command} › sends the given fields and no others, and prints the monitor as answered`,
    },
    'PATCH /monitors/{monitor_id}: listen_items': {
      sandbox: 'Any of the four; others are 400.',
      client: `${change}#MonitorUpdate.listenItems`,
      test: `${command} › sends the given fields and no others, and prints the monitor as answered`,
    },
    'PATCH /monitors/{monitor_id}: emails': {
      sandbox: 'Addresses with an @; others are 400.',
      client: `${change}#MonitorUpdate.emails`,
      test: `${command} › sends the given fields and no others, and prints the monitor as answered`,
    },
    'PATCH /monitors/{monitor_id}: frequency_hours': {
      sandbox: 'Whole hours from 1 to 720; others are 400.',
      client: `${change}#MonitorUpdate.frequencyHours`,
      test: `${command} › sends the given fields and no others, and prints the monitor as answered`,
    },
    'PATCH /monitors/{monitor_id} answers the updated monitor': {
      sandbox: 'With updated_at; frozenFields keeps a field as it was.',
      client: `${api}.update`,
      test: `${client} › an update sends the given fields and no others`,
    },
    'PATCH /monitors/{monitor_id}: two problems': {
      sandbox: '404 for an unknown monitor, 409 for a cancelled one.',
      client: 'src/starters/monitors/update.ts#updateCommand',
      test: `${command} › a monitor that is %s is told, and not asked for again`,
    },
    'GET /monitors/{monitor_id}/changes: page size': {
      sandbox: '1 to 100, else 400; 20 when it is left out.',
      client: 'src/apis/investigation/pages.ts#ListFilter.pageSize',
      test: wholeChange,
    },
    'GET /monitors/{monitor_id}/changes: cursor': {
      sandbox: 'Behind the last item, or a number of items that acknowledgements shift.',
      client: 'src/apis/investigation/pages.ts#ListFilter.cursor',
      test: `${client} › a shifting cursor skips what acknowledgements moved, a stable one does not`,
    },
    'GET /monitors/{monitor_id}/changes: severity filter': {
      sandbox: 'One of the three words, else 400.',
      client: 'src/apis/investigation/monitors.ts#ChangeFilter.severity',
      test: `${client} › every assumed name can be another`,
    },
    'GET /monitors/{monitor_id}/changes: status filter': {
      sandbox: 'One of the two words, else 400.',
      client: 'src/apis/investigation/monitors.ts#ChangeFilter.status',
      test: `${client} › an acknowledged change says since when, and again the same`,
    },
    'GET /monitors/{monitor_id}/changes: data': {
      sandbox: 'In order of detection; bad_item puts an unreadable one in front.',
      client: 'src/apis/investigation/wire/monitors.wire.ts#ChangePage.items',
      test: `${wire} › an entry that cannot be read keeps its place and its answer`,
    },
    'GET /monitors/{monitor_id}/changes: page.next_cursor': {
      sandbox: 'null at the end; repeated_cursor sends the one that was sent.',
      client: 'src/apis/investigation/wire/monitors.wire.ts#ChangePage.nextCursor',
      test: `${wire} › reads a list with %s`,
    },
    'GET /monitors/{monitor_id}/changes: page.has_more': {
      sandbox: 'Whether a cursor is told.',
      client: 'src/apis/investigation/wire/monitors.wire.ts#ChangePage.hasMore',
      test: `${wire} › reads a list with %s`,
    },
    'GET /monitors/{monitor_id}/changes: one problem': {
      sandbox: '404 for an unknown monitor, or a cancelled one on wish.',
      client: 'src/apis/http/errors.ts#StatusError',
      test: `${client} › seeded monitors have ids that can be told beforehand`,
    },
    'POST /monitors/{monitor_id}/changes/{change_id}/ack: no body, answers the change': {
      sandbox: 'As a list would show it now.',
      client: `${api}.acknowledge`,
      test: `${client} › an acknowledged change says since when, and again the same`,
    },
    'POST /monitors/{monitor_id}/changes/{change_id}/ack: two problems': {
      sandbox: '404 for what is unknown or gone, 409 for what is locked.',
      client: 'src/apis/http/errors.ts#StatusError',
      test: `${client} › %s refuses its acknowledgement`,
    },
  },
  'Monitor: authentication and limits': {
    'the token is a bearer token in the header Authorization': {
      sandbox: 'Else 401, also with the token in the query.',
      client: 'src/apis/http/call.ts#TokenPlace',
      test: `${sandbox} › %s is 401 on every route, also with the token in the query`,
    },
    'page size 1 to 100': {
      sandbox: 'Else 400.',
      client: 'src/apis/investigation/pages.ts#ListFilter.pageSize',
      test: `${sandbox} › a list with ?limit=101 is refused as invalid_page_size`,
    },
    'frequency_hours 1 to 720': {
      sandbox: 'Else 400.',
      client: 'src/starters/monitors/update.ts#updateCommand',
      test: `${command} › a frequency of 721 is wrong usage, and nothing is sent`,
    },
    'changes are read by polling the list: nothing is sent unasked': {
      sandbox: 'Sends nothing unasked, no e-mail either.',
      client: `${api}.listChanges`,
      test: `${client} › changes appear as the clock of the sandbox goes on`,
    },
  },
  'Monitor: not shown': {
    'names of the query parameters': {
      sandbox: 'Each can be another.',
      client: 'assumption: page size, cursor and filters of a list',
      test: `${client} › every assumed name can be another`,
    },
    'a service that knows no such name': {
      sandbox: 'Refuses it, or ignores it on wish.',
      client: 'assumption: a service that ignores such a name',
      test: `${client} › a service that ignores the cursor gives the same page and the same cursor again`,
    },
    'reading a monitor': {
      sandbox: 'A route that can be left out.',
      client: 'assumption: read a monitor',
      test: `${client} › without the read route, reading is 404, and all else works`,
    },
    'what happens to fields left out of a PATCH': {
      sandbox: 'They keep their value.',
      client: 'assumption: fields left out of a PATCH',
      test: `${client} › an update sends the given fields and no others`,
    },
    'values of health.status and subscription.status': {
      sandbox: 'Any word of the scenario.',
      client: `${change}#MonitorHealth.status`,
      test: wholeMonitor,
    },
    'values of type, and what stands in before and after': {
      sandbox: 'Invented, or of the scenario.',
      client: `${change}#Change.type`,
      test: wholeChange,
    },
    'monitor transitions': {
      sandbox: 'Only a control route moves a monitor.',
      client: `${change}#Monitor.statusWord`,
      test: `${sandbox} › a monitor is cancelled while it is watched`,
    },
    'creating and listing monitors': {
      sandbox: 'Has no such routes: monitors are those of the scenario.',
      client: 'not read: the user names the monitors',
      test: `${sandbox} › %s is told`,
    },
  },
};
