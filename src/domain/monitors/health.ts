import type { Monitor } from './change';
import type { HealthOnFile, UnknownHealth } from './stored';

/** A blocked monitor looks like one without changes: it is read once a day. */
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

export type HealthNote =
  /** Its changes could not be listed: what the call came to. */
  | { kind: 'failing'; why: string }
  /** It may not run, and detects nothing: the service's word; null: none was told. */
  | { kind: 'blocked'; why: string | null }
  /** The service's own checks of it fail; null: not told. */
  | { kind: 'unwell'; health: string | null; failures: number; lastCycleAt: string | null }
  /** `status`: of the answer. */
  | { kind: 'unknown'; why: UnknownHealth; status: number | null };

/** Empty: healthy. */
export function healthNotes(health: HealthOnFile | null): HealthNote[] {
  if (health?.kind !== 'known') {
    const { why = 'not_read', status = null } = health ?? {};
    return [{ kind: 'unknown', why, status }];
  }
  return [...blockOf(health), ...unwellOf(health)];
}

type KnownHealth = Extract<HealthOnFile, { kind: 'known' }>;

function blockOf({ state, executionAllowed, blockingReason }: KnownHealth): HealthNote[] {
  if (executionAllowed === false) return [{ kind: 'blocked', why: blockingReason }];
  const isStopped = state === 'paused' || state === 'cancelled';
  return isStopped ? [{ kind: 'blocked', why: `monitor_${state}` }] : [];
}

function unwellOf({ health, consecutiveFailures, lastCycleAt }: KnownHealth): HealthNote[] {
  const failures = consecutiveFailures ?? 0;
  // The specification does not list its words: an unknown word means nothing.
  const isBad = /fail|unhealthy|error|degraded|critical|down/i.test(health ?? '');
  return failures === 0 && !isBad ? [] : [{ kind: 'unwell', health, failures, lastCycleAt }];
}
