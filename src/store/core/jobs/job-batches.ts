import type { AuditEntry } from '../../../domain/core/audit';
import {
  jobBatchFolder,
  type ChildCounts,
  type ChildJob,
  type JobBatchEnd,
  type JobBatchRecord,
} from '../../../domain/core/job-batch';
import type { JobEnd, StopWord } from '../../../domain/job';
import { batchEnd } from '../../../domain/job-ends';
import { pagesOf } from '../../pages';
import { Repository } from '../../sealed/sealed-database';
import { partsOf, raw, sql, type Statement } from '../../statement';
import type { Store } from '../../store';

export interface JobBacklog {
  /** False: never requested, or erased. */
  isStored: boolean;
  status: string | null;
}

export interface ChildRow extends JobBacklog {
  item: number;
  child: ChildJob;
}

const perPage = 200;

/** Batches whose rows are jobs. */
export class JobBatchRepository extends Repository<Store> {
  record(folder: string): Promise<JobBatchRecord | null> {
    return this.store.jobs.input<JobBatchRecord>(folder);
  }

  /** After its rows are stored; then the batch can be started. @param label keyed name of its label */
  async put(
    record: JobBatchRecord,
    label: string | null,
    entries: readonly AuditEntry[],
  ): Promise<void> {
    const { batchId: id, kind, createdAt } = record;
    const start = { id, kind, createdAt, label };
    await this.store.jobs.start(jobBatchFolder(id), start, record, entries);
  }

  /** Items after one, in order, with their child jobs. */
  async children(folder: string, after: number, limit: number): Promise<ChildRow[]> {
    const rows = await this.store.rows.itemsAfter(folder, after, limit);
    const requested = rows.flatMap((row) => (row.child === undefined ? [] : [row.child]));
    const statuses = await this.#statuses(requested.map(({ jobId }) => jobId));
    return rows.map((row) => {
      const { child } = row;
      if (child === undefined || !('item' in row)) {
        throw new RangeError(`an item of ${folder} has no job`);
      }
      return { item: row.item, child, ...backlogIn(statuses, child.jobId) };
    });
  }

  /** Stops claims of the child jobs that only this batch requested; running jobs are completed. */
  async stopChildren(folder: string, word: StopWord): Promise<void> {
    for await (const own of this.#ownOpen(folder)) {
      const started = await this.store.read<{ folder: string }>(sql`SELECT folder ${own}`);
      await Promise.all(started.map((one) => this.store.jobs.stop(one.folder, word)));
    }
  }

  /** A repeated request removes the stop marks of open child jobs. */
  async releaseChildren(folder: string, word?: StopWord): Promise<void> {
    if (!folder.startsWith(jobBatchFolder(''))) return;
    for await (const rows of this.#pages(folder)) {
      const open = rows.flatMap(({ child, isStored, status }) =>
        isStored && status === null ? [child.jobId] : [],
      );
      if (open.length === 0) continue;
      const folders = sql`SELECT folder FROM job WHERE ended_at IS NULL AND id IN ${open}`;
      const only = word === undefined ? raw('') : sql`AND word = ${word}`;
      await this.store.commit([
        sql`DELETE FROM stop_mark WHERE folder IN (${folders}) ${only}`,
        sql`UPDATE job SET attention_at = NULL WHERE folder IN (${folders})`,
      ]);
    }
  }

  /** For a batch that never ran: its own child jobs would look interrupted. */
  async withdrawChildren(folder: string): Promise<void> {
    for await (const own of this.#ownOpen(folder)) await this.store.commit([sql`DELETE ${own}`]);
  }

  async backlog(jobId: string): Promise<JobBacklog> {
    return backlogIn(await this.#statuses([jobId]), jobId);
  }

  /** Child jobs that these batches requested first, and no other batch requested. */
  async ownChildren(folders: ReadonlySet<string>): Promise<Set<string>> {
    const own = new Set<string>();
    for (const folder of folders) {
      if (!folder.startsWith(jobBatchFolder(''))) continue;
      for await (const rows of this.#pages(folder)) {
        const ids = rows.flatMap(({ child }) => (child.before ? [] : [child.jobId]));
        if (ids.length === 0) continue;
        const others = await this.store.read<{ child: string }>(
          sql`SELECT DISTINCT child FROM batch_row WHERE child IN ${ids} AND job NOT IN ${[...folders]}`,
        );
        const shared = new Set(others.map(({ child }) => child));
        for (const id of ids) if (!shared.has(id)) own.add(id);
      }
    }
    return own;
  }

  /** Items by the status of their child jobs; `open`: not ended. */
  async counts(folder: string): Promise<ChildCounts> {
    const rows = await this.store.read<{ status: string; count: number }>(sql`
      SELECT coalesce(job.status, 'open') AS status, count(*) AS count
      FROM batch_row LEFT JOIN job ON job.id = batch_row.child
      WHERE batch_row.job = ${folder} AND batch_row.kind = 'item' GROUP BY 1 ORDER BY 1`);
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** The first outcome stays. @throws RangeError when there is no such batch */
  async finalize(folder: string, end: JobBatchEnd): Promise<JobEnd> {
    const record = await this.record(folder);
    if (record === null) throw new RangeError('an end of a batch that is not there');
    const { kind, linesAtFault } = record;
    const counts = { ...(await this.#countsNow(folder, end)), ...end.counts };
    const ended = batchEnd(kind, counts, linesAtFault, await this.#isDoubted(folder));
    await this.store.jobs.end(folder, { ...ended, endedAt: end.endedAt }, end);
    return ended;
  }

  /** Of all rows: some ended before the batch, and some never started. */
  async #countsNow(folder: string, { cancelled, counts }: JobBatchEnd): Promise<ChildCounts> {
    const { open = 0, ...stored } = await this.counts(folder);
    const left = open - (counts['lost'] ?? 0);
    return cancelled && left > 0 ? { ...stored, cancelled: left } : stored;
  }

  /** Open child jobs of its own that are no older, in parts. */
  async *#ownOpen(folder: string): AsyncGenerator<Statement> {
    for (const ids of partsOf([...(await this.ownChildren(new Set([folder])))]))
      yield sql`FROM job WHERE ended_at IS NULL AND id IN ${ids}
        AND created_at >= (SELECT created_at FROM job WHERE folder = ${folder})`;
  }

  #pages(folder: string): AsyncGenerator<ChildRow[]> {
    return pagesOf(perPage, (last: ChildRow | undefined) =>
      this.children(folder, last?.item ?? -1, perPage),
    );
  }

  async #isDoubted(folder: string): Promise<boolean> {
    const found = await this.store.read(sql`
      SELECT 1 FROM batch_row JOIN job ON job.id = batch_row.child
      WHERE batch_row.job = ${folder} AND attention_at IS NOT NULL LIMIT 1`);
    return found.length > 0;
  }

  async #statuses(ids: readonly string[]): Promise<Map<string, string | null>> {
    const rows = await this.store.readAmong<{ id: string; status: string | null }>(
      ids,
      (some) => sql`SELECT id, status FROM job WHERE id IN ${some}`,
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }
}

function backlogIn(statuses: ReadonlyMap<string, string | null>, jobId: string): JobBacklog {
  return { isStored: statuses.has(jobId), status: statuses.get(jobId) ?? null };
}
