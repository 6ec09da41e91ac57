import { severities, type Change } from './change';
import type { ChangeFile, ReviewMark } from './stored';

/** What is on record about changes, as people read it. */

export const changeStatuses = [
  /** On file; a required sink has not taken it yet. */
  'stored',
  /** Every required sink has it; the service was not told yet. */
  'delivered',
  'acknowledged',
  /** By somebody else, before we could. */
  'acknowledged_elsewhere',
  /** The service does not know it any more. */
  'gone',
  /** What was tried last failed: it is not acknowledged, or not with every required sink. */
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

/** @param requiredNow sinks that a change must have reached that is not acknowledged yet */
export function changeRecord(
  file: ChangeFile & { reviews: readonly ReviewMark[] },
  requiredNow: readonly string[],
): ChangeRecord {
  const { stored, delivered, acknowledged, failure, reviews } = file;
  const { change } = stored;
  // What is acknowledged is measured against the sinks of that day: settings change, records do not.
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
    // One that is gone was acknowledged by nobody.
    acknowledged_at:
      acknowledged === null || acknowledged.by === 'gone'
        ? null
        : (acknowledged.acknowledgedAt ?? acknowledged.at),
    acknowledged_by: acknowledged?.by === 'us' ? acknowledged.sweep : null,
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
 * Seen open and not with every required sink: it is due to them, whoever acknowledged it. What we
 * acknowledged every sink had that was required then, and a sink that is required since takes what
 * comes, not what was.
 *
 * @param requiredNow one that is not among them any more is owed nothing
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
 * What was tried last failed: it is not acknowledged, or due to a sink, or the service listed it as
 * open again after its acknowledgement.
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

/** Null when the instant of the detection is not told, or cannot be. Clocks may disagree: never below 0. */
function lagSeconds(detectedAt: string | null, deliveredAt: string): number | null {
  const until = Date.parse(deliveredAt);
  const from = instantNear(detectedAt, deliveredAt);
  return from === null ? null : Math.max(0, until - from) / 1_000;
}

const oneDayMs = 86_400_000;
const tenYearsMs = 3_653 * oneDayMs;

/**
 * An instant that the service told, in epoch milliseconds. Null when it is none, or cannot be: ten
 * years before we saw what it is about, or after the `latest` that can be.
 *
 * @param latest a day after we saw it, unless told: clocks and time zones disagree
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
