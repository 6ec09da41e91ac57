import type { WaitReason, WaitScope } from '../../../domain/attention';
import { decisionFolder, type DecisionRecord } from '../../../domain/core/decision';
import type { JobKind } from '../../../domain/job';
import { Repository } from '../../sealed/sealed-database';
import { replacing } from '../../sealed/table-rows';
import { raw, sql } from '../../statement';
import type { JobRepository } from './jobs';

export class InboxRepository extends Repository {
  /** Why an open job needs a person, by the waiting workflow. @param reason null: it no longer waits */
  async wait(
    folder: string,
    source: string,
    reason: WaitReason | null,
    at: string,
    about: WaitScope = null,
  ): Promise<void> {
    const marked =
      reason === null
        ? sql`DELETE FROM wait_mark WHERE folder = ${folder} AND source = ${source}`
        : sql`INSERT INTO wait_mark (folder, source, reason, since, about)
            SELECT folder, ${source}, ${reason}, ${at}, ${JSON.stringify(about)}
            FROM job WHERE folder = ${folder} AND ended_at IS NULL
            ${raw(replacing('wait_mark', 'reason', 'since', 'about'))}`;
    await this.store.commit([
      marked,
      sql`UPDATE job SET attention_at = (SELECT min(since) FROM wait_mark WHERE folder = ${folder})
        WHERE folder = ${folder} AND ended_at IS NULL`,
    ]);
  }

  /** Open jobs that wait for this, and the reporting workflow. */
  waiting(reason: WaitReason): Promise<{ folder: string; source: string }[]> {
    return this.store.read(sql`
      SELECT job.folder, source FROM wait_mark
      JOIN job ON job.folder = wait_mark.folder WHERE reason = ${reason} AND ended_at IS NULL`);
  }

  /** Counts of open jobs and of jobs that need a person, by kind. */
  backlog(): Promise<
    { kind: JobKind; open: number; attention: number; oldestAt: string | null }[]
  > {
    return this.store.read(sql`
      SELECT kind, count(*) - count(ended_at) AS open, count(attention_at) AS attention,
        min(CASE WHEN ended_at IS NULL THEN created_at END) AS oldest_at
      FROM job WHERE ended_at IS NULL OR attention_at IS NOT NULL GROUP BY kind`);
  }

  async settle(folder: string): Promise<void> {
    await this.store.commit([
      sql`UPDATE job SET attention_at = NULL WHERE folder = ${folder} AND ended_at IS NOT NULL`,
    ]);
  }
}

interface WithJobs {
  jobs: JobRepository;
}

export function decisionOf(
  { jobs }: WithJobs,
  folder: string,
  number: number,
): Promise<DecisionRecord | null> {
  return jobs.input<DecisionRecord>(decisionFolder(folder, number));
}

export async function decisionsOf(store: WithJobs, folder: string): Promise<DecisionRecord[]> {
  const found: DecisionRecord[] = [];
  for (let number = 1; ; number += 1) {
    const decision = await decisionOf(store, folder, number);
    if (decision === null) return found;
    found.push(decision);
  }
}

/** Numbers of those without an outcome. @param after the last one that counts: one lost before it was given again */
export async function openDecisions(store: WithJobs, folder: string, after = 0): Promise<number[]> {
  const open: number[] = [];
  for (const { number } of await decisionsOf(store, folder))
    if (number > after && (await store.jobs.outcome(decisionFolder(folder, number))) === null)
      open.push(number);
  return open;
}
