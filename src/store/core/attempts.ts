import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../../domain/audit';
import type { Attempt, Claim, ClaimOwner, Receipt, Resolution } from '../../domain/attempts';
import { attemptOf } from '../../domain/attempts';
import type { StopWord } from '../../domain/job';
import { rowName } from '../seal';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, statement } from '../statement';
import { restoredError } from '../store-error';

/** `taken`: somebody else has the number, or a send of the subject is undecided. */
export type Claimed = 'ours' | 'taken' | StopWord;

interface AttemptRow {
  n: number;
  kind: Claim['kind'];
  nonce: string;
  workflowId: string;
  chunk: string;
  answerBy: number;
  claimedAt: number;
  afterUnknown: number;
  receipt: Receipt['kind'] | null;
  receiptAt: number | null;
  externalId: string | null;
  why: Uint8Array | null;
}

interface ResolutionRow {
  n: number;
  number: number;
  action: Resolution['action'];
  externalId: string | null;
  at: number;
  said: Uint8Array;
}

interface Standing {
  isOurs: number;
  word: StopWord | null;
  epoch: number;
  isDoubtful: number;
}

const columns = [
  'subject',
  'n',
  'kind',
  'nonce',
  'workflow_id',
  'chunk',
  'answer_by',
  'claimed_at',
  'after_unknown',
  'receipt',
  'receipt_at',
  'why',
];

