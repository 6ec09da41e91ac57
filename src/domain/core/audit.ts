/** What the audit trail keeps: words, ids and keyed names. Never a document, a name or a token. */

export const auditKinds = [
  'request',
  'outcome',
  'decision',
  'delivery',
  'erasure',
  'backup',
] as const;
export type AuditKind = (typeof auditKinds)[number];

/**
 * One happening, as whoever saw it tells it. Telling is at least once: entries of the same id and
 * result are one when read, and another result of the same id is what was learned later.
 */
export interface AuditEntry {
  kind: AuditKind;
  /** Names the happening, the same however often it is told: `request/<type>/<subject>/<n>`. */
  id: string;
  /** What came of it, in a word: `accepted`, `issued`, `reissue`, `erased`... */
  result: string;
  /** The person it is due to: of what a worker did, whoever asked for the work. */
  by: string;
  /** ISO 8601 instant of the happening; the record has that of its writing beside it. */
  happenedAt: string;
  /** Id of the work. */
  work?: string;
  /** Place of the row among the things to buy. */
  item?: number;
  /** `IdKey.nameOf('document', ...)`. */
  subject?: string;
  certidaoId?: string;
  /** Of the evidence. */
  sha256?: string;
  /** Anything else that must never be erased, and never need be. */
  details?: Record<string, string | number | boolean | null>;
}

/** An entry on record, linked to the one before it in its chain. */
export interface AuditRecord extends AuditEntry {
  /** Hash of the record before; of the first, of the store's id and the chain's name. */
  prev: string;
  /** From 1, without gaps. */
  number: number;
  /** ISO 8601 instant of its writing: never before that of the record before it. */
  at: string;
}

/** How far a chain went when an anchor was made. */
export type ChainHead = [chain: string, number: number, hash: string];

/** Ties chains of many writers together: each anchor names the heads that moved since the last. */
export interface AuditAnchor {
  prev: string;
  number: number;
  at: string;
  heads: ChainHead[];
}
