import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { attemptOf, nextNumber, undecidedAttempt } from '../../domain/core/service/attempts';
import type {
  Attempt,
  Claim,
  ClaimOwner,
  Receipt,
  Resolution,
  Taken,
} from '../../domain/core/service/attempts';
import type { StopWord } from '../../domain/job';
import { Sealed, rowName } from '../sealed/seal';
import { Repository } from '../sealed/sealed-database';
import { insertInto } from '../sealed/table-rows';
import { beginsWith, raw, sql, type Statement } from '../statement';
import { restoredError } from '../store-error';
import { attemptsOf, resolutionsOf, whyOf } from './attempt-rows';

/** `taken`: another sender has the number, or an attempt of the subject is undecided. */
export type Claimed = 'ours' | 'taken' | StopWord;

/** A search found without its key belongs to one subject. By its index. */
const heldTrace = (traceId: string): Statement => sql`SELECT subject FROM attempt
  WHERE external_id = ${traceId} AND subject >= 'trace/' AND subject < 'trace0'`;

interface ClaimRow {
  isOurs: number;
  word: StopWord | null;
  epoch: number;
  isDoubtful: number;
}

const columnsOfClaim =
  'subject, n, kind, nonce, workflow_id, chunk, answer_by, claimed_at, after_unknown';

/** For INSERT ... SELECT, where PostgreSQL takes a parameter for a text. */
const number = (value: number): Statement => sql`CAST(${value} AS BIGINT)`;

/** Whether something was sent for a subject, or may have been, since the last restore. */
const isOfThisEpoch = (subject: string): Statement => sql`EXISTS (SELECT 1 FROM attempt AS one
  WHERE one.subject = ${subject} AND one.kind = 'send'
    AND (one.claimed_at >= doubt_since OR (one.claimed_at = 0 AND one.answer_by >= doubt_since)))`;

/** The condition of every claim: the store's epoch, and no stop mark. */
const mayClaim = (epoch: number, job: string): Statement => sql`epoch = ${epoch}
  AND NOT EXISTS (SELECT 1 FROM stop_mark WHERE folder = ${job})`;

/**
 * Attempts of purchases: claims, receipts and resolutions (decision record 001). Writes are flushed before they
 * resolve: a loss would cost money. Indices ensure that a subject has at most one undecided attempt, and that a
 * closed chunk sends no more.
 */
export class AttemptRepository extends Repository {
  of(subject: string): Promise<Attempt[]> {
    return attemptsOf(this.store, subject);
  }

  /**
   * Claims the next attempt of a subject unless its job is stopped. Without the claim, do not send. In a restored
   * store the first attempt is unknown: it may have been bought since the backup.
   *
   * @param job folder of the sending job
   * @returns `ours`, also when an earlier commit of ours succeeded and its response was lost
   */
  async claim(subject: string, n: number, claim: Claim, job: string): Promise<Claimed> {
    const claimed = await this.#claim(subject, n, claim, job);
    if (claimed !== 'doubtful') return claimed;
    await this.#putDoubt(subject, n, 'unknown', claim);
    return 'taken';
  }

