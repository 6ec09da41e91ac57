import { classifyFailure, isCallFailure } from '../apis/http/classify';
import { StatusError } from '../apis/http/errors';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { MonitorsApi, type ChangeFilter } from '../apis/investigation/monitors';
import type { ChangePage } from '../apis/investigation/wire/monitors.wire';
import type { Store } from '../store/store';
import type { Change } from '../domain/monitors/change';
import { healthNotes, healthOf } from '../domain/monitors/health';
import type { Environment } from '../environment';
import { MonitorListRepository } from '../store/monitors/lists';
import { SinkRepository } from '../store/monitors/sinks';
import { fail, messageOf, ok, warn, type Finding } from './finding';

const timeoutMs = 10_000;
/** Maximum calls a second, whatever the installation may use. */
const usualRps = 20;
const absent = '00000000-0000-4000-8000-000000000000';

/**
 * The monitors of the investigation service, by a few reads: the token, and the assumptions. Parameter names show only
 * where there are changes: at a scheduled monitor.
 */
export async function examineMonitors(
  { investigation, monitorNames, resendOn503 }: Environment,
  store: Store | undefined,
  mostRps = usualRps,
): Promise<Finding[]> {
  if (investigation === null) return [];
  const { baseUrl, rps, token } = investigation;
  const service = new Service({
    baseUrl,
    token: 'file' in token ? Token.fromFile(token.file) : Token.of(token.value),
    ratePerSecond: mostRps,
    mostPerSecond: rps,
    resendOn503,
    keepsAlive: true,
  });
  try {
    const api = new MonitorsApi(service, monitorNames, timeoutMs);
    const watched = store === undefined ? null : await watchedMonitor(store);
    const access = await examineAccess(api, watched ?? absent);
    if (watched === null || access.state !== 'ok') return [access];
    return [
      access,
      ...(await examineNames(api, watched, monitorNames)),
      await health(api, watched),
    ];
  } finally {
    await service.close();
  }
}

/** The sinks: one that answered 410 is disabled, which is reported here only. */
export async function examineSinks(
  { monitorSinks }: Environment,
  store: Store | undefined,
): Promise<Finding[]> {
  if (store === undefined) return [];
  const sinks = await new SinkRepository(store).now(monitorSinks);
  return sinks.flatMap(({ name, required, disabled }) => {
    if (disabled === null) return [];
    const fix = `\`diligence monitor sink --enable ${name}\`, once its receiver takes changes again`;
    const since = `${disabled.why} at ${disabled.at}, and is asked no more`;
    return required
      ? [fail(`sink ${name}`, `${since}: changes stay open`, fix)]
      : [warn(`sink ${name}`, `${since}: changes are acknowledged without it`, fix)];
  });
}

/** The first one of any list; null: no lists. */
async function watchedMonitor(store: Store): Promise<string | null> {
  const lists = new MonitorListRepository(store);
  const list = (await lists.all()).find(({ pages }) => pages > 0);
  return list === undefined ? null : ((await lists.page(list, 0))[0] ?? null);
}

async function examineAccess(api: MonitorsApi, monitorId: string): Promise<Finding> {
  const check = 'monitors';
  try {
    await api.listChanges(monitorId, {}, 'interactive');
    return ok(check, 'the token is taken, and changes can be listed');
  } catch (error) {
    const status = error instanceof StatusError ? error.status : null;
    if (isCallFailure(error) && classifyFailure(error) === 'credentials') {
      const fix = 'fix INVESTIGATION_TOKEN, then restart the workers (`diligence stop`)';
      return fail(check, 'the bearer token is refused', fix);
    }
    const isThere = monitorId !== absent;
    if ((status === 404 || status === 410) && !isThere) {
      return ok(check, 'the token is taken; no monitor is watched whose changes could be listed');
    }
    if (status === 404 || status === 410) {
      const fix = 'take it off the list with `diligence monitor schedule`';
      return warn(check, `the service knows no monitor ${monitorId}, which is watched`, fix);
    }
    const fix = 'fix INVESTIGATION_BASE_URL, or the way there; nothing, if monitors are not used';
    return warn(check, messageOf(error), fix);
  }
}

