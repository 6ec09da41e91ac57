import type { Change } from './change';

/**
 * A change within a cooldown. Repeated changes of one kind of one monitor are delivered together: the first is
 * delivered at once and starts a window; later ones are held, and delivered in a digest when it ends.
 */
export interface Repeat {
  changeId: string;
  kind: string;
  openedAt: number;
  /** False: it started the window. */
  isHeld: boolean;
  digest: string | null;
}

export function cooldownKind({ type, severity }: Pick<Change, 'type' | 'severity'>): string {
  return JSON.stringify([severity, type]);
}

/**
 * Held in a window of its kind, or the first of a new one.
 * @param repeats of its monitor: a window takes no more changes once its digest is built
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
