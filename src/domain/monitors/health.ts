import type { Monitor } from './change';
import type { HealthOnFile } from './kept';

/** A monitor that may not run looks just like one without changes: it is read now and then. */
export const healthEveryMs = 86_400_000;

export function healthOf(monitor: Monitor, at: string): HealthOnFile {
  return {
    kind: 'known',
    at,
    state: monitor.statusWord,
    executionAllowed: monitor.executionAllowed,
    blockingReason: monitor.blockingReason,
    health: monitor.health?.status ?? null,
    subscription: monitor.subscription?.status ?? null,
    consecutiveFailures: monitor.health?.consecutiveFailures ?? null,
    lastCycleAt: monitor.health?.lastCycleAt ?? null,
  };
}

/** Why nobody knows whether a monitor may run, in words; null when it is known. */
export function unknownOf(health: HealthOnFile | null): string | null {
  if (health?.kind === 'known') return null;
  return health?.why ?? 'it could not be read yet';
}

/** Why a monitor detects nothing, in words; null when it may run, or nobody knows. */
export function blockOf(health: HealthOnFile | null): string | null {
  if (health?.kind !== 'known') return null;
  const { state, executionAllowed, blockingReason } = health;
  if (executionAllowed === false) return blockingReason ?? 'execution not allowed';
  return state === 'paused' || state === 'cancelled' ? `monitor_${state}` : null;
}
