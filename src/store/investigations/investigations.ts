import { endOf } from '../../domain/attention';
import type {
  InvestigationOutcome,
  InvestigationRecord,
} from '../../domain/investigations/investigation';
import type { PlanStep } from '../../domain/investigations/plan';
import { workflowIdOf } from '../../domain/job';
import type { ChildJob } from '../../domain/core/job-batch';
import { decisionsOf } from '../core/jobs/inbox';
import { decisionFolder } from '../../domain/core/decision';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { JobsOfKind } from '../core/jobs/jobs-of-kind';
import type { StoredRow } from '../core/row-writer';
import type { NameOf } from '../core/subjects';
import type { Store } from '../store';

/** Room for the jobs of a step among the rows of its investigation. */
const rowsPerStep = 100;

/** A thing that a step asks about, and its job. */
export interface StepTarget {
  target: string;
  /** Where it came from. */
  from: string;
  child: ChildJob;
}

/** A job of a step as it stands now: what a person decided about it may have begun another one. */
export interface ExistingChild extends StepTarget {
  /** Null: it was never stored. */
  job: JobWithOutcome | null;
  /** A person is to decide, or what was decided goes on. */
  isUndecided: boolean;
}

/** Investigations: what was asked for, the jobs of their steps as rows, and how they ended. */
export class InvestigationRepository extends JobsOfKind<InvestigationRecord, InvestigationOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'batches/investigation/',
      start: ({ jobId: id }) => ({ id, kind: 'investigation' }),
      end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('investigation', status) }),
    });
  }

  /** Of a step, as they were stored; none: it has asked for nothing yet. */
  async targets(folder: string, step: number): Promise<StepTarget[]> {
    const first = step * rowsPerStep;
    const rows = await this.store.rows.itemsAfter(folder, first - 1, rowsPerStep);
    return rows.flatMap((row) => {
      if (row.kind !== 'item' || row.item >= first + rowsPerStep || row.child === undefined)
        return [];
      return [{ target: row.document, from: row.note, child: row.child }];
    });
  }

  /** What stands there stays. */
  async putTargets(
    folder: string,
    step: number,
    { id, kind }: Pick<PlanStep, 'id' | 'kind'>,
    targets: readonly StepTarget[],
    nameOf: NameOf,
  ): Promise<void> {
    const rows = targets.map(({ child, from, target }, index) => {
      const rowIndex = step * rowsPerStep + index;
      const about = { type: kind, document: target, reference: id, note: from };
      const row: StoredRow = { kind: 'item', item: rowIndex, line: rowIndex + 1, ...about, child };
      return { row, rowIndex };
    });
    await this.store.rows.put(folder, rows, nameOf);
  }

  /** The jobs of a step as they stand now. */
  async existing(folder: string, step: number): Promise<ExistingChild[]> {
    const targets = await this.targets(folder, step);
    return Promise.all(
      targets.map(async (one) => {
        const job = await this.#newest(one.child.jobId);
        return { ...one, job, isUndecided: job !== null && (await this.#isUndecided(job)) };
      }),
    );
  }

  /** The last of those asked for alike that is no older. */
  async #newest(jobId: string): Promise<JobWithOutcome | null> {
    const own = await this.store.jobs.find(jobId);
    const newest = await this.store.jobs.find(workflowIdOf(jobId));
    if (own === null) return null;
    const isLater = newest !== null && newest.createdAt >= own.createdAt;
    return isLater && own.status !== null ? newest : own;
  }

  async #isUndecided({ folder, needsAttention, status }: JobWithOutcome): Promise<boolean> {
    if (status === null || needsAttention) return true;
    for (const { number } of await decisionsOf(this.store, folder))
      if ((await this.store.jobs.outcome(decisionFolder(folder, number))) === null) return true;
    return false;
  }
}
