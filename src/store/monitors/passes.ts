import { scanEnd, sweepEnd } from '../../domain/job-ends';
import {
  noScanCounts,
  scanFolder,
  type ScanOutcome,
  type ScanRecord,
} from '../../domain/monitors/scan';
import {
  emptyBacklog,
  noCounts,
  sweepFolder,
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

/** Recurring jobs of one monitor or list: the last one has its status. */
export class PassRepository<I extends Pass, O extends { endedAt: string }> extends JobsOfKind<
  I,
  O
> {
  readonly #folderOf: (jobId: string) => string;
  readonly #interrupted: (record: I, at: string) => O;

  constructor(
    store: Store,
    shape: JobShape<O>,
    folderOf: (jobId: string) => string,
    interrupted: (record: I, at: string) => O,
  ) {
    super(store, shape);
    this.#folderOf = folderOf;
    this.#interrupted = interrupted;
  }

  /** Only one runs at a time: earlier ones without an end were interrupted. */
  async begin(record: I): Promise<void> {
    const folder = this.#folderOf(record.jobId);
    await this.putRecord(folder, record);
    const open = await this.store.read<{ folder: string }>(
      sql`SELECT folder FROM job WHERE ${isBefore(folder)} AND ended_at IS NULL`,
    );
    for (const { folder: earlier } of open) {
      const before = await this.record(earlier);
      if (before !== null)
        await this.putOutcome(earlier, this.#interrupted(before, record.createdAt));
    }
  }

  /** This one took over what an earlier one left: that one needs no person any more. */
  async finish(record: I, outcome: O): Promise<O> {
    const folder = this.#folderOf(record.jobId);
    await this.putRecord(folder, record);
    const first = await this.putOutcome(folder, outcome);
    await this.store.commit([sql`UPDATE job SET attention_at = NULL WHERE ${isBefore(folder)}`]);
    return first;
  }
}

function isBefore(folder: string): Statement {
  return sql`folder >= ${folder.replace(/[^/]+$/, '')} AND folder < ${folder}`;
}

export const sweepJobs: JobFolders & JobShape<SweepOutcome> = {
  kind: 'monitor-sweep',
  root: 'sweeps',
  word: 'sweep',
  end: (outcome) => ({ endedAt: outcome.endedAt, ...sweepEnd(outcome) }),
};

export const scanJobs: JobFolders & JobShape<ScanOutcome> = {
  kind: 'monitor-scan',
  root: 'scans',
  word: 'scan',
  end: (outcome) => ({ endedAt: outcome.endedAt, ...scanEnd(outcome) }),
};

export type SweepRepository = PassRepository<SweepRecord, SweepOutcome>;

export function sweepRepository(store: Store): SweepRepository {
  return new PassRepository(store, sweepJobs, sweepFolder, interruptedSweep);
}

export type ScanRepository = PassRepository<ScanRecord, ScanOutcome>;

export function scanRepository(store: Store): ScanRepository {
  return new PassRepository(store, scanJobs, scanFolder, interruptedScan);
}

/** For a sweep that the next found without an outcome. */
function interruptedSweep(record: SweepRecord, endedAt: string): SweepOutcome {
  const end = { counts: noCounts(), warnings: [], fault: null, reconciled: null, stopped: null };
  const left = { backlog: emptyBacklog, health: [] };
  return { ...sweepOutcome(record, end, left, endedAt), status: 'interrupted' };
}

function interruptedScan(record: ScanRecord, endedAt: string): ScanOutcome {
  const { createdAt: startedAt, list, jobId: scan } = record;
  const counts = noScanCounts();
  return { scan, list: list.name, stopped: 'interrupted', counts, startedAt, endedAt };
}
