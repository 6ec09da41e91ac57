import { endlessWords, firstPosition, onward, type Position } from '../core/service/list-walk';
import type { Fault, PageReport, SweepSums } from './sweep';

/** Which page of changes comes next: of what is open, and of all states. */

/** Where a walk over a list of changes stands. */
interface ChangePosition extends Position {
  /** Pages with more items could not be had. Null: as many as a page may have. */
  size: number | null;
}

/** A walk over what is open. */
export interface Walk extends ChangePosition {
  /** Something was settled since the walk began at the top. */
  progress: boolean;
}

export const firstWalk: Walk = { ...firstPosition, size: null, progress: false };

/** A walk over all states. */
export interface ReconcileWalk extends ChangePosition {
  /** Asked for; null: no filter. */
  state: 'acknowledged' | null;
  /** It met something acknowledged. */
  reported: boolean;
}

export const firstReconcileWalk: ReconcileWalk = {
  ...firstPosition,
  size: null,
  state: null,
  reported: false,
};

export interface NextPage {
  /** Null: nothing is left to walk. */
  walk: Walk | null;
  /** The walk ends before its end. */
  fault: Fault | null;
}

/**
 * Which page comes after one that was worked off (decision record 017). What was acknowledged leaves the list,
 * so that the first page holds what is next, whatever the service does with cursors; a cursor leads only past
 * what cannot be settled. A walk that settled something is followed by another, which sees what a
 * cursor shifted over.
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

/** `fault` of a walk that would go on for ever (decision record 017). */
export function endlessFault(why: keyof typeof endlessWords): Fault {
  return { fault: 'cursor repeated', message: endlessWords[why] };
}

/** A cursor that the service named after the end, and does not take: the end it is. */
export function isPastEnd({ spare }: Position, fault: Fault | null): boolean {
  return spare && (fault?.fault === 'refused' || fault?.fault === 'no monitor');
}

/** What the pages of one activity came to, and where the next one begins. */
export interface SweepReport extends SweepSums, NextPage {
  /** It met the stop mark of its job, and began no other page. */
  isStopped: boolean;
}
