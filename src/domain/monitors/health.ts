import type { Say, Words } from '../job';
import type { Monitor } from './change';
import type { HealthOnFile } from './stored';

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

type NoteKind = 'failing' | 'blocked' | 'unwell' | 'unknown' | 'unfinished';

/** Notes on a monitor for people, by kind. */
export const noteWords: Readonly<Record<NoteKind, Words>> = {
  /** Its changes could not be listed. */
  failing: ['could not be listed', 'não pôde ser listado'],
  blocked: ['may not run, and detects nothing', 'não pode executar, e nada detecta'],
  unwell: ["the service's own checks of it fail", 'as verificações do próprio serviço falham'],
  /** Its health is unknown. */
  unknown: ['health unknown', 'saúde desconhecida'],
  /** Until a sweep of it succeeds. */
  unfinished: ['left by its last sweep', 'deixado pela última varredura'],
};

export interface HealthNote {
  kind: NoteKind;
  why: string;
}

export interface MonitorNote extends HealthNote {
  monitorId: string;
}

/** Empty: healthy. */
export function healthNotes(health: HealthOnFile | null): HealthNote[] {
  if (health?.kind !== 'known') {
    return [{ kind: 'unknown', why: health?.why ?? 'it could not be read yet' }];
  }
  const [blocked, unwell] = [blockOf(health), unwellOf(health)];
  return [
    ...(blocked === null ? [] : [{ kind: 'blocked', why: blocked } as const]),
    ...(unwell === null ? [] : [{ kind: 'unwell', why: unwell } as const]),
  ];
}

type KnownHealth = Extract<HealthOnFile, { kind: 'known' }>;

function blockOf({ state, executionAllowed, blockingReason }: KnownHealth): string | null {
  if (executionAllowed === false) return blockingReason ?? 'execution not allowed';
  return state === 'paused' || state === 'cancelled' ? `monitor_${state}` : null;
}

function unwellOf({ health, consecutiveFailures, lastCycleAt }: KnownHealth): string | null {
  const failures = consecutiveFailures ?? 0;
  // The specification does not list its words: an unknown word means nothing.
  const isBad = /fail|unhealthy|error|degraded|critical|down/i.test(health ?? '');
  if (failures === 0 && !isBad) return null;
  const times = failures === 0 ? '' : `, ${failures} in a row failed`;
  return `${health ?? 'health not told'}${times}, the last one at ${lastCycleAt ?? 'an instant not told'}`;
}

export function noteLine({ kind, why }: HealthNote, say: Say = (en) => en): string {
  return `${say(...noteWords[kind])}: ${why}`;
}