/** What a page shows about a name. `unseen`: nothing. */
type Verdict = 'honoured' | 'ignored' | 'refused' | 'unseen';

async function examineNames(
  api: MonitorsApi,
  monitorId: string,
  names: Environment['monitorNames'],
): Promise<Finding[]> {
  const list = (filter: ChangeFilter) => api.listChanges(monitorId, filter, 'interactive');
  const pageSize = await pageSizeVerdict(list).catch(verdictOf);
  const small = pageSize === 'honoured' ? { pageSize: 1 } : {};
  const cursor = await cursorVerdict(list, small).catch(verdictOf);
  const status = await filterVerdict(
    list,
    { status: 'acknowledged' },
    ({ state }) => state !== 'open',
  ).catch(verdictOf);
  const severity = await filterVerdict(list, { severity: 'critical' }, (change) =>
    ['critical', 'unknown'].includes(change.severity),
  ).catch(verdictOf);
  return [
    nameFinding('lists.pageSizeParam', names.pageSizeParam, pageSize),
    nameFinding('lists.cursorParam', names.cursorParam, cursor),
    nameFinding('lists.statusParam', names.statusParam, status),
    nameFinding('lists.severityParam', names.severityParam, severity),
  ];
}

type List = (filter: ChangeFilter) => Promise<ChangePage>;

async function pageSizeVerdict(list: List): Promise<Verdict> {
  const { items, hasMore } = await list({ pageSize: 1 });
  if (items.length > 1) return 'ignored';
  return items.length === 1 && hasMore ? 'honoured' : 'unseen';
}

async function cursorVerdict(list: List, small: ChangeFilter): Promise<Verdict> {
  const first = await list(small);
  if (!first.hasMore || first.nextCursor === null) return 'unseen';
  const second = await list({ ...small, cursor: first.nextCursor });
  const begin = idOf(first);
  const isSame =
    second.nextCursor === first.nextCursor || (begin !== null && idOf(second) === begin);
  return isSame ? 'ignored' : 'honoured';
}

/** Of the first item; null: none, or unreadable. */
function idOf({ items: [first] }: ChangePage): string | null {
  return first?.kind === 'change' ? first.change.changeId : null;
}

/** A filter shows when it omits something. */
async function filterVerdict(
  list: List,
  filter: ChangeFilter,
  passes: (change: Change) => boolean,
): Promise<Verdict> {
  const isOut = ({ items }: ChangePage): boolean =>
    items.some((item) => item.kind === 'change' && !passes(item.change));
  if (isOut(await list(filter))) return 'ignored';
  return isOut(await list({})) ? 'honoured' : 'unseen';
}

/** Any other failure says nothing about a name. */
function verdictOf(error: unknown): Verdict {
  const isRefusal = error instanceof StatusError && [400, 422].includes(error.status);
  return isRefusal ? 'refused' : 'unseen';
}

function nameFinding(check: string, name: string, verdict: Verdict): Finding {
  const fix = `set ${check} to the service's name for it`;
  switch (verdict) {
    case 'honoured':
      return ok(check, `\`${name}\` is what the service calls it`);
    case 'unseen':
      return ok(
        check,
        `\`${name}\` is assumed; the changes there are do not show whether it is so`,
      );
    case 'ignored':
      return warn(
        check,
        `\`${name}\` has no effect: changes are sorted out by their own fields`,
        fix,
      );
    case 'refused':
      return warn(check, `\`${name}\` is refused by the service`, fix);
  }
}

async function health(api: MonitorsApi, monitorId: string): Promise<Finding> {
  const check = 'monitors.readPath';
  try {
    const { monitor } = await api.read(monitorId, 'interactive');
    const block = healthNotes(healthOf(monitor, '')).find((note) => note.kind === 'blocked');
    if (block === undefined) return ok(check, 'monitors can be read, and the first one may run');
    const fix = 'put it right with the service; until then it detects nothing';
    return warn(
      check,
      `monitor ${monitorId} may not run: ${block.why ?? 'execution not allowed'}`,
      fix,
    );
  } catch (error) {
    const fix =
      'set it to the path by which the service tells of a monitor, if there is one; without it, reports say `health unknown`';
    return warn(check, `a monitor cannot be read: ${messageOf(error)}`, fix);
  }
}
