import type { Change } from './change';

/**
 * A change within a cooldown. Repeats of one kind of change of one monitor within a time are told together: the
 * first is told at once and opens a window; what comes within it is held back, and told in a digest when it is over.
 */
export interface Repeat {
  changeId: string;
  kind: string;
  /** Of its window, epoch milliseconds. */
  openedAt: number;
  /** False: it opened the window. */
  isHeld: boolean;
  /** Which one tells it; null: none is made up yet. */
  digest: string | null;
}

/** What repeats each other: one type and one severity of one monitor. */
export function cooldownKind({ type, severity }: Pick<Change, 'type' | 'severity'>): string {
  return JSON.stringify([severity, type]);
}

/**
 * Held back in a window of its kind, or the first of a new one.
 *
 * @param repeats of its monitor: a window takes nothing more once a digest of it is made up
 */
export function repeatOf(
  { changeId, kind }: Pick<Repeat, 'changeId' | 'kind'>,
  repeats: readonly Repeat[],
  at: number,
  cooldownMs: number,
): Repeat {
  const known = repeats.find((one) => one.changeId === changeId);
  if (known !== undefined) return known;
  const its = repeats.filter((one) => one.kind === kind);
  const last = its.reduce((latest, { openedAt }) => Math.max(latest, openedAt), -Infinity);
  const isClosed = its.some(({ openedAt, digest }) => openedAt === last && digest !== null);
  const isHeld = !isClosed && !isOver({ openedAt: last }, at, cooldownMs);
  return { changeId, kind, openedAt: isHeld ? last : at, isHeld, digest: null };
}

export function isOver(
  { openedAt }: Pick<Repeat, 'openedAt'>,
  at: number,
  cooldownMs: number,
): boolean {
  return at >= openedAt + cooldownMs;
}
