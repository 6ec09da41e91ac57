import { fieldsOf } from '../../domain/core/findings';
import type { Change } from '../../domain/monitors/change';
import {
  changeStatuses,
  LagSums,
  type ChangeRecord,
  type ChangeStatus,
  type LagFigures,
} from '../../domain/monitors/change-record';

/** Listed failing changes, and shown changes; all are counted. */
const mostListed = 20;
const mostShown = 200;

/** A change with the service's fields. */
export interface ShownChange {
  record: ChangeRecord;
  before: unknown;
  after: unknown;
}

export type SeverityCounts = Record<ChangeStatus, number> & { total: number; unreviewed: number };

/** A report's figures about changes. Severities are in order, the most severe first. */
export interface MonitorFigures {
  total: SeverityCounts;
  bySeverity: [Change['severity'], SeverityCounts][];
  lags: [Change['severity'], LagFigures][];
  /** Most severe first, then in the order in which they were stored. */
  failing: ChangeRecord[];
  /** The first of all changes, in the same order. */
  changes: ShownChange[];
}

const severityOrder = ['critical', 'unknown', 'warn', 'info'] as const;

/** Sums the changes of a report, in bounded memory except for their lags. */
export class MonitorSums {
  readonly #total = noCounts();
  readonly #bySeverity = new Map<Change['severity'], SeverityCounts>();
  readonly #failing = new Map<Change['severity'], ChangeRecord[]>();
  readonly #changes = new Map<Change['severity'], ShownChange[]>();
  readonly #lags = new LagSums();

  /** @param answer the change as the service reported it */
  add(record: ChangeRecord, answer: unknown): void {
    const { severity, status } = record;
    const counts = this.#bySeverity.get(severity) ?? noCounts();
    this.#bySeverity.set(severity, counts);
    for (const some of [counts, this.#total]) {
      some.total += 1;
      some[status] += 1;
      if (record.reviewed_at === null) some.unreviewed += 1;
    }
    this.#lags.add(record);
    const shown = this.#changes.get(severity) ?? [];
    this.#changes.set(severity, shown);
    if (shown.length < mostShown) {
      const { after, before } = fieldsOf(answer);
      shown.push({ record, before, after });
    }
    if (status === 'failing') {
      const failing = this.#failing.get(severity) ?? [];
      this.#failing.set(severity, failing);
      if (failing.length < mostListed) failing.push(record);
    }
  }

  figures(): MonitorFigures {
    return {
      total: this.#total,
      bySeverity: severityOrder.flatMap((severity): MonitorFigures['bySeverity'] => {
        const counts = this.#bySeverity.get(severity);
        return counts === undefined ? [] : [[severity, counts]];
      }),
      lags: this.#lags.bySeverity(),
      failing: severityOrder
        .flatMap((severity) => this.#failing.get(severity) ?? [])
        .slice(0, mostListed),
      changes: severityOrder
        .flatMap((severity) => this.#changes.get(severity) ?? [])
        .slice(0, mostShown),
    };
  }
}

function noCounts(): SeverityCounts {
  const statuses = Object.fromEntries(changeStatuses.map((status) => [status, 0]));
  return { ...(statuses as Record<ChangeStatus, number>), total: 0, unreviewed: 0 };
}
