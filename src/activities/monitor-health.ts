import { StatusError } from '../apis/http/errors';
import type { MonitorRecords } from '../archive/monitor-records';
import { healthEveryMs, healthOf } from '../domain/monitors/health';
import type { HealthOnFile } from '../domain/monitors/kept';
import type { MonitorDependencies } from './dependencies';

/**
 * What the service tells of a monitor, read at most once a day (DESIGN 4). That it does not tell is
 * kept as well. Throws nothing of the service's: without health, changes are swept all the same.
 */
export async function healthToday(
  monitorId: string,
  records: MonitorRecords,
  { monitors, now, warn }: MonitorDependencies,
  signal: AbortSignal,
): Promise<HealthOnFile | null> {
  const before = await records.health(monitorId);
  if (before !== null && now() - Date.parse(before.at) < healthEveryMs) return before;
  const at = new Date(now()).toISOString();
  try {
    const { monitor, answer } = await monitors.read(monitorId, 'poll', signal);
    await records.putMonitor(monitorId, { at, by: 'read', monitor, answer });
    const health = healthOf(monitor, at);
    await records.putHealth(monitorId, health);
    return health;
  } catch (error) {
    const status = error instanceof StatusError ? error.status : null;
    if (signal.aborted) throw error;
    if (status === 404 || status === 405 || status === 501) {
      const why = `the service does not tell (${status}): MONITOR_READ_PATH is an assumption`;
      const health: HealthOnFile = { kind: 'unknown', at, why, status };
      await records.putHealth(monitorId, health);
      return health;
    }
    warn('a monitor could not be read', { monitor: monitorId, status });
    return before;
  }
}
