import { attentionOf, bySeverity } from '../../domain/attention';
import type { Cell } from '../../domain/core/findings';
import type { JobKind } from '../../domain/job';

/** One input line of a batch. */
export interface BatchRow {
  line: number;
  /** Its subject: shown masked. */
  requested: string;
  status: string;
  isDoubted: boolean;
  /** Null: no job. */
  jobId: string | null;
  /** The kind's columns. */
  cells: Readonly<Record<string, Cell>>;
  error: { code: string | null; message: string; category?: string | null } | null;
  reference: string;
  /** Relative address of its page; null: none. */
  page: string | null;
  /** What is known besides. */
  note?: string;
}

/** A line with something left to do. @param next the action that helps, if its status does not say it */
export type LeftRow = BatchRow & { next: string | null };

/** More would slow a browser down, and not be mailed; `results.csv` has all. */
const mostRows = 500;
const mostLeft = 250;
/** Columns without meaning in a sum or on a page. */
export const hiddenColumns = /(?:_id|sha256|_unit|_status|^call)$/;

/** Sums of the lines of a batch, in bounded memory. */
export class BatchFigures {
  readonly #kind: JobKind;
  readonly #left = new Map<string, { count: number; rows: LeftRow[] }>();
  /** Lines by status. */
  readonly counts: Record<string, number> = {};
  /** Sums of columns over all lines, each job once. */
  readonly totals: Record<string, number> = {};
  readonly rows: BatchRow[] = [];
  lines = 0;
  /** Lines that need a person. */
  needed = 0;

  constructor(kind: JobKind) {
    this.#kind = kind;
  }

  /** @param next the action that helps, null: none does; left out: its status says whether a person is needed */
  add(row: BatchRow, next?: string | null): void {
    const { cells, isDoubted, status } = row;
    const { needsAttention } = attentionOf(this.#kind, status);
    this.lines += 1;
    this.counts[status] = (this.counts[status] ?? 0) + 1;
    if (this.rows.length < mostRows) this.rows.push(row);
    if (needsAttention || isDoubted) this.needed += 1;
    if (next !== undefined || needsAttention || isDoubted) {
      const group = this.#left.get(status) ?? { count: 0, rows: [] };
      this.#left.set(status, group);
      group.count += 1;
      if (group.rows.length < mostLeft) group.rows.push({ ...row, next: next ?? null });
    }
    if (status === 'duplicate') return;
    for (const [column, value] of Object.entries(cells)) {
      if (typeof value !== 'number' || hiddenColumns.test(column)) continue;
      // Sums in cents are exact.
      this.totals[column] = Math.round(((this.totals[column] ?? 0) + value) * 1e6) / 1e6;
    }
  }

  /** Lines with something left to do, by status. */
  get left(): [status: string, group: { count: number; rows: readonly LeftRow[] }][] {
    return [...this.#left].sort(([a], [b]) => bySeverity.indexOf(a) - bySeverity.indexOf(b));
  }
}