/** Of a subject (its parameter): something was sent, or may have been, since the store was restored. */
const isOfThisEpoch = `EXISTS (SELECT 1 FROM attempt AS one
  WHERE one.subject = ? AND one.kind = 'send' AND one.claimed_at >= doubt_since)`;

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
  async of(subject: string): Promise<Attempt[]> {
    const rows = await this.#store.read<AttemptRow>(
      statement(
        `SELECT n, kind, nonce, workflow_id AS "workflowId", chunk, answer_by AS "answerBy",
                claimed_at AS "claimedAt", after_unknown AS "afterUnknown", receipt,
                receipt_at AS "receiptAt", external_id AS "externalId", why
         FROM attempt WHERE subject = ? ORDER BY n`,
        [subject],
      ),
    );
    if (rows.length === 0) return [];
    const resolutions = await this.#resolutions(subject);
    return rows.map((row) => ({
      n: row.n,
      claim: claimOf(row),
      receipt: this.#receiptOf(subject, row),
      resolution: resolutions.findLast(({ n }) => n === row.n)?.resolution ?? null,
    }));
  }

  /**
   * Takes the next attempt of a subject, unless its job was stopped. Who does not get it does not send. Of a
   * store that was restored, the first attempt is that of nobody knows whom: it may have been bought since the backup.
   *
   * @param job folder of the job that is to send
   * @returns `ours`, also when an earlier commit of ours landed and its answer was lost
   */
  async claim(subject: string, n: number, claim: Claim, job: string): Promise<Claimed> {
    const { kind, nonce, owner, answerBy, claimedAt, afterUnknown } = claim;
    const [inserted] = await this.#store.commit([
      {
        lock: { name: job, how: 'shared' },
        ...statement(
          `INSERT INTO attempt
           (subject, n, kind, nonce, workflow_id, chunk, answer_by, claimed_at, after_unknown)
         SELECT ?, CAST(? AS BIGINT), ?, ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
         FROM install WHERE epoch = ? AND (doubt_since IS NULL OR ${isOfThisEpoch})
         AND NOT EXISTS (SELECT 1 FROM stop_mark WHERE holder = ?) ON CONFLICT DO NOTHING`,
          [
            subject,
            n,
            kind,
            nonce,
            owner.workflowId,
            owner.run,
            answerBy,
            claimedAt,
            afterUnknown ? 1 : 0,
            this.#store.epoch,
            subject,
            job,
          ],
        ),
      },
    ]);
    if (inserted?.changes === 1) return 'ours';
    const [standing] = await this.#store.read<Standing>(
      statement(
        `SELECT (SELECT count(*) FROM attempt WHERE subject = ? AND n = ? AND nonce = ?) AS "isOurs",
                (SELECT word FROM stop_mark WHERE holder = ?) AS word, epoch,
                CASE WHEN doubt_since IS NULL OR ${isOfThisEpoch} THEN 0 ELSE 1 END AS "isDoubtful"
         FROM install`,
        [subject, n, nonce, job, subject],
      ),
    );
    if (standing?.epoch !== this.#store.epoch) throw restoredError();
    if (standing.isOurs === 1) return 'ours';
    if (standing.word === null && standing.isDoubtful === 1)
      await this.#putDoubt(subject, n, claim);
    return standing.word ?? 'taken';
  }

  /** May have been bought when nobody remembers: a person decides about it, as about any that is unknown. */
  async #putDoubt(subject: string, n: number, { claimedAt, afterUnknown }: Claim): Promise<void> {
    const reason =
      'the store was restored from a backup: it may have been bought since the backup was made';
    const why = await this.#store.sealed(rowName('attempt', subject, n), { reason });
    const row = [subject, n, 'send', randomUUID(), 'restore', `epoch-${this.#store.epoch}`];
    const unknown = [claimedAt, claimedAt, afterUnknown ? 1 : 0, 'unknown', claimedAt, why];
    await this.#store.commit([insertInto('attempt', columns, [[...row, ...unknown]])]);
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
          `INSERT INTO attempt
             (subject, n, kind, nonce, workflow_id, chunk, answer_by, claimed_at, after_unknown)
           SELECT ?, coalesce(max(n), 0) + 1, 'closed', ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), 0
           FROM attempt WHERE subject = ? ON CONFLICT DO NOTHING`,
          [subject, randomUUID(), owner.workflowId, owner.run, at, at, subject],
        ),
      ]);
      // Another may have taken the number; what surely never left may go again until it is closed.
      const last = attemptOf(await this.of(subject), owner);
      if (last !== null && last.receipt?.kind !== 'not_sent') return last;
    }
  }

  /**
   * The first receipt of an attempt stays, and only its own sender writes it.
   *
   * @param entries what the audit trail tells of it
   * @returns the one that stands
   */
  async putReceipt(
    subject: string,
    { n, claim: { nonce } }: Pick<Attempt, 'n' | 'claim'>,
    receipt: Receipt,
    entries: readonly AuditEntry[] = [],
  ): Promise<Receipt> {
    const { kind, at } = receipt;
    const why = whyOf(receipt);
    const written = [
      statement(
        `UPDATE attempt SET receipt = ?, receipt_at = ?, external_id = ?, why = ?
         WHERE subject = ? AND n = ? AND nonce = ? AND receipt IS NULL`,
        [
          kind,
          at,
          kind === 'accepted' ? receipt.externalId : null,
          why && (await this.#store.sealed(rowName('attempt', subject, n), why)),
          subject,
          n,
          nonce,
        ],
      ),
    ];
    const [updated] = await this.#store.commit(written, entries);
    if (updated?.changes === 1) return receipt;
    const standing = (await this.of(subject)).find((attempt) => attempt.n === n);
    return standing?.receipt ?? receipt;
  }

  /** A person may think again: resolutions of an attempt are numbered, and the last one stands. */
  async resolve(subject: string, n: number, resolution: Resolution): Promise<void> {
    const { action, externalId, by, note, at } = resolution;
    for (;;) {
      const earlier = (await this.#resolutions(subject)).filter((one) => one.n === n);
      // A repeated try of the same decision.
      if (earlier.some((one) => isSame(one.resolution, resolution))) return;
      const number = (earlier.at(-1)?.number ?? 0) + 1;
      const said = await this.#store.sealed(rowName('resolution', subject, n, number), {
        by,
        note,
      });
      const [inserted] = await this.#store.commit([
        statement(
          `INSERT INTO resolution (subject, n, number, action, external_id, at, said)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          [subject, n, number, action, externalId, at, said],
        ),
        statement('UPDATE attempt SET is_resolved = 1 WHERE subject = ? AND n = ?', [subject, n]),
      ]);
      if (inserted?.changes === 1) return;
    }
  }

  /** Names of the subjects that begin like this one, in order. */
  async subjects(prefix: string): Promise<string[]> {
    const rows = await this.#store.read<{ subject: string }>(
      statement(
        'SELECT DISTINCT subject FROM attempt WHERE subject >= ? AND subject < ? ORDER BY subject',
        [prefix, `${prefix}\u{10ffff}`],
      ),
    );
    return rows.map(({ subject }) => subject);
  }

  /** Notes of all resolutions, also of those that another one followed. */
  async notesOf(subject: string): Promise<string[]> {
    return (await this.#resolutions(subject)).map(({ resolution: { note } }) => note);
  }

  async #resolutions(
    subject: string,
  ): Promise<{ n: number; number: number; resolution: Resolution }[]> {
    const rows = await this.#store.read<ResolutionRow>(
      statement(
        `SELECT n, number, action, external_id AS "externalId", at, said
         FROM resolution WHERE subject = ? ORDER BY n, number`,
        [subject],
      ),
    );
    return rows.map(({ n, number, action, externalId, at, said }) => {
      const opened = this.#store.opened(rowName('resolution', subject, n, number), said);
      const { by, note } = opened as { by: string; note: string };
      return { n, number, resolution: { action, externalId, by, note, at } };
    });
  }

  #receiptOf(subject: string, row: AttemptRow): Receipt | null {
    const { n, receipt: kind, receiptAt: at, externalId, why } = row;
    if (kind === null || at === null) return null;
    if (kind === 'accepted') return { kind, externalId: externalId ?? '', at };
    const told = why && this.#store.opened(rowName('attempt', subject, n), why);
    return { kind, at, ...(told as object | null) } as Receipt;
  }
}

function claimOf(row: AttemptRow): Claim {
  const { kind, nonce, workflowId, chunk, answerBy, claimedAt, afterUnknown } = row;
  const owner = { workflowId, run: chunk };
  return { owner, kind, nonce, answerBy, claimedAt, afterUnknown: afterUnknown === 1 };
}

/** Words of errors and codes of the service: they may quote. */
function whyOf(receipt: Receipt): object | null {
  switch (receipt.kind) {
    case 'accepted':
      return null;
    case 'refused':
      return { status: receipt.status, code: receipt.code };
    case 'not_sent':
    case 'unknown':
      return { reason: receipt.reason };
  }
}

function isSame(a: Resolution, b: Resolution): boolean {
  return a.action === b.action && a.by === b.by && a.note === b.note && a.at === b.at;
}
