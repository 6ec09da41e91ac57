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
import { JobsOfKind } from '../core/jobs/jobs-of-kind';
import { statement } from '../statement';
import type { Store } from '../store';

/** Recurring jobs of one monitor or list: the last one has its status. */
class Passes<I extends { jobId: string; createdAt: string }, O extends object> extends JobsOfKind<
  I,
  O
> {
  readonly #folderOf: (jobId: string) => string;
  readonly #interrupted: (record: I, at: string) => O;

  constructor(
    store: Store,
    shape: ConstructorParameters<typeof JobsOfKind<I, O>>[1],
    rules: { folderOf: (jobId: string) => string; interrupted: (record: I, at: string) => O },
  ) {
    super(store, shape);
    this.#folderOf = rules.folderOf;
    this.#interrupted = rules.interrupted;
  }

  /** Only one runs at a time: earlier ones without an end were interrupted. */
  async begin(record: I): Promise<void> {
    const folder = this.#folderOf(record.jobId);
    await this.putRecord(folder, record);
    const open = await this.store.read<{ holder: string }>(
      statement('SELECT holder FROM job WHERE holder >= ? AND holder < ? AND ended_at IS NULL', [
        subjectOf(folder),
        folder,
      ]),
    );
    for (const { holder } of open) {
      const before = await this.record(holder);
      if (before !== null)
        await this.putOutcome(holder, this.#interrupted(before, record.createdAt));
    }
  }

  /** This one took over what an earlier one left: that one needs no person any more. */
  async finish(record: I, outcome: O): Promise<O> {
    const folder = this.#folderOf(record.jobId);
    await this.putRecord(folder, record);
    const first = await this.putOutcome(folder, outcome);
    await this.store.commit([
      statement('UPDATE job SET attention_at = NULL WHERE holder >= ? AND holder < ?', [
        subjectOf(folder),
        folder,
      ]),
    ]);
    return first;
  }
}

function subjectOf(folder: string): string {
  return folder.replace(/[^/]+$/, '');
}

export class SweepRepository extends Passes<SweepRecord, SweepOutcome> {
  constructor(store: Store) {
    const shape = {
      root: 'sweeps/',
      start: ({ jobId: id }: SweepRecord) => ({ id, kind: 'monitor-sweep' as const }),
      end: (outcome: SweepOutcome) => ({ endedAt: outcome.endedAt, ...sweepEnd(outcome) }),
    };
    super(store, shape, { folderOf: sweepFolder, interrupted: interruptedSweep });
  }
}

export class ScanRepository extends Passes<ScanRecord, ScanOutcome> {
  constructor(store: Store) {
    const shape = {
      root: 'scans/',
      start: ({ jobId: id }: ScanRecord) => ({ id, kind: 'monitor-scan' as const }),
      end: (outcome: ScanOutcome) => ({ endedAt: outcome.endedAt, ...scanEnd(outcome) }),
    };
    super(store, shape, { folderOf: scanFolder, interrupted: interruptedScan });
  }
}

/** For a sweep that the next found without an outcome. */
function interruptedSweep(record: SweepRecord, endedAt: string): SweepOutcome {
  const warnings = ['it was interrupted: a later sweep continued'];
  const end = { counts: noCounts(), warnings: [], fault: null, reconciled: null, stopped: null };
  const left = { backlog: emptyBacklog, warnings, health: [] };
  return { ...sweepOutcome(record, end, left, endedAt), status: 'interrupted' };
}

function interruptedScan(record: ScanRecord, endedAt: string): ScanOutcome {
  const { createdAt: startedAt, list, jobId: scan } = record;
  const counts = noScanCounts();
  return { scan, list: list.name, stopped: 'interrupted', counts, startedAt, endedAt };
}
