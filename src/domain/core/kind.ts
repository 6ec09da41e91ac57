import type { QueueKind } from './queues';

/** What a person may decide. */
export const resolveActions = [
  'reissue',
  'abandon',
  'watch',
  'adopt',
  'accept',
  'retry',
  'acknowledge',
] as const;
export type ResolveAction = (typeof resolveActions)[number];

type Verdict = 'done' | 'failed' | 'person';
/** How one status is to be taken, and what a person may decide then. */
export type Cell = readonly [Verdict, ...ResolveAction[]];
export type Cells<Status extends string = string> = Readonly<Record<Status, Cell>>;

export const done: Cell = ['done'];
export const failed: Cell = ['failed'];

/** What all layers know of a kind of job. */
export interface KindFacts {
  /** Its ids begin with it; left out: its name. */
  prefix?: string;
  service: 'investigation' | 'credit';
  statuses: Cells;
  /** Parts of the id that are its workflow's too; left out: all of them. */
  workflowParts?: number;
  /** Of a batch whose rows are jobs. */
  rows?: RowJobs;
}

/** What the rows of a batch are. */
export interface RowJobs {
  kind: string;
  workflow: string;
  queue: QueueKind;
  /** What the workflow and its activities call the job by. */
  ref: (jobId: string) => { jobId: string; folder: string; dossierId?: string };
  /** Who finds it running asks which job it does, whoever has started it. */
  namesItself?: true;
}

/** A row that failed is left to mend, to ask for again, or to give up: the batch has not failed. */
export function batchOf<Status extends string>(rows: Cells<Status>): Cells<Status> {
  const cells = Object.entries<Cell>(rows).map(([status, [verdict, ...actions]]) => [
    status,
    [verdict === 'failed' ? 'person' : verdict, ...actions],
  ]);
  return Object.fromEntries(cells) as Cells<Status>;
}

/** Of rows that are jobs, which are decided about one by one, and of lines that came to none. */
export function jobBatchOf(jobs: Cells): Cells {
  const lines = { invalid: failed, duplicate: done, erased: done, lost: failed };
  const all = { completed: done, ...jobs, ...lines };
  const cells = Object.entries<Cell>(all).map(([status, [verdict]]) => [status, [verdict]]);
  return batchOf(Object.fromEntries(cells) as Cells);
}
