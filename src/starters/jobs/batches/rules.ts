import type { JobBatchKind, Words } from '../../../domain/job';
import type { Store } from '../../../store/store';
import type { EndedJob, Job, JobKind } from '../job-kind';

type Cell = string | number | boolean | null;

type Cells = Readonly<Record<string, Cell>>;

export interface EndOfChild {
  status: string;
  error: { code: string | null; message: string } | null;
  settledAt: string;
  erased?: true;
}

/** The row's newest job: a resolution may have started another. */
export type EndedChild = EndedJob<unknown, EndOfChild>;

/** Written in two scans of the rows: the first one finds the columns. */
export interface BatchSheets {
  /** @returns what the batch page shows of the line besides its cells */
  learn(answer: Buffer): Cells;
  /** Writes lines that have their own response, after `learn` has seen all of them. */
  write(row: { line: number; requested: string }, answer: Buffer): Promise<void>;
  close(): Promise<void>;
  abandon(): Promise<void>;
}

export interface BatchRules<Input = unknown, Outcome extends EndOfChild = EndOfChild> {
  /** Default: that of its child jobs, with `-batch`. */
  kind?: JobBatchKind;
  noun: Words;
  /** Columns of `results.csv` between the status and what all kinds have. Add at the end only. */
  columns: Readonly<Record<string, (outcome: Outcome) => Cell>>;
  /** Those of them that report charges: written once for a job, on its first line. */
  chargeColumns?: readonly string[];
  sheets?(folder: string, how: { excel: boolean }): BatchSheets;
  child: JobKind<Input, Outcome>;
  /** Each child job gets its own page when pages are requested. */
  hasPages?: true;
  /** The files of a child job are written into a folder of its own, else its answer beside the rows. */
  hasFolders?: true;
  /** Default: that of the outcome. */
  error?(outcome: Outcome): EndOfChild['error'];
  /** A child job needs attention, whatever its status; default: none. */
  isDoubted?(outcome: Outcome): boolean;
  /** Id of the newest job of a row; left out: that of the batch. */
  newest?(store: Store, jobId: string): Promise<string>;
  /** Whether anything was sent for it, or may have been; left out: as its purchase subject says. */
  hasStarted?(store: Store, job: Job<Input, Outcome>): Promise<boolean> | boolean;
  /** Status of a row without a request, once the batch has ended; default: lost. */
  unstarted?: 'followed';
}

export function batchKindOf({ child, kind }: BatchRules): JobBatchKind {
  return kind ?? (`${child.kind}-batch` as JobBatchKind);
}

export function cellsOf(rules: BatchRules, job: EndedChild | null): Cells {
  const cells = Object.entries(rules.columns).map(([name, cellOf]) => {
    return [name, job && cellOf(job.outcome)] as const;
  });
  return Object.fromEntries(cells);
}
