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
import type { SealedDatabase } from '../sealed/sealed-database';
import { insertInto, rangeOf, statement, type Statement } from '../statement';
import { restoredError } from '../store-error';
import { attemptsOf, whyOf } from './attempt-rows';
import { putResolution } from './jobs/resolutions';

/** `taken`: somebody else has the number, or a send of the subject is undecided. */
export type Claimed = 'ours' | 'taken' | StopWord;

/** The service does not repeat a search that it knows by no key: an id is of one subject. By its index. */
const heldTrace = `SELECT subject FROM attempt
  WHERE external_id = ? AND subject >= 'trace/' AND subject < 'trace0'`;

interface ClaimRow {
  isOurs: number;
  word: StopWord | null;
  epoch: number;
  isDoubtful: number;
}

const columnsOfClaim =
  'subject, n, kind, nonce, workflow_id, chunk, answer_by, claimed_at, after_unknown';

/** Of a subject (its parameter): something was sent, or may have been, since the store was restored. */
const isOfThisEpoch = `EXISTS (SELECT 1 FROM attempt AS one
  WHERE one.subject = ? AND one.kind = 'send'
    AND (one.claimed_at >= doubt_since OR (one.claimed_at = 0 AND one.answer_by >= doubt_since)))`;

/**
 * Attempts of what is bought: claims, receipts and resolutions (decision record 001). What is put here is on
 * the disk before the promise resolves: its loss would cost money. Indices see to it that a subject has
 * at most one attempt of which nobody knows the end, and that a run that was closed sends no more.
 */
