import { endlessWords, firstPosition, onward, type Position } from '../core/service/list-walk';
import type { Fault, PageReport, SweepSums } from './sweep';

interface ChangePosition extends Position {
  size: number | null;
}

export interface Walk extends ChangePosition {
  /** Something was settled since the scan began at the top. */
  progress: boolean;
}

export const firstWalk: Walk = { ...firstPosition, size: null, progress: false };

export interface ReconcileWalk extends ChangePosition {
  state: 'acknowledged' | null;
  /** It met an acknowledged change. */
  reported: boolean;
}

export const firstReconcileWalk: ReconcileWalk = {
  ...firstPosition,
  size: null,
  state: null,
  reported: false,
};

export interface NextPage {
  walk: Walk | null;
  fault: Fault | null;
}

/**
 * The page after a completed one (decision record 017). Acknowledged changes leave the list, so that the first page
 * holds what is next, regardless of cursors; a cursor only skips what cannot be settled. A scan that settled something
 * is followed by another one, which lists what a cursor skipped.
 */
export function nextPage(walk: Walk, page: PageReport): NextPage {
  if (page.fault !== null && !isPastEnd(walk, page.fault)) return { walk, fault: page.fault };
  const { size } = page;
  const again: NextPage = { walk: { ...firstWalk, size }, fault: null };
  const mayHaveMore = page.hasMore || page.nextCursor !== null;
  if (mayHaveMore && page.settled > 0 && page.staying === 0) return again;
  const progress = walk.progress || page.settled > 0;
  const next = onward(walk, page);
  if (next.kind === 'endless') return { walk, fault: endlessFault(next.why) };
  if (next.kind === 'page') return { walk: { ...next.position, size, progress }, fault: null };
  const isDone = !progress || (walk.cursor === null && !page.hasMore);
  return isDone ? { walk: null, fault: null } : again;
}

export function endlessFault(why: keyof typeof endlessWords): Fault {
  return { fault: 'cursor repeated', message: endlessWords[why] };
}

/** A cursor named after the end, which the service rejects: it is the end. */
export function isPastEnd({ spare }: Position, fault: Fault | null): boolean {
  return spare && (fault?.fault === 'refused' || fault?.fault === 'no monitor');
}

/** Sums over the pages of one activity, and where the next one starts. */
export interface SweepReport extends SweepSums, NextPage {
  /** It met the stop mark of its job, and started no other page. */
  isStopped: boolean;
}
