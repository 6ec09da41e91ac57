import { endOf } from '../../domain/attention';
import type {
  InvestigationOutcome,
  InvestigationRecord,
} from '../../domain/investigations/investigation';
import type { PlanStep } from '../../domain/investigations/plan';
import { workflowIdOf } from '../../domain/job';
import type { ChildJob } from '../../domain/core/job-batch';
import { openDecisions } from '../core/jobs/inbox';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { JobsOfKind, type JobShape } from '../core/jobs/jobs-of-kind';
import type { StoredRow } from '../core/row-writer';
import type { NameOf } from '../core/subjects';

/** Row indexes reserved for the jobs of a step. */
const rowsPerStep = 100;

/** A subject that a step requests, and its job. */
export interface StepTarget {
  target: string;
  from: string;
  child: ChildJob;
}

/** The current job of a step: a resolution may have started another one. */
export interface ExistingChild extends StepTarget {
  job: JobWithOutcome | null;
  /** A resolution is pending or in progress. */
  isUndecided: boolean;
}

/** Investigations: inputs, the jobs of their steps as rows, and outcomes. */
export class InvestigationRepository extends JobsOfKind<InvestigationRecord, InvestigationOutcome> {
  protected override readonly shape: JobShape<InvestigationOutcome> = {
    kind: 'investigation',
    root: 'batches/investigation',
    end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('investigation', status) }),
  };

  async targets(folder: string, step: number): Promise<StepTarget[]> {
    const first = step * rowsPerStep;
    const rows = await this.store.rows.itemsAfter(folder, first - 1, rowsPerStep);
    return rows.flatMap((row) => {
      if (row.kind !== 'item' || row.item >= first + rowsPerStep || row.child === undefined)
        return [];
      return [{ target: row.document, from: row.note, child: row.child }];
    });
  }

  /** Existing targets stay. */
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

  async existing(folder: string, step: number): Promise<ExistingChild[]> {
    const targets = await this.targets(folder, step);
    return Promise.all(
      targets.map(async (one) => {
        const job = await this.#newest(one.child.jobId);
        return { ...one, job, isUndecided: job !== null && (await this.#isUndecided(job)) };
      }),
    );
  }

  /** The last job of the same request that is no older. */
  async #newest(jobId: string): Promise<JobWithOutcome | null> {
    const own = await this.store.jobs.find(jobId);
    const newest = await this.store.jobs.find(workflowIdOf(jobId));
    if (own === null) return null;
    const isLater = newest !== null && newest.createdAt >= own.createdAt;
    return isLater && own.status !== null ? newest : own;
  }

  async #isUndecided({ folder, needsAttention, status }: JobWithOutcome): Promise<boolean> {
    if (status === null || needsAttention) return true;
    return (await openDecisions(this.store, folder)).length > 0;
  }
}
