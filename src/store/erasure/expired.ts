import { termText } from '../../domain/core/retention';
import type { ExpiredCursor, RetentionCounts, RetentionTerm } from '../../domain/core/retention';
import type { NameOf } from '../core/subjects';
import type { Store } from '../store';
import { erase, finishErasure, openErasures, type DeleteRuns, type JobRuns } from './erasures';
import type { ErasurePlan } from './plan';
import { ErasurePlanner } from './planner';

export interface ExpiryTools {
  nameOf: NameOf;
  runsOf: (jobId: string) => Promise<JobRuns>;
  deleteRuns: DeleteRuns;
}

export interface ExpiryOrder {
  term: RetentionTerm;
  endedBefore: string;
  after: ExpiredCursor | null;
}

/** Per query; each is checked with Temporal before it is erased. */
const jobsPerLook = 50;
/** Upper bound for the jobs of one step, or one larger job: a plan is in memory as a whole. */
const mostRows = 2_000;

/** Erases some expired jobs as a whole, on one record. @returns where to resume; null: done */
export async function eraseExpired(
  store: Store,
  { term, endedBefore, after }: ExpiryOrder,
  { nameOf, runsOf, deleteRuns }: ExpiryTools,
): Promise<{ counts: RetentionCounts; after: ExpiredCursor | null }> {
  if (after === null)
    for (const open of await openErasures(store))
      if (open.record.target.kind === 'expired') await finishErasure(store, open, deleteRuns);
  const planOf = (folders: readonly string[]): Promise<ErasurePlan> => {
    const request = { kind: 'expired', jobs: term.kind, endedBefore, folders } as const;
    return new ErasurePlanner(store, nameOf).ofExpired(request);
  };
  const found = await store.jobs.endedBefore(term.kind, endedBefore, after, jobsPerLook);
  let rows = 0;
  const jobs = found.filter((job, n) => (rows += job.rows) <= mostRows || n === 0);
  const counts = { erased: 0, underWay: 0, undecided: 0 };
  const folders: string[] = [];
  const runs: JobRuns['closed'] = [];
  for (const { id, folder } of jobs) {
    const { closed, running } = await runsOf(id);
    if (running.length > 0) counts.underWay += 1;
    else if ((await planOf([folder])).undecided.length > 0) counts.undecided += 1;
    else {
      folders.push(folder);
      runs.push(...closed);
    }
  }
  if (folders.length > 0) {
    const reason = `DILIGENCE_RETENTION: ${termText(term)}`;
    await erase(store, await planOf(folders), { by: 'retention', reason, runs, deleteRuns });
  }
  counts.erased = folders.length;
  const isLast = found.length < jobsPerLook && jobs.length === found.length;
  const last = isLast ? undefined : jobs.at(-1);
  return { counts, after: last === undefined ? null : { endedAt: last.endedAt, id: last.id } };
}
