import type { Receipt } from '../../domain/core/service/attempts';
import { pagesOf } from '../pages';
import { Repository } from '../sealed/sealed-database';
import { beginsWith, sql } from '../statement';

/** A request that was sent, or may have been. */
export interface SentRequest {
  subject: string;
  n: number;
  /** The workflow that sent it, which names its job. */
  workflowId: string;
  claimedAt: number;
  /** An earlier request of the subject may have been accepted too. */
  afterUnknown: number;
  receipt: Exclude<Receipt['kind'], 'not_sent'> | null;
}

/** Requests of one job; `doubtful`: sent although an earlier one may have been accepted. */
export interface SentCounts {
  sent: number;
  doubtful: number;
}

type Sender = Pick<SentRequest, 'workflowId' | 'claimedAt'>;

const perPage = 2_000;

/** A refusal after a lost response is charged at most once. */
const isDoubtful = sql`after_unknown = 1 AND (receipt IS NULL OR receipt <> 'refused')`;
const hasLeft = sql`kind = 'send' AND (receipt IS NULL OR receipt <> 'not_sent')`;
const sender = sql`workflow_id, claimed_at`;

export class SpendingRepository extends Repository {
  /** In pages: the caller holds sums only. @param since epoch milliseconds of the claim */
  requests(since: number): AsyncGenerator<SentRequest[]> {
    return pagesOf(perPage, (last: SentRequest | undefined) =>
      this.store.read(sql`
        SELECT subject, n, ${sender}, after_unknown, receipt FROM attempt
        WHERE (subject, n) > (${last?.subject ?? ''}, ${last?.n ?? 0}) AND claimed_at >= ${since}
          AND ${hasLeft} AND workflow_id <> 'restore' ORDER BY subject, n LIMIT ${perPage}`),
    );
  }

  /** The workflow whose request created an id of the service; null: not ours. */
  async answeredWith(externalId: string): Promise<Sender | null> {
    const [found] = await this.store.read<Sender>(sql`
      SELECT ${sender} FROM attempt WHERE external_id = ${externalId}
      ORDER BY claimed_at DESC LIMIT 1`);
    return found ?? null;
  }

  /** @param within ISO 8601: several jobs use a workflow id in turn */
  async sentBy(
    subject: string,
    workflowId: string,
    within?: { from: string; to: string | null },
  ): Promise<SentCounts> {
    const from = within === undefined ? 0 : Date.parse(within.from);
    const to = within?.to == null ? Number.MAX_SAFE_INTEGER : Date.parse(within.to);
    const [found] = await this.store.read<SentCounts>(sql`
      SELECT count(*) AS sent, count(CASE WHEN ${isDoubtful} THEN 1 END) AS doubtful
      FROM attempt WHERE ${beginsWith('subject', subject)} AND workflow_id = ${workflowId}
        AND claimed_at BETWEEN ${from} AND ${to} AND ${hasLeft}`);
    return found ?? { sent: 0, doubtful: 0 };
  }
}

export function isCountedTwice({ afterUnknown, receipt }: SentRequest): boolean {
  return afterUnknown === 1 && receipt !== 'refused';
}
