import type { Receipt } from '../../domain/core/service/attempts';
import type { JobKind } from '../../domain/job';
import { pagesOf } from '../pages';
import { rowName } from '../sealed/seal';
import type { SealedDatabase } from '../sealed/sealed-database';
import { marksOf, rangeOf, statement } from '../statement';

/** A request that was sent, or may have been. */
export interface SentRequest {
  subject: string;
  n: number;
  /** The workflow that sent it, which names its job. */
  workflowId: string;
  /** Epoch milliseconds. */
  claimedAt: number;
  /** An earlier request of the subject may have been accepted too. */
  afterUnknown: number;
  receipt: Exclude<Receipt['kind'], 'not_sent'> | null;
}

/** Billing data of a job. */
export interface SpendingJob {
  id: string;
  folder: string;
  kind: JobKind;
  createdAt: string;
  endedAt: string | null;
  input: unknown;
  outcome: unknown;
}

/** Requests of one job; `doubtful`: sent although an earlier one may have been accepted. */
export interface SentCounts {
  sent: number;
  doubtful: number;
}

type FoundJob = Omit<SpendingJob, 'input' | 'outcome'> & {
  input: Uint8Array;
  outcome: Uint8Array | null;
};

const perPage = 2_000;
const jobColumns = `id, holder AS folder, kind, created_at AS "createdAt", ended_at AS "endedAt", input`;

/** A refusal after a lost response is charged at most once. */
const isDoubtful = `after_unknown = 1 AND (receipt IS NULL OR receipt <> 'refused')`;
const hasLeft = `kind = 'send' AND (receipt IS NULL OR receipt <> 'not_sent')`;

/** Requests and reported costs, in pages: the caller holds sums only. */
export class SpendingRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** @param since epoch milliseconds of the claim */
  requests(since: number): AsyncGenerator<SentRequest[]> {
    return pagesOf(perPage, (last: SentRequest | undefined) =>
      this.#store.read(
        statement(
          `SELECT subject, n, workflow_id AS "workflowId", claimed_at AS "claimedAt",
             after_unknown AS "afterUnknown", receipt
           FROM attempt WHERE (subject, n) > (?, ?) AND claimed_at >= ? AND ${hasLeft}
             AND workflow_id <> 'restore' ORDER BY subject, n LIMIT ?`,
          [last?.subject ?? '', last?.n ?? 0, since, perPage],
        ),
      ),
    );
  }

  /** @param since ISO 8601 of request or end; newest first */
  async *jobs(since: string): AsyncGenerator<SpendingJob[]> {
    const pages = pagesOf(perPage, (last: FoundJob | undefined) => {
      const after = last === undefined ? '' : 'AND (created_at, id) < (?, ?)';
      return this.#store.read<FoundJob>(
        statement(
          `SELECT ${jobColumns}, outcome FROM job
           WHERE (created_at >= ? OR ended_at >= ?) AND kind <> 'decision' ${after}
           ORDER BY created_at DESC, id DESC LIMIT ?`,
          [since, since, ...(last === undefined ? [] : [last.createdAt, last.id]), perPage],
        ),
      );
    });
    for await (const page of pages) yield page.map((row) => this.#opened(row));
  }

  /** The stored ones of these jobs, by id. */
  async named(ids: readonly string[]): Promise<Map<string, SpendingJob>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#store.read<FoundJob>(
      statement(
        `SELECT ${jobColumns}, NULL AS outcome FROM job WHERE id IN ${marksOf([ids])}`,
        ids,
      ),
    );
    return new Map(rows.map((row) => [row.id, this.#opened(row)]));
  }

  /** The job of a workflow id at an instant: several may use it in turn. */
  async under(workflowId: string, at: string): Promise<SpendingJob | null> {
    const [row] = await this.#store.read<FoundJob>(
      statement(
        `SELECT ${jobColumns}, NULL AS outcome FROM job
         WHERE id >= ? AND id < ? AND kind <> 'decision' AND created_at <= ?
         ORDER BY created_at DESC, id DESC LIMIT 1`,
        [...rangeOf(`${workflowId}/`), at],
      ),
    );
    return row === undefined ? null : this.#opened(row);
  }

  /** The workflow whose request created an id of the service; null: not ours. */
  async answeredWith(
    externalId: string,
  ): Promise<Pick<SentRequest, 'workflowId' | 'claimedAt'> | null> {
    const [found] = await this.#store.read<Pick<SentRequest, 'workflowId' | 'claimedAt'>>(
      statement(
        `SELECT workflow_id AS "workflowId", claimed_at AS "claimedAt" FROM attempt
         WHERE external_id = ? ORDER BY claimed_at DESC LIMIT 1`,
        [externalId],
      ),
    );
    return found ?? null;
  }

  /**
   * @param subject prefix of subjects
   * @param within ISO 8601: several jobs use a workflow id in turn
   */
  async sentBy(
    subject: string,
    workflowId: string,
    within?: { from: string; to: string | null },
  ): Promise<SentCounts> {
    const from = within === undefined ? 0 : Date.parse(within.from);
    const to = within?.to == null ? Number.MAX_SAFE_INTEGER : Date.parse(within.to);
    const [found] = await this.#store.read<SentCounts>(
      statement(
        `SELECT count(*) AS sent, count(CASE WHEN ${isDoubtful} THEN 1 END) AS doubtful
         FROM attempt WHERE subject >= ? AND subject < ? AND workflow_id = ?
           AND claimed_at BETWEEN ? AND ? AND ${hasLeft}`,
        [...rangeOf(subject), workflowId, from, to],
      ),
    );
    return found ?? { sent: 0, doubtful: 0 };
  }

  #opened({ input, outcome, ...row }: FoundJob): SpendingJob {
    const name = rowName('job', row.folder);
    return {
      ...row,
      input: this.#store.opened(name, input),
      outcome: outcome && this.#store.opened(name, outcome),
    };
  }
}

export function isCountedTwice({ afterUnknown, receipt }: SentRequest): boolean {
  return afterUnknown === 1 && receipt !== 'refused';
}