export class AttemptRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** All of a subject, in order. */
  of(subject: string): Promise<Attempt[]> {
    return attemptsOf(this.#store, subject);
  }

  /**
   * Takes the next attempt of a subject, unless its job was stopped. Who does not get it does not send. Of a
   * store that was restored, the first attempt is that of nobody knows whom: it may have been bought since the backup.
   *
   * @param job folder of the job that is to send
   * @returns `ours`, also when an earlier commit of ours landed and its answer was lost
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
    const values = [subject, n, kind, nonce, owner.workflowId, owner.chunk];
    const [inserted] = await this.#store.commit([
      {
        lock: { name: job, how: 'shared' },
        ...statement(
          `INSERT INTO attempt (${columnsOfClaim})
           SELECT ?, CAST(? AS BIGINT), ?, ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
         FROM install WHERE epoch = ? AND (doubt_since IS NULL OR ${isOfThisEpoch})
         AND NOT EXISTS (SELECT 1 FROM stop_mark WHERE holder = ?) ON CONFLICT DO NOTHING`,
          [...values, answerBy, claimedAt, afterUnknown ? 1 : 0, this.#store.epoch, subject, job],
        ),
      },
    ]);
    if (inserted?.changes === 1) return 'ours';
    const { isOurs, word, isDoubtful } = await this.#standing(subject, n, claim, job);
    if (isOurs === 1) return 'ours';
    return word ?? (isDoubtful === 1 ? 'doubtful' : 'taken');
  }

  /**
   * May have been sent when nobody remembers. Without a key a person decides about it, as about any that is
   * unknown; with one it may go again, as after a claim of long ago.
   */
  async #putDoubt(
    subject: string,
    n: number,
    receipt: 'unknown' | null,
    { answerBy, claimedAt, afterUnknown }: Claim,
  ): Promise<void> {
    const reason =
      'the store was restored from a backup: it may have been bought since the backup was made';
    const why = new Sealed(rowName('attempt', subject, n), { reason });
    const owner = ['restore', `epoch-${this.#store.epoch}`];
    const row = [subject, n, 'send', randomUUID(), ...owner, answerBy];
    const end = receipt === null ? [null, null, null] : [receipt, claimedAt, why];
    const claim = [receipt === null ? 0 : claimedAt, afterUnknown ? 1 : 0];
    const columns = [columnsOfClaim, 'receipt', 'receipt_at', 'why'];
    await this.#store.commit([insertInto('attempt', columns, [[...row, ...claim, ...end]])]);
  }

  /**
   * For a request with a key, which may go again under the claim that stands: joins it, or takes the
   * next. After that nobody but who joined last can say that nothing was done.
   *
   * @param job as of `claim`
   * @returns the word by which the job was stopped, or that it may have been sent before the store was
   *   restored: nothing is sent then, and asked again it is an old claim
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
      const joining = [owner.workflowId, owner.chunk, answerBy];
      const [joined] = await this.#store.commit([
        {
          lock: { name: job, how: 'shared' },
          ...statement(
            `UPDATE attempt SET workflow_id = ?, chunk = ?, answer_by = ?
             WHERE subject = ? AND n = ? AND chunk = ? AND receipt IS NULL
               AND EXISTS (SELECT 1 FROM install WHERE epoch = ?)
               AND NOT EXISTS (SELECT 1 FROM stop_mark WHERE holder = ?)`,
            [...joining, subject, n, open.claim.owner.chunk, this.#store.epoch, job],
          ),
        },
      ]);
      const now = { ...open.claim, owner, answerBy };
      if (joined?.changes === 1) return { n, claim: now, isNew: false };
      const { word } = await this.#standing(subject, n, claim, job);
      if (word !== null) return word;
    }
  }

  /**
   * Shuts the door on a run that may be slow rather than dead: after this it sends no more, unless its
   * last request has left.
   *
   * @returns what the run took last: closed, or that request
   */
  async close(subject: string, owner: ClaimOwner, at: number): Promise<Attempt> {
    for (;;) {
      await this.#store.commit([
        statement(
          `INSERT INTO attempt (${columnsOfClaim})
           SELECT ?, coalesce(max(n), 0) + 1, 'closed', ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), 0
           FROM attempt WHERE subject = ? ON CONFLICT DO NOTHING`,
          [subject, randomUUID(), owner.workflowId, owner.chunk, at, at, subject],
        ),
      ]);
      // Another may have taken the number; what surely never left may go again until it is closed.
      const last = attemptOf(await this.of(subject), owner);
      if (last !== null && last.receipt?.kind !== 'not_sent') return last;
    }
  }

  /**
   * The first receipt of an attempt stays. Only who took it last writes it, but for an id: that is
   * taken from whoever has it.
   *
   * @param entries what the audit trail tells of it
   * @returns the one that stands
   */
  async putReceipt(
    subject: string,
    attempt: Pick<Attempt, 'n' | 'claim'>,
    receipt: Receipt,
    entries: readonly AuditEntry[] = [],
  ): Promise<Receipt> {
    if (await this.#store.changes(received(subject, attempt, receipt), entries)) return receipt;
    const latest = (await this.of(subject)).find(({ n }) => n === attempt.n);
    return latest?.receipt ?? receipt;
  }

  /**
   * As `putReceipt`, of what was not answered but found on the service's list.
   *
   * @returns false when it is another's, or a receipt stands
   */
  async putFound(
    subject: string,
    attempt: Pick<Attempt, 'n' | 'claim'>,
    receipt: Extract<Receipt, { kind: 'accepted' }>,
    entries: readonly AuditEntry[],
  ): Promise<boolean> {
    const { externalId } = receipt;
    const { sql, parameters } = received(subject, attempt, receipt);
    const unheld = `${sql} AND NOT EXISTS (${heldTrace} AND subject <> ?)`;
    const found = statement(unheld, [...parameters, externalId, subject]);
    return this.#store.changes({ ...found, lock: { name: externalId, how: 'alone' } }, entries);
  }

  /** Subject that a search of the service was made for; null: none of ours. */
  async holderOfTrace(traceId: string): Promise<string | null> {
    const [row] = await this.#store.read<{ subject: string }>(statement(heldTrace, [traceId]));
    return row?.subject ?? null;
  }

  resolve(subject: string, n: number, resolution: Resolution): Promise<void> {
    return putResolution(this.#store, subject, n, resolution);
  }

  /** Names of the subjects that begin like this one, in order. */
  async subjects(prefix: string): Promise<string[]> {
    const rows = await this.#store.read<{ subject: string }>(
      statement(
        'SELECT DISTINCT subject FROM attempt WHERE subject >= ? AND subject < ? ORDER BY subject',
        rangeOf(prefix),
      ),
    );
    return rows.map(({ subject }) => subject);
  }

  async #standing(subject: string, n: number, { nonce }: Claim, job: string): Promise<ClaimRow> {
    const [standing] = await this.#store.read<ClaimRow>(
      statement(
        `SELECT (SELECT count(*) FROM attempt WHERE subject = ? AND n = ? AND nonce = ?) AS "isOurs",
                (SELECT word FROM stop_mark WHERE holder = ?) AS word, epoch,
                CASE WHEN doubt_since IS NULL OR ${isOfThisEpoch} THEN 0 ELSE 1 END AS "isDoubtful"
         FROM install`,
        [subject, n, nonce, job, subject],
      ),
    );
    if (standing?.epoch !== this.#store.epoch) throw restoredError();
    return standing;
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
  return statement(
    `UPDATE attempt SET receipt = ?, receipt_at = ?, external_id = ?, why = ?
     WHERE subject = ? AND n = ? AND nonce = ? AND receipt IS NULL
       AND (? = 'accepted' OR chunk = ?)`,
    [kind, at, externalId, sealed, subject, n, nonce, kind, owner.chunk],
  );
}
