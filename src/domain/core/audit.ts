import type { JobInput, OutcomeFields } from './job-record';
import type { Receipt } from './service/attempts';

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
  result: string;
  /** The actor: for a worker, who requested the job. */
  by: string;
  happenedAt: string;
  job?: string;
  item?: number;
  subject?: string;
  certidaoId?: string;
  sha256?: string;
  /** Anything else that is never personal, so that it need not be erased. */
  details?: Record<string, string | number | boolean | null>;
}

type About = Pick<AuditEntry, 'subject' | 'details'>;

/** A request that left or may have left. @param result of its receipt; `unknown`: none */
export function jobRequestEntry(
  id: string,
  result: string,
  at: number,
  { jobId, createdBy: by }: Pick<JobInput, 'jobId' | 'createdBy'>,
  about: About,
): AuditEntry {
  const happenedAt = new Date(at).toISOString();
  return { kind: 'request', id, result, by, happenedAt, job: jobId, ...about };
}

export function jobOutcomeEntry(
  { jobId, status: result, settledAt }: Pick<OutcomeFields, 'jobId' | 'status' | 'settledAt'>,
  { createdBy: by }: Pick<JobInput, 'createdBy'>,
  sha256: string | null,
  about: About,
): AuditEntry {
  return {
    kind: 'outcome',
    id: `outcome/${jobId}`,
    result,
    by,
    happenedAt: settledAt,
    job: jobId,
    ...(sha256 !== null && { sha256 }),
    ...about,
  };
}

export function decisionEntry(
  action: string,
  { jobId, by }: { jobId: string; by: string },
  details: NonNullable<AuditEntry['details']> = {},
  now = Date.now(),
): AuditEntry {
  const happenedAt = new Date(now).toISOString();
  const id = `decision/${jobId}/${action}/${happenedAt}`;
  return { kind: 'decision', id, result: action, by, happenedAt, job: jobId, details };
}

/**
 * The trail is never erased, and a service may quote a document or a name where a code belongs: accepts one word with
 * too few digits to hold a document.
 */
export function codeOf(text: string | null): string | null {
  if (text === null || !/^[A-Za-z][\w.:-]{0,59}$/.test(text)) return null;
  return (text.match(/\d/g) ?? []).length < 8 ? text : null;
}

/** What a receipt adds to a request without an idempotency key, in our own words only. */
export function receiptDetails(receipt: Receipt | null): AuditEntry['details'] {
  return {
    ...(receipt?.kind === 'refused' && { status: receipt.status, code: codeOf(receipt.code) }),
    ...(receipt?.kind === 'not_sent' && { reason: reasonOf(receipt.reason) }),
  };
}

/** Accepts only our own words and names of errors. */
function reasonOf(text: string): string | null {
  return /^(?:too late|no token|answered \d{3}|[A-Za-z]{1,60})$/.test(text) ? text : null;
}

export interface AuditRecord extends AuditEntry {
  /** Hash of the previous record; for the first, of the store's id and the chain's name. */
  prev: string;
  number: number;
  /** ISO 8601 instant of writing: never before that of the previous record. */
  at: string;
}

export type ChainHead = [chain: string, number: number, hash: string];

export interface AuditExcerpt {
  /** The keyed names of its entries, by the numbers that replace them. */
  names: Readonly<Record<string, string>>;
  chains: { chain: string; beginning: string; links: ExcerptLink[] }[];
  anchors: (Omit<ExcerptLink, 'text'> & { text: string })[];
}

export interface ExcerptLink {
  number: number;
  at: string;
  prev: string;
  hash: string;
  /** JSON of the entry; null: about another job. */
  text: string | null;
}

export function entriesIn({ chains, names }: AuditExcerpt): Partial<AuditEntry>[] {
  return chains.flatMap(({ links }) =>
    links.flatMap(({ text }) => {
      try {
        const reported = text?.replaceAll(/[0-9a-f]{32,}/g, (number) => names[number] ?? number);
        return reported === undefined ? [] : [JSON.parse(reported) as Partial<AuditEntry>];
      } catch {
        return [];
      }
    }),
  );
}

/** @param hashOf computes the hash of a link with this text */
export function faultsOfExcerpt(
  { chains, anchors }: AuditExcerpt,
  hashOf: (position: Pick<ExcerptLink, 'prev' | 'number' | 'at'>, text: string) => string,
): string[] {
  const faults: string[] = [];
  const heads = new Map<string, string>();
  for (const { text, ...link } of anchors) {
    if (hashOf(link, text) !== link.hash)
      faults.push(`anchor ${link.number} is not as it was written`);
    else for (const [chain, number, hash] of headsIn(text)) heads.set(`${chain} ${number}`, hash);
  }
  for (const { beginning, chain, links } of chains) {
    let before: ExcerptLink | null = null;
    for (const { text, ...link } of links) {
      if (text !== null && hashOf(link, text) !== link.hash)
        faults.push(`${chain} record ${link.number} is not as it was written`);
      const prev: string | null = before?.hash ?? (link.number === 1 ? beginning : link.prev);
      const isNext = before === null || link.number === before.number + 1;
      if (!isNext || link.prev !== prev)
        faults.push(`${chain} record ${link.number} does not follow the one before it`);
      before = { ...link, text };
    }
    const isNamed = before !== null && heads.get(`${chain} ${before.number}`) === before.hash;
    if (!isNamed) faults.push(`${chain}: no anchor names its end`);
  }
  return faults;
}

/** Empty when it is no anchor: its writer is unknown. */
function headsIn(text: string): [string, number, string][] {
  try {
    const { heads } = JSON.parse(text) as { heads?: [string, number, string][] };
    return Array.isArray(heads) ? heads.filter((head) => Array.isArray(head)) : [];
  } catch {
    return [];
  }
}