  async #claim(
    subject: string,
    n: number,
    claim: Claim,
    job: string,
  ): Promise<Claimed | 'doubtful'> {
    const { kind, nonce, owner, answerBy, claimedAt, afterUnknown } = claim;
    const [inserted] = await this.store.commit([
      {
        lock: { name: job, how: 'shared' },
        ...sql`INSERT INTO attempt (${raw(columnsOfClaim)})
          SELECT ${subject}, ${number(n)}, ${kind}, ${nonce}, ${owner.workflowId}, ${owner.chunk},
            ${number(answerBy)}, ${number(claimedAt)}, ${number(Number(afterUnknown))}
          FROM install WHERE (doubt_since IS NULL OR ${isOfThisEpoch(subject)})
            AND ${mayClaim(this.store.epoch, job)} ON CONFLICT DO NOTHING`,
      },
    ]);
    if (inserted?.changes === 1) return 'ours';
    const { isOurs, word, isDoubtful } = await this.#claimRow(subject, n, claim, job);
    if (isOurs === 1) return 'ours';
    return word ?? (isDoubtful === 1 ? 'doubtful' : 'taken');
  }

  /**
   * Inserts the unknown attempt of a restored store. Without a key a person resolves it, as any unknown one; with a
   * key it may be repeated, as after an old claim.
   */
  async #putDoubt(
    subject: string,
    n: number,
    receipt: 'unknown' | null,
    { answerBy, claimedAt, afterUnknown }: Claim,
  ): Promise<void> {
    const reason =
      'the store was restored from a backup: it may have been bought since the backup was made';
    const isKnown = receipt !== null;
    const row = {
      subject,
      n,
      kind: 'send',
      nonce: randomUUID(),
      workflowId: 'restore',
      chunk: `epoch-${this.store.epoch}`,
      answerBy,
      afterUnknown,
      claimedAt: isKnown ? claimedAt : 0,
      ...(isKnown && { receipt, receiptAt: claimedAt, why: { reason } }),
    };
    await this.store.commit([insertInto('attempt', [row])]);
  }

  /**
   * For a request with a key, which may be repeated under the open claim: joins it, or claims the next attempt.
   * Afterwards only the last one to join can say that nothing was sent.
   *
   * @returns the stop word of the job, or `doubtful`: it may have been sent before the restore, so that nothing is
   *   sent now and a repetition finds an old claim
   */
  async take(subject: string, claim: Claim, job: string): Promise<Taken | StopWord | 'doubtful'> {
    for (;;) {
      const history = await this.of(subject);
      const open = undecidedAttempt(history);
      if (open === null) {
        const n = nextNumber(history);
        const claimed = await this.#claim(subject, n, claim, job);
        if (claimed === 'ours') return { n, claim, isNew: true };
        if (claimed === 'doubtful') await this.#putDoubt(subject, n, null, claim);
        if (claimed !== 'taken') return claimed;
        continue;
      }
      const { n } = open;
      const { owner, answerBy } = claim;
      const [joined] = await this.store.commit([
        {
          lock: { name: job, how: 'shared' },
          ...sql`UPDATE attempt SET workflow_id = ${owner.workflowId}, chunk = ${owner.chunk},
              answer_by = ${answerBy}
            WHERE subject = ${subject} AND n = ${n} AND chunk = ${open.claim.owner.chunk}
              AND receipt IS NULL
              AND EXISTS (SELECT 1 FROM install WHERE ${mayClaim(this.store.epoch, job)})`,
        },
      ]);
      const now = { ...open.claim, owner, answerBy };
      if (joined?.changes === 1) return { n, claim: now, isNew: false };
      const { word } = await this.#claimRow(subject, n, claim, job);
      if (word !== null) return word;
    }
  }

  /** Closes a chunk that may be slow rather than dead. @returns its last attempt: closed, or a request */
  async close(subject: string, owner: ClaimOwner, at: number): Promise<Attempt> {
    for (;;) {
      await this.store.commit([
        sql`INSERT INTO attempt (${raw(columnsOfClaim)})
          SELECT ${subject}, coalesce(max(n), 0) + 1, 'closed', ${randomUUID()},
            ${owner.workflowId}, ${owner.chunk}, ${number(at)}, ${number(at)}, 0
          FROM attempt WHERE subject = ${subject} ON CONFLICT DO NOTHING`,
      ]);
      // Another chunk may have the number; an attempt that certainly was not sent may be repeated until it is closed.
      const last = attemptOf(await this.of(subject), owner);
      if (last !== null && last.receipt?.kind !== 'not_sent') return last;
    }
  }

  /** The first receipt of an attempt stays. Only its last claimer writes it, except an id, which anyone may write. */
  async putReceipt(
    subject: string,
    attempt: Pick<Attempt, 'n' | 'claim'>,
    receipt: Receipt,
    entries: readonly AuditEntry[] = [],
  ): Promise<Receipt> {
    if (await this.store.changes(received(subject, attempt, receipt), entries)) return receipt;
    const latest = (await this.of(subject)).find(({ n }) => n === attempt.n);
    return latest?.receipt ?? receipt;
  }

  /** For a resource found in the service's list. False: another attempt's, or a receipt exists. */
  async putFound(
    subject: string,
    attempt: Pick<Attempt, 'n' | 'claim'>,
    receipt: Extract<Receipt, { kind: 'accepted' }>,
    entries: readonly AuditEntry[],
  ): Promise<boolean> {
    const { externalId } = receipt;
    const isOthers = sql`${heldTrace(externalId)} AND subject <> ${subject}`;
    const found = sql`${received(subject, attempt, receipt)} AND NOT EXISTS (${isOthers})`;
    return this.store.changes({ ...found, lock: { name: externalId, how: 'alone' } }, entries);
  }

  /** Subject of a search; null: not ours. */
  async holderOfTrace(traceId: string): Promise<string | null> {
    const [row] = await this.store.read<{ subject: string }>(heldTrace(traceId));
    return row?.subject ?? null;
  }

  /** A person may change the resolution of an attempt: they are numbered, and the last one counts. */
  async resolve(subject: string, n: number, resolution: Resolution): Promise<void> {
    const { action, externalId, by, note, at } = resolution;
    for (;;) {
      const earlier = (await resolutionsOf(this.store, subject)).filter((one) => one.n === n);
      // A repeated try of the same resolution.
      if (earlier.some((one) => isSame(one.resolution, resolution))) return;
      const next = (earlier.at(-1)?.number ?? 0) + 1;
      const row = { subject, n, number: next, action, externalId, at, said: { by, note } };
      const [inserted] = await this.store.commit([
        insertInto('resolution', [row]),
        sql`UPDATE attempt SET is_resolved = 1 WHERE subject = ${subject} AND n = ${n}`,
      ]);
      if (inserted?.changes === 1) return;
    }
  }

  async subjects(prefix: string): Promise<string[]> {
    const rows = await this.store.read<{ subject: string }>(sql`
      SELECT DISTINCT subject FROM attempt WHERE ${beginsWith('subject', prefix)} ORDER BY subject`);
    return rows.map(({ subject }) => subject);
  }

  async #claimRow(subject: string, n: number, { nonce }: Claim, job: string): Promise<ClaimRow> {
    const [row] = await this.store.read<ClaimRow>(sql`
      SELECT (SELECT count(*) FROM attempt WHERE subject = ${subject} AND n = ${n}
          AND nonce = ${nonce}) AS is_ours,
        (SELECT word FROM stop_mark WHERE folder = ${job}) AS word, epoch,
        CASE WHEN doubt_since IS NULL OR ${isOfThisEpoch(subject)} THEN 0 ELSE 1 END AS is_doubtful
      FROM install`);
    if (row?.epoch !== this.store.epoch) throw restoredError();
    return row;
  }
}

function received(
  subject: string,
  { n, claim: { nonce, owner } }: Pick<Attempt, 'n' | 'claim'>,
  receipt: Receipt,
): Statement {
  const { kind, at } = receipt;
  const why = whyOf(receipt);
  const sealed = why && new Sealed(rowName('attempt', subject, n), why);
  const externalId = kind === 'accepted' ? receipt.externalId : null;
  return sql`UPDATE attempt SET receipt = ${kind}, receipt_at = ${at},
      external_id = ${externalId}, why = ${sealed}
    WHERE subject = ${subject} AND n = ${n} AND nonce = ${nonce} AND receipt IS NULL
      AND (${kind} = 'accepted' OR chunk = ${owner.chunk})`;
}

function isSame(a: Resolution, b: Resolution): boolean {
  return a.action === b.action && a.by === b.by && a.note === b.note && a.at === b.at;
}
