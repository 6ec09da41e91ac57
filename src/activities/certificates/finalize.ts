import type { LatestEdition, RowWithOutcome } from '../../store/certificates/jobs';
import {
  certificateSubject,
  latestAttempt,
  subjectState,
  type SubjectState,
} from '../../domain/core/service/attempts';
import type { AuditEntry } from '../../domain/core/audit';
import { outcomeEntry, requestEntry } from '../../domain/audit-entries';
import { noCounts, type BatchSummary } from '../../domain/certificates/certificates';
import type { JobKind } from '../../domain/job';
import { batchEnd } from '../../domain/job-ends';
import {
  mergeOutcomes,
  nothingReported,
  type OutcomeRecord,
} from '../../domain/certificates/outcomes';
import { resultRow } from '../../domain/certificates/result-rows';
import type { CertificateItem, CertificateRecord } from '../../domain/certificates/job';
import { decisionFolder } from '../../domain/core/decision';
import { outcomeName, outcomeOfFact, sentOf, unsettledOutcome } from './outcomes';
import type { CertificateDependencies } from '../dependencies';
import { storeIncomplete } from '../core/failures';
import { Heartbeats } from '../core/heartbeats';

export interface MergeInput {
  /** Folder of the job that ends, or that a resolution is about. */
  folder: string;
  jobId: string;
  /** 0 for the batch itself; its resolutions count from 1. */
  edition: number;
  startedAt: number;
  /** Note for rows that were never sent. */
  neverSent: string;
  /** Items [from, to) of failed lanes: rows without an outcome become `failed`. */
  failedLanes: [from: number, to: number][];
}

/** Finalizes a job: every row has an outcome, and they are counted. */
export function createCertificateMergeActivities(deps: CertificateDependencies) {
  const { store, idKey, now, certificateJobs } = deps;
  const facts = store.facts;

  async function finalizeRows(input: MergeInput): Promise<BatchSummary> {
    const heartbeats = new Heartbeats(now);
    const snapshotAt = now();
    try {
      const { folder, edition } = input;
      const record = await certificateJobs.record(folder);
      if (record === null) throw storeIncomplete('the input of the job');
      const before = (await certificateJobs.latest(folder))?.summary ?? null;
      const summary = await summaryOf(input, record, before);
      summary.auditHead = await deps.audit.anchor();
      const { counts, finishedAt: endedAt } = summary;
      const endingOf = (kind: JobKind) => ({ ...batchEnd(kind, counts), endedAt });
      const latest: LatestEdition = { edition, snapshotAt, summary };
      const existing = await certificateJobs.latest(folder);
      await store.jobs.endAgain([
        ...(edition > 0
          ? [
              {
                folder: decisionFolder(folder, edition),
                ending: endingOf('decision'),
                outcome: summary,
              },
            ]
          : []),
        // Of two concurrent counts the later snapshot wins.
        ...(existing === null || existing.snapshotAt <= snapshotAt
          ? [{ folder, ending: endingOf(record.kind), outcome: latest }]
          : []),
      ]);
      return summary;
    } finally {
      heartbeats.stop();
    }
  }

  /** Stores outcomes of items for which no activity stored one. */
  async function complete(page: RowWithOutcome[], input: MergeInput): Promise<RowWithOutcome[]> {
    const lost: AuditEntry[] = [];
    const missing = new Map<number, OutcomeRecord>();
    for (const { row, outcome } of page) {
      if (row.kind !== 'item' || outcome !== null) continue;
      missing.set(row.item, await withoutOutcome(row, input, lost));
    }
    if (missing.size === 0) return page;
    const name = outcomeName(`end-${input.edition}`);
    await store.outcomes.file(input.folder, name, [...missing.values()], { entries: lost });
    return page.map(({ row, outcome }) => {
      const own = 'item' in row ? missing.get(row.item) : undefined;
      return { row, outcome: own === undefined ? outcome : mergeOutcomes([own]) };
    });
  }

  /** No outcome stored: the claims show whether the row was never sent or its driver was lost. */
  async function withoutOutcome(
    item: CertificateItem,
    input: MergeInput,
    lost: AuditEntry[],
  ): Promise<OutcomeRecord> {
    const subject = idKey.nameOf('document', item.document);
    const history = await store.attempts.of(certificateSubject(item.type, subject));
    const state = subjectState(history, now());
    const ours = state.kind !== 'free' && state.owner.workflowId.startsWith(input.jobId);
    const never: OutcomeRecord = {
      ...nothingReported,
      item: item.item,
      status: 'cancelled',
      certidaoId: null,
      attempts: 0,
      requestedAt: null,
      settledAt: new Date(now()).toISOString(),
      note: input.neverSent,
      possibleDoubleCharge: false,
    };
    const inFailedLane = input.failedLanes.some(
      ([from, to]) => item.item >= from && item.item < to,
    );
    if (!ours && inFailedLane) {
      const error = { errorCode: 'lane_failed', errorCategory: 'internal', retryable: true };
      const errorMessage = 'the lane of this row failed before it was requested';
      return { ...never, ...error, errorMessage, status: 'failed', note: '' };
    }
    if (!ours) return never;
    const record = await leftByLostDriver(item, state, never);
    const job = { jobId: input.jobId, by: await certificateJobs.requestedBy(input.folder) };
    const last = latestAttempt(history);
    const request = last && requestEntry(sentOf(item, subject, last), job);
    if (request !== null) lost.push(request);
    lost.push(outcomeEntry(record, job));
    return record;
  }

  /** Sent by a driver that stored no outcome. */
  async function leftByLostDriver(
    item: CertificateItem,
    state: SubjectState,
    never: OutcomeRecord,
  ): Promise<OutcomeRecord> {
    if (state.kind !== 'accepted') {
      const lost = { errorCode: 'unknown_outcome', errorCategory: 'unknown', attempts: 1 };
      const errorMessage = 'the job ended before the response to its request was known';
      return { ...never, ...lost, errorMessage, status: 'unknown_outcome', note: '' };
    }
    const { externalId: certidaoId, at: requestedAt } = state;
    const history = { requestedAt, attempts: 1, flags: 0 };
    const fact = await facts.of(certidaoId);
    if (fact !== null) return outcomeOfFact(fact, item, history);
    return unsettledOutcome('expired', item, certidaoId, history, {
      code: 'left_outstanding',
      category: 'expired',
      message: 'the job ended before the issuance settled',
    });
  }

  async function summaryOf(
    input: MergeInput,
    { lines, blankLines, inputName }: CertificateRecord,
    before: BatchSummary | null,
  ): Promise<BatchSummary> {
    const { folder, jobId, edition, startedAt } = input;
    const counts = noCounts();
    let [requested, reused, possibleDoubleCharges] = [0, 0, 0];
    for await (const page of certificateJobs.withOutcomes(folder)) {
      for (const { row, outcome } of await complete(page, input)) {
        const shown = resultRow(row, outcome);
        counts[shown.status] += 1;
        if (shown.status === 'duplicate') continue;
        requested += shown.attempts;
        reused += shown.status === 'issued' && shown.attempts === 0 ? 1 : 0;
        possibleDoubleCharges += shown.possibleDoubleCharge ? 1 : 0;
      }
    }
    return {
      batchId: jobId,
      edition,
      total: lines,
      blankLines,
      counts,
      requested,
      reused,
      possibleDoubleCharges,
      cost: null,
      inputName,
      startedAt: before?.startedAt ?? new Date(startedAt).toISOString(),
      finishedAt: new Date(now()).toISOString(),
    };
  }

  return { finalizeRows };
}
