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
export type Cell = readonly [Verdict, ...ResolveAction[]];
export type Cells<Status extends string = string> = Readonly<Record<Status, Cell>>;

export const done: Cell = ['done'];
export const failed: Cell = ['failed'];

export interface KindFacts {
  /** Prefix of its ids; default: its name. */
  prefix?: string;
  service: 'investigation' | 'credit';
  statuses: Cells;
  /** Number of id segments in its workflow id; default: 2. */
  workflowParts?: number;
  /** First segment of its jobs' folders; default: `batches/<kind>`. */
  root?: string;
  /** For a batch whose rows are jobs: their kind. */
  rows?: string;
  /** Of a kind that may be a row: its workflow. */
  workflow?: string;
  /** Its workflow id serves several jobs: a running one is asked for its job. */
  namesItself?: true;
}

/** A failed row is to be fixed, repeated or abandoned: the batch has not failed. */
export function batchOf<Status extends string>(rows: Cells<Status>): Cells<Status> {
  const cells = Object.entries<Cell>(rows).map(([status, [verdict, ...actions]]) => [
    status,
    [verdict === 'failed' ? 'person' : verdict, ...actions],
  ]);
  return Object.fromEntries(cells) as Cells<Status>;
}

/** For rows that are jobs, which are resolved one by one, and for invalid lines. */
export function jobBatchOf(jobs: Cells): Cells {
  const lines = { invalid: failed, duplicate: done, erased: done, lost: failed };
  const all = { completed: done, ...jobs, ...lines };
  const cells = Object.entries<Cell>(all).map(([status, [verdict]]) => [status, [verdict]]);
  return batchOf(Object.fromEntries(cells) as Cells);
}
