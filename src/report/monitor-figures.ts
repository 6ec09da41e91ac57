import type { Change } from '../domain/monitors/change';
import {
  changeStatuses,
  instantNear,
  LagSums,
  type ChangeRecord,
  type ChangeStatus,
  type LagFigures,
} from '../domain/monitors/change-record';
import { Histogram, type Bar, type Bars } from './histogram';

/** Failing changes that a report names; all are counted. */
const mostListed = 20;
/** Bars of a picture. */
const mostBars = 48;

export const steps = ['detected', 'delivered', 'acknowledged'] as const;
export type Step = (typeof steps)[number];

export type SeverityCounts = Record<ChangeStatus, number> & { total: number; unreviewed: number };

/** What a report says of changes. Severities are in order, the gravest first. */
export interface MonitorFigures {
  total: SeverityCounts;
  bySeverity: [Change['severity'], SeverityCounts][];
  lags: [Change['severity'], LagFigures][];
  /** Gravest first, then in the order in which they were stored. */
  failing: ChangeRecord[];
  overTime: OverTime | null;
}

/** All in the bars of one axis. */
export interface OverTime {
  axis: Bars;
  bars: Record<Step, Bar[]>;
  /** Changes whose detection is not told, or cannot be: in the picture when we saw them. */
  undated: number;
}

const severityOrder = ['critical', 'unknown', 'warn', 'info'] as const;

/** Adds up the changes of a report, in bounded memory but for their lags. */
export class MonitorSums {
  readonly #total = noCounts();
  readonly #bySeverity = new Map<Change['severity'], SeverityCounts>();
  readonly #failing = new Map<Change['severity'], ChangeRecord[]>();
  readonly #lags = new LagSums();
  readonly #instants = new Histogram();
  readonly #steps = {
    detected: new Histogram(),
    delivered: new Histogram(),
    acknowledged: new Histogram(),
  };
  readonly #latest: number;
  #undated = 0;

  /** @param now epoch milliseconds: nothing was acknowledged later */
  constructor(now = Date.now()) {
    this.#latest = now + 86_400_000;
  }

  add(record: ChangeRecord): void {
    const { severity, status, seen_at: seenAt, delivered_at: deliveredAt } = record;
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
    const detectedAt = instantNear(record.detected_at, seenAt);
    if (detectedAt === null) this.#undated += 1;
    this.#place('detected', detectedAt ?? Date.parse(seenAt));
    this.#place('delivered', deliveredAt === null ? null : Date.parse(deliveredAt));
    this.#place('acknowledged', instantNear(record.acknowledged_at, seenAt, this.#latest));
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
      overTime: this.#overTime(),
    };
  }

  #overTime(): OverTime | null {
    if (this.#instants.total === 0) return null;
    const axis = this.#instants.bars(mostBars);
    const { detected, delivered, acknowledged } = this.#steps;
    const bars = {
      detected: detected.within(axis),
      delivered: delivered.within(axis),
      acknowledged: acknowledged.within(axis),
    };
    return { axis, bars, undated: this.#undated };
  }

  #place(step: Step, at: number | null): void {
    if (at === null) return;
    this.#steps[step].add(at);
    this.#instants.add(at);
  }
}

function noCounts(): SeverityCounts {
  const statuses = Object.fromEntries(changeStatuses.map((status) => [status, 0]));
  return { ...(statuses as Record<ChangeStatus, number>), total: 0, unreviewed: 0 };
}
