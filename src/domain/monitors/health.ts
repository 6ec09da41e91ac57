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

/** What the service tells of its own looks at a monitor, in words, when they fail; null when they do not. */
export function unwellOf(health: HealthOnFile | null): string | null {
  if (health?.kind !== 'known') return null;
  const { health: word, consecutiveFailures, lastCycleAt } = health;
  const failures = consecutiveFailures ?? 0;
  // Its words are not listed: one that we do not know says nothing.
  const isBad = /fail|unhealthy|error|degraded|critical|down/i.test(word ?? '');
  if (failures === 0 && !isBad) return null;
  const times = failures === 0 ? '' : `, ${failures} in a row failed`;
  return `${word ?? 'health not told'}${times}, the last look at ${lastCycleAt ?? 'an instant not told'}`;
}

/** What a person should know of a monitor. Empty: it may run, and does. */
export function healthRemarks(health: HealthOnFile | null): string[] {
  const [unknown, block, unwell] = [unknownOf(health), blockOf(health), unwellOf(health)];
  return [
    ...(unknown === null ? [] : [`health unknown: ${unknown}`]),
    ...(block === null ? [] : [`may not run, and detects nothing: ${block}`]),
    ...(unwell === null ? [] : [`the service's own looks at it fail: ${unwell}`]),
  ];
}
