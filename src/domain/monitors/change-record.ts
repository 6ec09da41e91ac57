import { severities, type Change } from './change';
import type { ChangeFile, ReviewMark } from './stored';

export const changeStatuses = [
  'stored',
  'delivered',
  'acknowledged',
  /** By someone else, before us. */
  'acknowledged_elsewhere',
  'gone',
  'failing',
] as const;
export type ChangeStatus = (typeof changeStatuses)[number];

/** One line of `monitor changes`: a published format, in column order. */
export type ChangeRecord = ReturnType<typeof changeRecord>;

/** @param requiredNow sinks that an unacknowledged change must reach */
export function changeRecord(
  file: ChangeFile & { reviews: readonly ReviewMark[] },
  requiredNow: readonly string[],
) {
  const { stored, delivered, acknowledged, failure, reviews } = file;
  const { change } = stored;
  // An acknowledged change is measured against the sinks required at that time: settings change, records do not.
  const required = acknowledged?.required ?? requiredNow;
  const marks = required.map((sink) => delivered[sink]);
  const last = marks.every((mark) => mark !== undefined)
    ? marks.sort((a, b) => a.at.localeCompare(b.at)).at(-1)
    : undefined;
  const review = reviews.at(-1);
  const isFailing = isStuck(file, requiredNow);
  return {
    monitor_id: stored.monitorId,
    change_id: change.changeId,
    severity: change.severity,
    type: change.type,
    status: isFailing ? 'failing' : statusOf(file, last !== undefined),
    found_as: stored.foundAs,
    detected_at: change.detectedAt,
    seen_at: stored.seenAt,
    seen_by: stored.sweep,
    file_at: delivered['file']?.at ?? null,
    webhook_at: delivered['webhook']?.at ?? null,
    delivered_at: last?.at ?? null,
    delivered_by: last?.sweep ?? null,
    in_digest: Object.values(delivered).some(({ inDigest }) => inDigest === true),
    // A change that is gone was not acknowledged.
    acknowledged_at:
      acknowledged === null || acknowledged.by === 'gone'
        ? null
        : (acknowledged.acknowledgedAt ?? acknowledged.at),
    acknowledged_by: acknowledged?.by === 'us' ? acknowledged.sweep : null,
    /** From detection to the last of the required deliveries. */
    lag_seconds: last === undefined ? null : lagSeconds(change.detectedAt, last.at),
    failures: failure?.count ?? 0,
    failure: isFailing ? (failure?.why ?? null) : null,
    again_at: isFailing ? (failure?.againAt ?? null) : null,
    reviewed_at: review?.at ?? null,
    reviewed_by: review?.by ?? null,
    review_note: review?.note ?? null,
    erased: stored.erased === true,
  };
}

/**
 * Observed open and not delivered to every required sink, whoever acknowledged it. What we acknowledged had been
 * delivered to all sinks required then; a sink required later gets only later changes.
 * @param requiredNow a sink no longer among them is not pending
 */
export function isPending(
  { stored, delivered, acknowledged }: ChangeFile,
  requiredNow: readonly string[],
): boolean {
  if (stored.foundAs !== 'open' || stored.erased === true) return false;
  if (acknowledged !== null && acknowledged.by !== 'elsewhere') return false;
  const then = acknowledged?.required ?? requiredNow;
  return requiredNow.some((sink) => delivered[sink] === undefined && then.includes(sink));
}

/**
 * The last attempt failed: it is not acknowledged, or pending at a sink, or listed as open again after its
 * acknowledgement.
 */
export function isStuck(file: ChangeFile, requiredNow: readonly string[]): boolean {
  if (file.failure === null) return false;
  return (
    file.acknowledged === null || isPending(file, requiredNow) || isOpenAgain(file, requiredNow)
  );
}

function isOpenAgain(
  { acknowledged, failure, delivered }: ChangeFile,
  requiredNow: readonly string[],
): boolean {
  if (acknowledged === null || failure === null || failure.lastAt <= acknowledged.at) return false;
  const { step, sink } = failure;
  if (step === 'acknowledge' || sink === null) return true;
  return requiredNow.includes(sink) && delivered[sink] === undefined;
}

function statusOf({ acknowledged }: ChangeFile, isDelivered: boolean): ChangeStatus {
  if (acknowledged !== null) {
    const words = {
      us: 'acknowledged',
      elsewhere: 'acknowledged_elsewhere',
      gone: 'gone',
    } as const;
    return words[acknowledged.by];
  }
  return isDelivered ? 'delivered' : 'stored';
}

/** Null when the detection instant is missing or implausible. Clocks may disagree: never below 0. */
function lagSeconds(detectedAt: string | null, deliveredAt: string): number | null {
  const until = Date.parse(deliveredAt);
  const from = instantNear(detectedAt, deliveredAt);
  return from === null ? null : Math.max(0, until - from) / 1_000;
}

const oneDayMs = 86_400_000;
const tenYearsMs = 3_653 * oneDayMs;

/**
 * A reported instant in epoch milliseconds. Null when invalid or implausible: ten years before we observed it, or
 * after `latest`.
 * @param latest default: a day after we observed it, since clocks and time zones differ
 */
export function instantNear(
  reported: string | null,
  seenAt: string,
  latest = Date.parse(seenAt) + oneDayMs,
): number | null {
  const at = reported === null ? Number.NaN : Date.parse(reported);
  return at >= Date.parse(seenAt) - tenYearsMs && at <= latest ? at : null;
}

export interface LagFigures {
  count: number;
  p50: number;
  p95: number;
  max: number;
}

/** Seconds from detection to delivery by severity, most severe first; without unknown lags. */
export class LagSums {
  readonly #lags = new Map<Change['severity'], number[]>();

  add({ severity, lag_seconds: lag, found_as: foundAs }: ChangeRecord): void {
    // Changes acknowledged elsewhere did not wait for us.
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

/** Nearest rank: a p95 is an actual lag. @throws RangeError when there is none */
export function lagFigures(lags: readonly number[]): LagFigures {
  const sorted = [...lags].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  if (sorted.length === 0) throw new RangeError('no lags');
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}
