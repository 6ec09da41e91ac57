import type { Change } from '../domain/monitors/change';
import {
  changeStatuses,
  LagSums,
  type ChangeRecord,
  type ChangeStatus,
  type LagFigures,
} from '../domain/monitors/change-record';

/** Failing changes that a report names; all are counted. */
const mostListed = 20;
export type SeverityCounts = Record<ChangeStatus, number> & { total: number; unreviewed: number };

/** What a report says of changes. Severities are in order, the gravest first. */
export interface MonitorFigures {
  total: SeverityCounts;
  bySeverity: [Change['severity'], SeverityCounts][];
  lags: [Change['severity'], LagFigures][];
  /** Gravest first, then in the order in which they were stored. */
  failing: ChangeRecord[];
}

const severityOrder = ['critical', 'unknown', 'warn', 'info'] as const;

/** Adds up the changes of a report, in bounded memory but for their lags. */
export class MonitorSums {
  readonly #total = noCounts();
  readonly #bySeverity = new Map<Change['severity'], SeverityCounts>();
  readonly #failing = new Map<Change['severity'], ChangeRecord[]>();
  readonly #lags = new LagSums();

  add(record: ChangeRecord): void {
    const { severity, status } = record;
    const counts = this.#bySeverity.get(severity) ?? noCounts();
    this.#bySeverity.set(severity, counts);
    for (const some of [counts, this.#total]) {
      some.total += 1;
      some[status] += 1;
      if (record.reviewed_at === null) some.unreviewed += 1;
    }
    this.#lags.add(record);
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
    };
  }
}

function noCounts(): SeverityCounts {
  const statuses = Object.fromEntries(changeStatuses.map((status) => [status, 0]));
  return { ...(statuses as Record<ChangeStatus, number>), total: 0, unreviewed: 0 };
}
