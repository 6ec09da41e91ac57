import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import { healthEveryMs, healthOf } from '../../domain/monitors/health';
import type { HealthOnFile } from '../../domain/monitors/kept';
import type { MonitorRepository } from '../../store/monitors/monitors';
import type { MonitorDependencies } from '../dependencies';

/**
 * What the service tells of a monitor, read at most once a day. That it does not tell is
 * kept as well. Throws nothing of the service's: without health, changes are swept all the same.
 */
export async function healthToday(
  monitorId: string,
  known: MonitorRepository,
  { monitors, now, warn }: MonitorDependencies,
  signal: AbortSignal,
): Promise<HealthOnFile | null> {
  const before = (await known.get(monitorId))?.health ?? null;
  if (before !== null && now() - Date.parse(before.at) < healthEveryMs) return before;
  const at = new Date(now()).toISOString();
  try {
    const { monitor, answer } = await monitors.read(monitorId, 'poll', signal);
    const health = healthOf(monitor, at);
    await known.putAnswer(monitorId, { at, by: 'read', monitor, answer }, health);
    return health;
  } catch (error) {
    const status = error instanceof StatusError ? error.status : null;
    if (signal.aborted) throw error;
    const why = whyUntold(error);
    if (why !== null) {
      const health: HealthOnFile = { kind: 'unknown', at, why, status };
      await known.putHealth(monitorId, health);
      return health;
    }
    if (!isCallFailure(error)) throw error;
    warn('a monitor could not be read', { monitor: monitorId, status });
    return before;
  }
}

/** Why the service will not tell today, in words; null when it may at the next look. */
function whyUntold(error: unknown): string | null {
  if (error instanceof ContractError) return 'the service tells it in a shape that we cannot read';
  if (!(error instanceof StatusError) || classifyFailure(error) === 'transient') return null;
  return error.status === 501 || [404, 405].includes(error.status)
    ? `the service does not tell (${error.status}): MONITOR_READ_PATH is an assumption`
    : `the service does not tell (${error.status})`;
}
