import type { Change } from '../domain/monitors/change';
import {
  instantNear,
  LagSums,
  type ChangeRecord,
  type ChangeStatus,
  type LagFigures,
} from '../domain/monitors/change-record';
import { Histogram, type Bar, type Bars } from './histogram';

/** Changes of a list in a report; all are counted. */
const mostListed = 20;
/** Bars of a picture. */
const mostBars = 48;

export type SeverityCounts = Record<ChangeStatus, number> & { total: number; unreviewed: number };

/** What a report tells of changes. */
export interface MonitorFigures {
  changes: number;
  statuses: Record<ChangeStatus, number>;
  unreviewed: number;
  inDigests: number;
  bySeverity: [Change['severity'], SeverityCounts][];
  lags: [Change['severity'], LagFigures][];
  /** Gravest first, then in order of their filing. */
  failing: ChangeRecord[];
  overTime: OverTime | null;
}

/** All in the bars of one axis. */
export interface OverTime {
  axis: Bars;
  /** By the instant of detection. */
  detected: [Change['severity'], Bar[]][];
  delivered: Bar[];
  acknowledged: Bar[];
  /** Changes whose detection is not told, or cannot be: in the picture when we saw them. */
  undated: number;
}

const severityOrder = ['critical', 'unknown', 'warn', 'info'] as const;

/** Adds up the changes of a report, in bounded memory but for their lags. */
export class MonitorSums {
  readonly #bySeverity = new Map<Change['severity'], SeverityCounts>();
  readonly #detected = new Map<Change['severity'], Histogram>();
  readonly #delivered = new Histogram();
  readonly #acknowledged = new Histogram();
  readonly #instants = new Histogram();
  readonly #lags = new LagSums();
  readonly #failing = new Map<Change['severity'], ChangeRecord[]>();
  readonly #latest: number;
  #inDigests = 0;
  #undated = 0;

  /** @param now epoch milliseconds: nothing was acknowledged later */
  constructor(now = Date.now()) {
    this.#latest = now + 86_400_000;
  }

  add(record: ChangeRecord): void {
    const counts = this.#bySeverity.get(record.severity) ?? noSeverityCounts();
    this.#bySeverity.set(record.severity, counts);
    counts.total += 1;
    counts[record.status] += 1;
    if (record.reviewed_at === null) counts.unreviewed += 1;
    if (record.in_digest) this.#inDigests += 1;
    this.#lags.add(record);
    if (record.status === 'failing') {
      const failing = this.#failing.get(record.severity) ?? [];
      this.#failing.set(record.severity, failing);
      if (failing.length < mostListed) failing.push(record);
    }
    const detected = this.#detected.get(record.severity) ?? new Histogram();
    this.#detected.set(record.severity, detected);
    const { seen_at: seenAt, acknowledged_at: acknowledgedAt } = record;
    const at = instantNear(record.detected_at, seenAt);
    if (at === null) this.#undated += 1;
    this.#place(detected, at ?? Date.parse(seenAt));
    this.#place(
      this.#delivered,
      record.delivered_at === null ? null : Date.parse(record.delivered_at),
    );
    this.#place(this.#acknowledged, instantNear(acknowledgedAt, seenAt, this.#latest));
  }

  figures(): MonitorFigures {
    const bySeverity = severityOrder.flatMap((severity): [Change['severity'], SeverityCounts][] => {
      const counts = this.#bySeverity.get(severity);
      return counts === undefined ? [] : [[severity, counts]];
    });
    const sum = (name: keyof SeverityCounts): number =>
      bySeverity.reduce((all, [, counts]) => all + counts[name], 0);
    return {
      changes: sum('total'),
      statuses: {
        filed: sum('filed'),
        delivered: sum('delivered'),
        acknowledged: sum('acknowledged'),
        acknowledged_elsewhere: sum('acknowledged_elsewhere'),
        gone: sum('gone'),
        failing: sum('failing'),
      },
      unreviewed: sum('unreviewed'),
      inDigests: this.#inDigests,
      bySeverity,
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
    return {
      axis,
      detected: severityOrder.flatMap((severity): [Change['severity'], Bar[]][] => {
        const detected = this.#detected.get(severity);
        return detected === undefined ? [] : [[severity, detected.within(axis)]];
      }),
      delivered: this.#delivered.within(axis),
      acknowledged: this.#acknowledged.within(axis),
      undated: this.#undated,
    };
  }

  #place(histogram: Histogram, at: number | null): void {
    if (at === null) return;
    histogram.add(at);
    this.#instants.add(at);
  }
}

function noSeverityCounts(): SeverityCounts {
  return {
    filed: 0,
    delivered: 0,
    acknowledged: 0,
    acknowledged_elsewhere: 0,
    gone: 0,
    failing: 0,
    total: 0,
    unreviewed: 0,
  };
}
