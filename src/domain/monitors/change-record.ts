import { severities, type Change } from './change';
import type { ChangeFile, ReviewMark } from './kept';

/** What is on record about changes, as people read it. */

export const changeStatuses = [
  /** On file; a required sink has not taken it yet. */
  'filed',
  /** Every required sink has it; the service was not told yet. */
  'delivered',
  'acknowledged',
  /** By somebody else, before we could. */
  'acknowledged_elsewhere',
  /** The service does not know it any more. */
  'gone',
  /** Not acknowledged, and what was tried last failed. */
  'failing',
] as const;
export type ChangeStatus = (typeof changeStatuses)[number];

/** One line of `monitor changes`: a published format, in the order of its columns. */
export interface ChangeRecord {
  monitor_id: string;
  change_id: string;
  severity: Change['severity'];
  type: string | null;
  status: ChangeStatus;
  found_as: 'open' | 'elsewhere';
  detected_at: string | null;
  seen_at: string;
  seen_by: string;
  file_at: string | null;
  webhook_at: string | null;
  delivered_at: string | null;
  delivered_by: string | null;
  in_digest: boolean;
  acknowledged_at: string | null;
  acknowledged_by: string | null;
  /** From detection to the last of the required deliveries. */
  lag_seconds: number | null;
  failures: number;
  failure: string | null;
  again_at: string | null;
  reviewed_at: string | null;
  reviewed_by: string | null;
  review_note: string | null;
  erased: boolean;
}

/** @param required sinks that a change must have reached */
export function changeRecord(
  file: ChangeFile & { reviews: readonly ReviewMark[] },
  required: readonly string[],
): ChangeRecord {
  const { filed, delivered, acknowledged, trouble, reviews } = file;
  const { change } = filed;
  const marks = required.map((sink) => delivered[sink]);
  const last = marks.every((mark) => mark !== undefined)
    ? marks.reduce((a, b) => (b.at > a.at ? b : a))
    : undefined;
  const review = reviews.at(-1);
  const isFailing = acknowledged === null && trouble !== null;
  return {
    monitor_id: filed.monitorId,
    change_id: change.changeId,
    severity: change.severity,
    type: change.type,
    status: statusOf(file, last !== undefined),
    found_as: filed.foundAs,
    detected_at: change.detectedAt,
    seen_at: filed.seenAt,
    seen_by: filed.sweep,
    file_at: delivered['file']?.at ?? null,
    webhook_at: delivered['webhook']?.at ?? null,
    delivered_at: last?.at ?? null,
    delivered_by: last?.sweep ?? null,
    in_digest: Object.values(delivered).some(({ digest }) => digest !== undefined),
    acknowledged_at: acknowledged?.acknowledgedAt ?? acknowledged?.at ?? null,
    acknowledged_by: acknowledged?.by === 'us' ? acknowledged.sweep : null,
    lag_seconds: last === undefined ? null : lagSeconds(change.detectedAt, last.at),
    failures: trouble?.count ?? 0,
    failure: isFailing ? trouble.why : null,
    again_at: isFailing ? trouble.againAt : null,
    reviewed_at: review?.at ?? null,
    reviewed_by: review?.by ?? null,
    review_note: review?.note ?? null,
    erased: filed.erased === true,
  };
}

function statusOf({ acknowledged, trouble }: ChangeFile, isDelivered: boolean): ChangeStatus {
  if (acknowledged !== null) {
    const words = {
      us: 'acknowledged',
      elsewhere: 'acknowledged_elsewhere',
      gone: 'gone',
    } as const;
    return words[acknowledged.by];
  }
  if (trouble !== null) return 'failing';
  return isDelivered ? 'delivered' : 'filed';
}

/** Null when the instant of the detection is not told, or cannot be read. Clocks may disagree: never below 0. */
function lagSeconds(detectedAt: string | null, deliveredAt: string): number | null {
  const lag = Date.parse(deliveredAt) - (detectedAt === null ? Number.NaN : Date.parse(detectedAt));
  return Number.isNaN(lag) ? null : Math.max(0, lag) / 1_000;
}

export interface LagFigures {
  count: number;
  p50: number;
  p95: number;
  max: number;
}

/** From detection to delivery in seconds, by severity, gravest first; those without one are left out. */
export class LagSums {
  readonly #lags = new Map<Change['severity'], number[]>();

  add({ severity, lag_seconds: lag, found_as: foundAs }: ChangeRecord): void {
    // What others acknowledged waited for nothing of ours.
    if (lag === null || foundAs === 'elsewhere') return;
    const its = this.#lags.get(severity) ?? [];
    this.#lags.set(severity, its);
    its.push(lag);
  }

  bySeverity(): [Change['severity'], LagFigures][] {
    return [...severities, 'unknown' as const].flatMap((severity) => {
      const its = this.#lags.get(severity);
      return its === undefined ? [] : [[severity, lagFigures(its)]];
    });
  }
}

/** Nearest rank: a p95 is a lag that was had. @throws RangeError when there is none */
export function lagFigures(lags: readonly number[]): LagFigures {
  const sorted = [...lags].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  if (sorted.length === 0) throw new RangeError('no lags');
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}
