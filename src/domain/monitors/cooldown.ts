import type { Change } from './change';

/**
 * Repeats of one kind of change of one monitor within a time are told together. The first is told at
 * once and opens a window; what comes within it is folded, and told in a digest when it is over.
 */
export interface CooldownWindow {
  /** Of its kind of change, from 1. */
  number: number;
  /** Epoch milliseconds; null when its beginning is not on file any more: it is over. */
  openedAt: number | null;
  opener: string | null;
  folded: ReadonlySet<string>;
  /** Its digest is made up: nothing is added to it. */
  closed: boolean;
}

export type CooldownVerdict =
  /** Told by itself. */
  | { kind: 'tell' }
  /** Told by itself, and opens the window of this number. */
  | { kind: 'open'; number: number }
  | { kind: 'fold'; number: number };

/** What repeats each other: one type and one severity of one monitor. */
export function cooldownKind({ type, severity }: Pick<Change, 'type' | 'severity'>): string {
  return JSON.stringify([severity, type]);
}

/** @param windows of the kind of the change, in order */
export function judgeRepeat(
  changeId: string,
  windows: readonly CooldownWindow[],
  at: number,
  cooldownMs: number,
): CooldownVerdict {
  const known = windows.find(({ folded }) => folded.has(changeId));
  if (known !== undefined) return { kind: 'fold', number: known.number };
  // It was told, or is still to be: either way not in a digest.
  if (windows.some(({ opener }) => opener === changeId)) return { kind: 'tell' };
  const last = windows.at(-1);
  if (last !== undefined && !last.closed && !isOver(last, at, cooldownMs)) {
    return { kind: 'fold', number: last.number };
  }
  return { kind: 'open', number: (last?.number ?? 0) + 1 };
}

export function isOver(
  { openedAt }: Pick<CooldownWindow, 'openedAt'>,
  at: number,
  cooldownMs: number,
): boolean {
  return openedAt === null || at >= openedAt + cooldownMs;
}
