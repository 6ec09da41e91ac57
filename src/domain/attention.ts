import type { Cell, ResolveAction } from './core/kind';
import { kindFacts, type JobEnd, type JobKind } from './job';

/**
 * What needs a person, how a command ends, and what a person may decide: one table of kind and status
 * (decision record 023). A last word of the service, even a no, is `failed`. What may still turn out otherwise, or
 * may have been charged without a result in the store, needs a person; so does a batch that lacks the result
 * of a row.
 */

/** What a decision comes to. */
export interface ActionMeaning {
  action: ResolveAction;
  /** The service may charge for it. */
  mayCost: boolean;
  does: string;
}

/** Codes by which a command ends; 2 (usage) and 130 (interrupted) tell nothing of a job. */
export type EndCode = 0 | 1 | 3;

/** One cell of the table. */
export interface Attention {
  needsAttention: boolean;
  exitCode: EndCode;
  actions: readonly ActionMeaning[];
}

/**
 * What an end leaves open beside its status. `incomplete`: something that was announced is not in the store.
 * `possible_charge`: a request may have been charged, and nobody knows what it began. `escalated`: tried so
 * often that a person must look.
 */
export type Doubt = 'incomplete' | 'possible_charge' | 'escalated';

/** Why a job that has not ended needs a person. */
export type WaitReason =
  | 'credentials'
  | 'review'
  | 'decision'
  /** As many rows are unknown as may be. */
  | 'unknown'
  /** As many requests were made as may be. */
  | 'budget'
  | 'restored'
  | 'stands_still';

const whileWaiting: Record<WaitReason, { why: string; actions: readonly ResolveAction[] }> = {
  credentials: {
    why: 'the service refuses the token: it goes on by itself when one works',
    actions: [],
  },
  review: { why: 'it needs a review', actions: ['accept', 'retry'] },
  decision: {
    why: 'requests were turned away again and again: `diligence resume` tries again',
    actions: [],
  },
  unknown: {
    why: 'their requests left and no answer came: look at the service; `diligence resume` goes on until as many more are unknown',
    actions: [],
  },
  budget: {
    why: '--budget allows no more of them (`diligence cost` tells what was spent): `diligence resume` lets as many be made again',
    actions: [],
  },
  restored: {
    why: 'it was under way when the store was backed up: the command that began it goes on with it',
    actions: [],
  },
  stands_still: {
    why: 'its workflow fails again and again: run the version of diligence that started it, or cancel it',
    actions: [],
  },
};

const meanings: Record<ResolveAction, Omit<ActionMeaning, 'action'>> = {
  reissue: { mayCost: true, does: 'asks for it again: both requests may be charged' },
  abandon: { mayCost: false, does: 'gives it up: what was sent is looked for no longer' },
  watch: { mayCost: false, does: 'goes on with what was sent, and sends nothing new' },
  adopt: { mayCost: false, does: 'takes the id that the service has named, to its end' },
  accept: { mayCost: false, does: 'takes it as it is' },
  retry: { mayCost: true, does: 'asks for another attempt' },
  acknowledge: { mayCost: false, does: 'a person has seen it: it is left as it is' },
};

/** Of a status that the table does not know, a person is told. */
const unknownCell: Cell = ['person'];

function cellOf(kind: JobKind, status: string): Cell {
  return kindFacts[kind].statuses[status] ?? unknownCell;
}

/** @param doubts any of them needs a person, whatever the status */
export function attentionOf(
  kind: JobKind,
  status: string,
  doubts: readonly Doubt[] = [],
): Attention {
  const [verdict, ...actions] = cellOf(kind, status);
  const isNeeded = verdict === 'person' || doubts.length > 0;
  const named = isNeeded ? ([...actions, 'acknowledge'] as const) : actions;
  return {
    needsAttention: isNeeded,
    exitCode: isNeeded ? 3 : verdict === 'failed' ? 1 : 0,
    actions: named.map(meaningOf),
  };
}

export function needsAttention(
  kind: JobKind,
  status: string,
  doubts: readonly Doubt[] = [],
): boolean {
  return attentionOf(kind, status, doubts).needsAttention;
}

/** How a command about a job ends: what a person has decided about needs none any more. */
export function exitCodeOf(kind: JobKind, end: JobEnd): EndCode {
  if (end.needsAttention) return 3;
  return cellOf(kind, end.status)[0] === 'failed' ? 1 : 0;
}

export function endOf(kind: JobKind, status: string, doubts: readonly Doubt[] = []): JobEnd {
  return { status, needsAttention: needsAttention(kind, status, doubts) };
}

/**
 * Why a job is in the inbox, and what can be decided now.
 *
 * @param waitsForRows that the reason is about
 * @param isNeeded a person is
 */
export function inboxEntry(
  {
    kind,
    status,
    waitsFor,
    waitsForRows,
  }: {
    kind: JobKind;
    status: string | null;
    waitsFor: WaitReason | null;
    waitsForRows: number | null;
  },
  isNeeded = true,
): { why: string; actions: readonly ActionMeaning[] } {
  if (status === null) {
    const { why, actions } = whileWaiting[waitsFor ?? 'restored'];
    const so = waitsFor === 'budget' ? 'requests at most are left' : 'rows are unknown';
    const about = waitsForRows === null ? '' : `${waitsForRows} ${so}: `;
    return { why: `${about}${why}`, actions: actions.map(meaningOf) };
  }
  const [verdict] = cellOf(kind, status);
  const why = whyOf[status] ?? 'a row of it lacks its result, or something is in doubt';
  return {
    why: verdict === 'person' ? why : 'something that was announced is missing, or may be charged',
    actions: isNeeded
      ? attentionOf(kind, status, ['incomplete']).actions
      : // What needed a person was decided.
        verdict === 'person'
        ? []
        : attentionOf(kind, status).actions,
  };
}

const whyOf: Readonly<Partial<Record<string, string>>> = {
  unknown_outcome: 'it may have been accepted and charged, and nobody knows',
  unreadable: 'it was answered, perhaps charged, and nobody can read the answer',
  expired: 'it had not settled in time',
  needs_review: 'it needs a review, and nobody has decided',
};

function meaningOf(action: ResolveAction): ActionMeaning {
  return { action, ...meanings[action] };
}

const bySeverity = [
  'lost',
  'unknown_outcome',
  'failed',
  'refused',
  'unreadable',
  'expired',
  'needs_review',
  'incomplete',
  'followed',
  'invalid',
  'unsupported',
  'not_found',
  'cancelled',
  'issued',
  'completed',
  'found',
  'duplicate',
];

/** One word for how a batch ended: the status of the row that needs a person most. */
export function mostSevere(counts: Readonly<Partial<Record<string, number>>>): string {
  const isThere = (status: string): boolean => (counts[status] ?? 0) > 0;
  return bySeverity.find(isThere) ?? Object.keys(counts).find(isThere) ?? 'completed';
}
