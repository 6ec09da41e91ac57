import { fieldsOf } from '../../domain/core/findings';
import type { Change } from '../../domain/monitors/change';
import type { HealthNote } from '../../domain/monitors/health';
import type { ScanNote } from '../../domain/monitors/scan';
import {
  changeStatuses,
  type ChangeRecord,
  type ChangeStatus,
} from '../../domain/monitors/change-record';

/** Shown changes; all are counted. */
const mostShown = 200;
/** Days in the picture. */
const mostDays = 90;

/** A change with the service's fields. */
export interface ShownChange {
  record: ChangeRecord;
  before: unknown;
  after: unknown;
}

export type SeverityCounts = Record<ChangeStatus, number> & { total: number; unreviewed: number };

const severityOrder = ['critical', 'unknown', 'warn', 'info'] as const;
/** What fails comes first. */
const shownOrder = ['failing', ...severityOrder] as const;

/** A monitor with warnings. */
export interface ReportedMonitor {
  monitorId: string;
  name: string | null;
  /** Masked. */
  document: string | null;
  /** `unreadable`: items of its list, and the paths at fault. */
  notes: readonly (ScanNote | { kind: 'unreadable'; why: string })[];
}

export interface MonitorReport {
  /** The filter of the changes. Null: all; `since` is an instant of ISO 8601. */
  scope: {
    since: string | null;
    monitors: number | null;
    severities: readonly Change['severity'][] | null;
  };
  figures: MonitorFigures;
  /** Names of monitors, by id. */
  names: ReadonlyMap<string, string>;
  monitors: {
    total: number;
    /** Number of monitors with a warning of the kind. */
    noted: Record<Extract<HealthNote['kind'], 'blocked' | 'unknown' | 'unwell'>, number>;
    /** Monitors with warnings; `more` of them are left out. */
    listed: readonly ReportedMonitor[];
    more: number;
  };
  /** They take nothing until a person enables them. */
  disabledSinks: readonly { name: string; at: string; why: string }[];
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** Of the changes of a report, in bounded memory. */
export class MonitorFigures {
  readonly total = noCounts();
  readonly #bySeverity = new Map<Change['severity'], SeverityCounts>();
  readonly #changes = new Map<(typeof shownOrder)[number], ShownChange[]>();
  readonly #byDay = new Map<string, number>();

  /** @param answer the change as the service reported it */
  add(record: ChangeRecord, answer: unknown): void {
    const { severity, status } = record;
    const counts = this.#bySeverity.get(severity) ?? noCounts();
    this.#bySeverity.set(severity, counts);
    for (const some of [counts, this.total]) {
      some.total += 1;
      some[status] += 1;
      if (record.reviewed_at === null) some.unreviewed += 1;
    }
    const day = (record.detected_at ?? record.seen_at).slice(0, 'YYYY-MM-DD'.length);
    this.#byDay.set(day, (this.#byDay.get(day) ?? 0) + 1);
    const order = status === 'failing' ? status : severity;
    const shown = this.#changes.get(order) ?? [];
    this.#changes.set(order, shown);
    const { after, before } = fieldsOf(answer);
    if (shown.length < mostShown) shown.push({ record, before, after });
  }

  /** The most severe first. */
  get bySeverity(): [Change['severity'], SeverityCounts][] {
    return severityOrder.flatMap((severity) => {
      const counts = this.#bySeverity.get(severity);
      return counts === undefined ? [] : [[severity, counts]];
    });
  }

  /** Detected, by day of UTC. */
  get byDay(): [day: string, count: number][] {
    return [...this.#byDay].sort(([a], [b]) => a.localeCompare(b)).slice(-mostDays);
  }

  get changes(): ShownChange[] {
    return shownOrder.flatMap((order) => this.#changes.get(order) ?? []).slice(0, mostShown);
  }
}

function noCounts(): SeverityCounts {
  const statuses = Object.fromEntries(changeStatuses.map((status) => [status, 0]));
  return { ...(statuses as Record<ChangeStatus, number>), total: 0, unreviewed: 0 };
}
