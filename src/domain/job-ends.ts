import { endOf, mostSevere, type Doubt } from './attention';
import type { DossierOutcome } from './dossiers/follow';
import type { JobEnd, JobKind } from './job';
import type { LensOutcome } from './lens/analyze';
import type { SweepOutcome } from './monitors/sweep';
import { scanStatus, type ScanOutcome } from './monitors/scan';

/** @param notSent lines or files that could not be sent @param isDoubted a row needs a person, whatever its status */
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

/** An unavailable service recovers by itself, and the next sweep takes what a cancelled one had not reached. */
export function sweepEnd({ backlog, status, stopped, fault }: SweepOutcome): JobEnd {
  const { escalated, undelivered, unreadable } = backlog;
  const isEscalated = escalated > 0 || (fault !== null && fault.fault !== 'unavailable');
  const isCancelled = stopped !== null && fault === null && undelivered + unreadable === 0;
  const word = isCancelled ? 'cancelled' : status;
  return endOf('monitor-sweep', word, when(isEscalated, 'escalated'));
}

/** Escalated when one sweep needs a person or the whole scan failed. */
export function scanEnd(outcome: ScanOutcome): JobEnd {
  const status = scanStatus(outcome);
  const { escalated, lostPages } = outcome.counts;
  const isEscalated = status === 'failed' || escalated + lostPages > 0;
  return endOf('monitor-scan', status, when(isEscalated, 'escalated'));
}

function when(holds: boolean, doubt: Doubt): Doubt[] {
  return holds ? [doubt] : [];
}
