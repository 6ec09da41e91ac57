import { attentionOf } from '../../domain/attention';
import type { Cell } from '../../domain/core/findings';
import type { JobBatchRecord } from '../../domain/core/job-batch';

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
  error: { code: string | null; message: string } | null;
  reference: string;
  /** Relative address of its page; null: none. */
  page: string | null;
}

export interface BatchFigures {
  /** Lines by status. */
  counts: Readonly<Record<string, number>>;
  /** Sums of columns over all lines, each job once. */
  totals: Readonly<Record<string, number>>;
  rows: readonly BatchRow[];
  /** Lines beyond those. */
  more: number;
  left: readonly BatchRow[];
  moreLeft: number;
}

/** More would slow a browser down; `results.csv` has all. */
const mostRows = 2_000;
const mostLeft = 250;
/** Columns without meaning in a sum or on a page. */
export const hiddenColumns = /(?:_id|sha256|_unit|_status|^call)$/;

/** Sums the lines of a batch, in bounded memory. */
export class BatchFold {
  readonly #kind: JobBatchRecord['kind'];
  readonly #counts: Record<string, number> = {};
  readonly #totals: Record<string, number> = {};
  readonly #rows: BatchRow[] = [];
  readonly #left: BatchRow[] = [];
  #all = 0;
  #allLeft = 0;

  constructor(kind: JobBatchRecord['kind']) {
    this.#kind = kind;
  }

  add(row: BatchRow): void {
    const { cells, isDoubted, status } = row;
    this.#all += 1;
    this.#counts[status] = (this.#counts[status] ?? 0) + 1;
    if (this.#rows.length < mostRows) this.#rows.push(row);
    if (isDoubted || attentionOf(this.#kind, status).needsAttention) {
      this.#allLeft += 1;
      if (this.#left.length < mostLeft) this.#left.push(row);
    }
    if (status === 'duplicate') return;
    for (const [column, value] of Object.entries(cells)) {
      if (typeof value !== 'number' || hiddenColumns.test(column)) continue;
      // Sums in cents are exact.
      this.#totals[column] = Math.round(((this.#totals[column] ?? 0) + value) * 1e6) / 1e6;
    }
  }

  figures(): BatchFigures {
    return {
      counts: this.#counts,
      totals: this.#totals,
      rows: this.#rows,
      more: this.#all - this.#rows.length,
      left: this.#left,
      moreLeft: this.#allLeft - this.#left.length,
    };
  }
}
