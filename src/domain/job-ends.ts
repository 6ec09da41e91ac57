import { endOf, mostSevere, type Doubt } from './attention';
import type { DossierOutcome } from './dossiers/follow';
import type { JobEnd, JobKind } from './job';
import type { LensOutcome } from './lens/analyze';
import type { SweepOutcome } from './monitors/sweep';
import { scanStatus, type ScanOutcome } from './monitors/scan';

/** How jobs end whose outcome says more than a status. */

/**
 * @param notSent lines or files that could not be asked for
 * @param isDoubted a row needs a person, whatever its status
 */
export function batchEnd(
  kind: JobKind,
  counts: Readonly<Partial<Record<string, number>>>,
  notSent = 0,
  isDoubted = false,
): JobEnd {
  const { invalid = 0 } = counts;
  const status = mostSevere({ ...counts, invalid: invalid + notSent });
  return endOf(kind, status, when(isDoubted, 'incomplete'));
}

/** A report that was announced and could not be had is missing in what is completed alone. */
export function dossierEnd(outcome: DossierOutcome): JobEnd {
  const { note, possibleAttempt, status, notStored } = outcome;
  const isIncomplete = status === 'completed' && (notStored.length > 0 || note !== null);
  return endOf('dossier', status, [
    ...when(isIncomplete, 'incomplete'),
    ...when(possibleAttempt, 'possible_charge'),
  ]);
}

export function lensEnd({ files, status }: LensOutcome): JobEnd {
  const isIncomplete = status === 'completed' && (files === null || files.notStored.length > 0);
  return endOf('lens', status, when(isIncomplete, 'incomplete'));
}

/**
 * A service that is away comes back by itself, and what a cancelled sweep had not come to yet waits for the
 * next one.
 */
export function sweepEnd({ backlog, status, stopped, fault }: SweepOutcome): JobEnd {
  const { escalated, undelivered, unreadable } = backlog;
  const isEscalated = escalated > 0 || (fault !== null && fault.fault !== 'unavailable');
  const isCancelled = stopped !== null && fault === null && undelivered + unreadable === 0;
  const word = isCancelled ? 'cancelled' : status;
  return endOf('monitor-sweep', word, when(isEscalated, 'escalated'));
}

/** One sweep needs a person, or the scan as a whole came to nothing. */
export function scanEnd(outcome: ScanOutcome): JobEnd {
  const status = scanStatus(outcome);
  const { escalated, lostPages } = outcome.counts;
  const isEscalated = status === 'failed' || escalated + lostPages > 0;
  return endOf('monitor-scan', status, when(isEscalated, 'escalated'));
}

function when(holds: boolean, doubt: Doubt): Doubt[] {
  return holds ? [doubt] : [];
}
