/** Content of the audit trail: words, ids and keyed names. Never a document, a name or a token. */

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
 * One event. Recorded at least once: entries of the same id and result are one when read; another result of the same
 * id was learned later.
 */
export interface AuditEntry {
  kind: AuditKind;
  /** Id of the event, the same for every repetition: `request/<type>/<subject>/<n>`. */
  id: string;
  /** Its result in a word: `accepted`, `issued`, `reissue`, `erased`... */
  result: string;
  /** The actor: for a worker, who requested the job. */
  by: string;
  /** ISO 8601 instant of the event; the record also has the instant of writing. */
  happenedAt: string;
  /** Job id. */
  job?: string;
  /** Row index. */
  item?: number;
  /** `IdKey.nameOf('document', ...)`. */
  subject?: string;
  certidaoId?: string;
  /** Of the evidence. */
  sha256?: string;
  /** Anything else that is never personal, so that it need not be erased. */
  details?: Record<string, string | number | boolean | null>;
}

/** A stored entry, linked to the previous one of its chain. */
export interface AuditRecord extends AuditEntry {
  /** Hash of the previous record; for the first, of the store's id and the chain's name. */
  prev: string;
  /** From 1, without gaps. */
  number: number;
  /** ISO 8601 instant of writing: never before that of the previous record. */
  at: string;
}

/** Head of a chain when an anchor was made. */
export type ChainHead = [chain: string, number: number, hash: string];

/** Links the chains of many writers: each anchor names the heads that changed since the last. */
export interface AuditAnchor {
  prev: string;
  number: number;
  at: string;
  heads: ChainHead[];
}
