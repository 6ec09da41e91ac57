import { jobFolder } from '../../domain/job';
import { scanEnd, sweepEnd } from '../../domain/job-ends';
import { noScanCounts, type ScanOutcome, type ScanRecord } from '../../domain/monitors/scan';
import {
  emptyBacklog,
  noCounts,
  sweepOutcome,
  type SweepOutcome,
  type SweepRecord,
} from '../../domain/monitors/sweep';
import { JobsOfKind, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';
import { sql, type Statement } from '../statement';
import type { Store } from '../store';

interface Pass {
  jobId: string;
  createdAt: string;
}

type PassShape<I, O> = JobFolders &
  JobShape<O> & {
    /** The outcome of one that the next found without an outcome. */
    interrupted: (record: I, endedAt: string) => O;
  };

/** Recurring jobs of one monitor or list: the last one has its status. */
export class PassRepository<I extends Pass, O extends { endedAt: string }> extends JobsOfKind<
  I,
  O
> {
  protected override readonly shape: PassShape<I, O>;

  constructor(store: Store, shape: PassShape<I, O>) {
    super(store);
    this.shape = shape;
  }

  /** Only one runs at a time: earlier ones without an end were interrupted. */
  async begin(record: I): Promise<void> {
    const folder = jobFolder(record.jobId);
    await this.putRecord(folder, record);
    const open = await this.store.read<{ folder: string }>(
      sql`SELECT folder FROM job WHERE ${isBefore(folder)} AND ended_at IS NULL`,
    );
    for (const { folder: earlier } of open) {
      const before = await this.record(earlier);
      if (before !== null)
        await this.putOutcome(earlier, this.shape.interrupted(before, record.createdAt));
    }
  }

  /** This one took over what an earlier one left: that one needs no person any more. */
  async finish(record: I, outcome: O): Promise<O> {
    const folder = jobFolder(record.jobId);
    await this.putRecord(folder, record);
    const first = await this.putOutcome(folder, outcome);
    await this.store.commit([sql`UPDATE job SET attention_at = NULL WHERE ${isBefore(folder)}`]);
    return first;
  }
}

function isBefore(folder: string): Statement {
  return sql`folder >= ${folder.replace(/[^/]+$/, '')} AND folder < ${folder}`;
}

export const sweepJobs: PassShape<SweepRecord, SweepOutcome> = {
  kind: 'monitor-sweep',
  root: 'sweeps',
  word: 'sweep',
  end: (outcome) => ({ endedAt: outcome.endedAt, ...sweepEnd(outcome) }),
  interrupted(record, endedAt) {
    const end = { counts: noCounts(), warnings: [], fault: null, reconciled: null, stopped: null };
    const left = { backlog: emptyBacklog, health: [] };
    return { ...sweepOutcome(record, end, left, endedAt), status: 'interrupted' };
  },
};

export const scanJobs: PassShape<ScanRecord, ScanOutcome> = {
  kind: 'monitor-scan',
  root: 'scans',
  word: 'scan',
  end: (outcome) => ({ endedAt: outcome.endedAt, ...scanEnd(outcome) }),
  interrupted({ createdAt: startedAt, list, jobId: scan }, endedAt) {
    const counts = noScanCounts();
    return { scan, list: list.name, stopped: 'interrupted', counts, startedAt, endedAt };
  },
};
