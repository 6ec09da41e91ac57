import type { JobKind } from '../../domain/job';
import {
  termText,
  type ExpiredCursor,
  type RetentionCounts,
  type RetentionTerm,
} from '../../domain/core/retention';
import type { EndedJob } from '../core/jobs';
import type { NameOf } from '../core/subjects';
import type { Store } from '../store';
import { erase, finishErasure, openErasures, type ErasureTools, type JobRuns } from './erasures';
import { ErasurePlanner } from './plan';

export interface ExpiryTools extends ErasureTools {
  nameOf: NameOf;
  runsOf: (jobId: string) => Promise<JobRuns>;
  now: () => number;
}

export interface ExpiryOrder {
  term: RetentionTerm;
  /** ISO 8601. */
  endedBefore: string;
  after: ExpiredCursor | null;
}

/** Of one look at the store; each is asked of the engine before it goes. */
const jobsPerLook = 50;
/** Of the jobs that one erasure takes together, at most, or a single job that has more. */
const mostRows = 2_000;

type Target = { kind: 'expired'; jobs: JobKind; endedBefore: string };

/** A job that goes, with the runs of the engine that go with it. */
interface IdleJob extends EndedJob {
  runs: JobRuns['closed'];
}

/**
 * One step of what a term asks for: some jobs that ended before go as wholes, each erasure with its record
 * and its line of the audit trail.
 *
 * @returns counts of this step, and where the next one goes on; null: nothing is left
 */
export async function eraseExpired(
  store: Store,
  { term, endedBefore, after }: ExpiryOrder,
  tools: ExpiryTools,
): Promise<{ counts: RetentionCounts; after: ExpiredCursor | null }> {
  const { kind } = term;
  const target: Target = { kind: 'expired', jobs: kind, endedBefore };
  if (after === null) await finishExpired(store, tools);
  const jobs = await store.jobs.endedBefore(kind, endedBefore, after, jobsPerLook);
  const idle: IdleJob[] = [];
  for (const job of jobs) {
    const { closed, running } = await tools.runsOf(job.id);
    if (running.length === 0) idle.push({ ...job, runs: closed });
  }
  const counts = { erased: 0, underWay: jobs.length - idle.length, undecided: 0 };
  const groups = groupsOf(idle);
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const folders = group.map(({ folder }) => folder);
    const plan = await new ErasurePlanner(store, tools.nameOf).ofExpired(folders, target);
    if (plan.unsettled.length === 0) {
      await erase(store, plan, {
        ...tools,
        by: 'retention',
        reason: `DILIGENCE_RETENTION: ${termText(term)}`,
        startedAt: new Date(tools.now()).toISOString(),
        runs: group.flatMap(({ runs }) => runs),
      });
      counts.erased += group.length;
    } else if (group.length === 1) {
      counts.undecided += 1;
    } else {
      // A plan does not tell whose request is undecided: each half is planned by itself.
      const half = Math.ceil(group.length / 2);
      groups.unshift(group.slice(0, half), group.slice(half));
    }
  }
  const last = jobs.length < jobsPerLook ? undefined : jobs.at(-1);
  return { counts, after: last === undefined ? null : { endedAt: last.endedAt, id: last.id } };
}

/** What was cut short, whatever its kind. */
async function finishExpired(store: Store, tools: ErasureTools): Promise<void> {
  for (const open of await openErasures(store))
    if (open.record.target.kind === 'expired') await finishErasure(store, open, tools);
}

/** In order, and bounded by rows: a plan is in memory as a whole. */
function groupsOf(jobs: readonly IdleJob[]): IdleJob[][] {
  const groups: IdleJob[][] = [];
  let room = 0;
  for (const job of jobs) {
    if (job.rows > room || groups.length === 0) {
      groups.push([]);
      room = mostRows;
    }
    groups.at(-1)?.push(job);
    room -= job.rows;
  }
  return groups;
}
