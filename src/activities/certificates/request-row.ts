import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { jobOfList } from '../../domain/certificates/job';
import {
  attemptOf,
  attemptState,
  certificateSubject,
  nextNumber,
  sentBy,
  latestAttempt,
  subjectState,
  type Attempt,
  type Claim,
  type ClaimOwner,
  type Receipt,
} from '../../domain/core/service/attempts';
import { requestEntry, type SentRequest } from '../../domain/audit-entries';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { CertificateItem } from '../../domain/certificates/job';
import {
  chunkMs,
  rowFlags,
  type RequestRow,
  type RowAnswer,
  type ChunkInput,
  type UnsentReason,
} from '../../domain/certificates/certificate-rows';
import { issuedAt, outcomeOfFact, refusedOutcome, sentOf, unknownOutcome } from './outcomes';
import type { CertificateDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';
import { isStoreAway, withStorePatience, type Patience } from '../core/store-patience';
import { sendKeyless } from '../core/attempt';
import { nameOf } from '../core/job-records';

/** A chunk with a row that failed starts none after this: the row goes again only when its chunk has returned. */
export const troubledChunkMs = 1_000;
/** A row that another job is requesting is checked again after this: most responses arrive by then. */
const othersAnswerMs = 2_000;
/** A paused row is checked again after this. */
const stoppedPauseMs = 1_000;

/** A chunk of requests, and its results so far. */
export interface ChunkContext {
  input: ChunkInput;
  owner: ClaimOwner;
  heartbeats: Heartbeats;
  startedAt: number;
  stored: OutcomeRecord[];
  /** Requests not yet audited. */
  sent: SentRequest[];
  /** Receipt of the previous row, being stored; false: it could not be. */
  receipt: Promise<boolean>;
  job: { jobId: string; by: string };
  patience: Patience;
}

/** An attempt that may be claimed. */
interface Ready {
  n: number;
  /** Times that this job has sent for the purchase subject before. */
  attempts: number;
  afterUnknown: boolean;
}

/**
 * One row of a chunk: POSTs without a key, each sent at most once per attempt (decision records 001 and
 * 002). The returned function never throws.
 */
export function createRowRequests(deps: CertificateDependencies) {
  const { store, certificates, idKey, now, certificateJobs } = deps;
  const { attempts: attemptRepository, facts } = store;

  // Computed once: a row needs it several times.
  const names = new WeakMap<CertificateItem, string>();
  const documentName = (item: CertificateItem): string => {
    const name = names.get(item) ?? idKey.nameOf('document', item.document);
    names.set(item, name);
    return name;
  };
  const subjectOf = (item: CertificateItem): string =>
    certificateSubject(item.type, documentName(item));
  const sentRequest = (item: CertificateItem, attempt: Omit<Attempt, 'resolution'>): SentRequest =>
    sentOf(item, documentName(item), attempt);

  /** A resumed job finds requests that its lost chunks had sent, and audits them. */
  const leftByLostChunk = (
    last: Attempt | null,
    item: CertificateItem,
    workflowId: string,
    at: number,
  ): SentRequest[] => {
    if (last?.claim.owner.workflowId !== workflowId) return [];
    return attemptState(last, at).kind === 'in_flight' ? [] : [sentRequest(item, last)];
  };

  async function requestRow(row: RequestRow, chunk: ChunkContext): Promise<RowAnswer> {
    try {
      const [rowIndex, attempts, mode] = row;
      const item = await certificateJobs.item(chunk.input.list, rowIndex);
      // The list of a resolution continues the count of attempts.
      const counted: RequestRow = [rowIndex, Math.max(attempts, item.start?.attempts ?? 0), mode];
      const ready = await decide(counted, item, chunk);
      if ('kind' in ready) return ready;
      const answer = await send(rowIndex, item, ready, chunk);
      if (answer !== 'taken') return answer;
      // What blocks it was not there when the person decided.
      const again = await decide(counted, item, chunk);
      return 'kind' in again ? again : unsent(row, 'in_flight', now() + 250);
    } catch (error) {
      // Before the claim nothing can have been sent; `send` handles everything after it.
      deps.warn('a row could not be prepared for its request', { reason: nameOf(error) });
      const isAboutToken = isCallFailure(error) && classifyFailure(error) === 'credentials';
      if (isAboutToken) return unsent(row, 'credentials', now() + 1_000);
      return unsent(row, isStoreAway(error) ? 'store' : 'fault', now() + 1_000);
    }
  }

  /** What the claims say of the purchase subject: an immediate answer, or an attempt that may be claimed. */
  async function decide(
    row: RequestRow,
    item: CertificateItem,
    chunk: ChunkContext,
  ): Promise<RowAnswer | Ready> {
    const [rowIndex, before, mode] = row;
    if (item.start?.kind === 'watch' && item.start.certidaoId !== null) {
      const { certidaoId } = item.start;
      return {
        kind: 'accepted',
        rowIndex,
        certidaoId,
        requestedAt: now(),
        attempts: before,
        flags: 0,
      };
    }
    const subject = subjectOf(item);
    const history = await attemptRepository.of(subject);
    // An attempt in this chunk's name was inserted by its recovery: another activity has the row.
    if (attemptOf(history, chunk.owner) !== null) return unsent(row, 'no_time', now());
    const n = nextNumber(history);
    const state = subjectState(history, now());
    // An interrupted batch that is started again continues its count. (The workflow of a single issuance has
    // one id for all its jobs.)
    const { workflowId } = chunk.owner;
    if (before === 0) {
      chunk.sent.push(...leftByLostChunk(latestAttempt(history), item, workflowId, now()));
    }
    const mayBeTakenOver = before === 0 && !chunk.input.interactive;
    const attempts = mayBeTakenOver ? sentBy(history, workflowId) : before;
    switch (state.kind) {
      case 'free':
        return { n, attempts, afterUnknown: state.afterUnknown };
      case 'in_flight':
        return unsent(row, 'in_flight', Math.min(state.answerBy + 1, now() + othersAnswerMs));
      case 'unknown': {
        const own = state.owner.workflowId === workflowId;
        if (mode === 'reissue' && own) {
          await attemptRepository.resolve(subject, state.n, {
            action: 'reissue',
            externalId: null,
            by: workflowId,
            note: 'policy of the job: --on-unknown reissue',
            at: now(),
          });
          return { n, attempts, afterUnknown: true };
        }
        const { reason, owner: holder } = state;
        chunk.stored.push(
          unknownOutcome(item, attempts, 0, now(), { reason, holder, self: chunk.owner }),
        );
        return { kind: 'unknown', rowIndex, attempts, own };
      }
      case 'accepted': {
        const fact = await facts.of(state.externalId);
        const ours = state.owner.workflowId === workflowId;
        const flags =
          (state.afterUnknown ? rowFlags.possibleDoubleCharge : 0) | (ours ? 0 : rowFlags.shared);
        if (fact === null) {
          // Another job may have requested it long ago: the row's time starts now.
          const { externalId: certidaoId } = state;
          return { kind: 'accepted', rowIndex, certidaoId, requestedAt: now(), attempts, flags };
        }
        const reused = !ours || attempts === 0;
        const reusable =
          fact.status === 'issued' &&
          issuedAt(fact) >= chunk.input.reuseSince &&
          !(reused && fact.erased === true);
        if (!reusable) return { n, attempts, afterUnknown: false };
        chunk.stored.push(
          outcomeOfFact(fact, item, {
            requestedAt: state.at,
            attempts,
            flags,
            reused,
          }),
        );
        return { kind: 'settled', rowIndex, status: 'issued', attempts };
      }
    }
  }

  /** In this order: permit of the limiter, claim, dispatch. */
  async function send(
    rowIndex: number,
    item: CertificateItem,
    { n, attempts: before, afterUnknown }: Ready,
    chunk: ChunkContext,
  ): Promise<RowAnswer | 'taken'> {
    const { input, owner, heartbeats, startedAt, stored, patience } = chunk;
    const row: RequestRow = [rowIndex, before, 'normal'];
    const { limiter } = certificates.service;
    const granted = await limiter.acquire(input.interactive ? 'interactive' : 'request', {
      until: startedAt + chunkMs,
      signal: deps.stopping,
    });
    if (!granted) return unsent(row, 'no_permit', now() + limiter.expectedWaitMs());
    const subject = subjectOf(item);
    const sent = await sendKeyless(
      {
        attempts: attemptRepository,
        subject,
        job: jobOfList(input.list.folder),
        n,
        owner,
        timeoutMs: certificates.timeoutMs,
        afterUnknown,
        patience,
      },
      (beforeSend) => certificates.requestCertificate(item.type, item.document, beforeSend),
      { sendBy: input.sendBy, mayClaim: () => !heartbeats.isLate() && !deps.stopping.aborted },
      // Both are flushed together: the receipt of the previous row and this claim.
      chunk.receipt,
    );
    if (sent.kind === 'stopped') {
      if (sent.why === 'taken' || sent.why === 'doubtful') return 'taken';
      return sent.why === 'late'
        ? unsent(row, 'no_time', now())
        : unsent(row, sent.why, now() + stoppedPauseMs);
    }
    const attempts = before + 1;
    const { again, claim, detail = null, receipt } = sent;
    const { claimedAt } = claim;
    const flags = afterUnknown ? rowFlags.possibleDoubleCharge : 0;
    const request = sentRequest(item, { n, claim, receipt });
    chunk.receipt = putReceipt(subject, { n, claim, receipt }, request, chunk);
    switch (receipt.kind) {
      case 'accepted': {
        const { externalId: certidaoId } = receipt;
        const dueAt = deps.settlingTimes[item.type].nextReadAt(claimedAt, 0, deps.random());
        const requestedAt = claimedAt;
        return { kind: 'accepted', rowIndex, certidaoId, requestedAt, attempts, flags, dueAt };
      }
      case 'refused':
        stored.push(refusedOutcome(item, attempts, { ...receipt, detail }, claimedAt, flags));
        return { kind: 'settled', rowIndex, status: 'failed', attempts };
      case 'not_sent':
        return { kind: 'unsent', rowIndex, attempts: before, ...again };
      case 'unknown':
        stored.push(
          unknownOutcome(item, attempts, flags, now(), {
            reason: receipt.reason,
            requestedAt: claimedAt,
          }),
        );
        return { kind: 'unknown', rowIndex, attempts, own: true };
    }
  }

  /** Never fails: the workflow gets the answer in any case. */
  async function putReceipt(
    subject: string,
    { receipt, ...attempt }: { n: number; claim: Claim; receipt: Receipt },
    request: SentRequest,
    { sent, job, patience }: ChunkContext,
  ): Promise<boolean> {
    const entry = requestEntry(request, job);
    const entries = entry === null ? [] : [entry];
    try {
      await withStorePatience(
        () => attemptRepository.putReceipt(subject, attempt, receipt, entries),
        patience,
      );
      return true;
    } catch (error) {
      deps.warn('a receipt could not be stored', { reason: nameOf(error) });
      sent.push(request);
      return false;
    }
  }

  return requestRow;
}

export function unsent(row: RequestRow, reason: UnsentReason, notBefore: number): RowAnswer {
  return { kind: 'unsent', rowIndex: row[0], attempts: row[1], reason, notBefore };
}
