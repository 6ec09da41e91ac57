import { Context } from '@temporalio/activity';
import {
  attemptOf,
  attemptState,
  certificateSubject,
  sentBy,
  latestAttempt,
  subjectState,
  type Attempt,
  type ClaimOwner,
} from '../../domain/core/service/attempts';
import type { SentRequest } from '../../domain/audit-entries';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { CertificateItem } from '../../domain/certificates/job';
import { storeAndCount, outcomeName, refusedOutcome, sentOf, unknownOutcome } from './outcomes';
import { chunkOwner } from '../core/job-records';
import { unsent } from './request-row';
import {
  rowFlags,
  type RequestInput,
  type RequestRow,
  type RowAnswer,
} from '../../domain/certificates/certificate-rows';
import type { CertificateDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';

/** Recovers a lost chunk of requests, and reads late receipts. Decision record 001. */
export function createCertificateRecoveryActivities(deps: CertificateDependencies) {
  const { store, idKey, now, certificateJobs } = deps;
  const { attempts: attemptRepository } = store;

  const subjectOf = (item: CertificateItem): string =>
    certificateSubject(item.type, idKey.nameOf('document', item.document));
  const sentRequest = (item: CertificateItem, attempt: Attempt): SentRequest =>
    sentOf(item, idKey.nameOf('document', item.document), attempt);

  /** Records of one activity's rows. */
  interface Found {
    outcomes: OutcomeRecord[];
    requests: SentRequest[];
  }

  async function save({ list, name }: RequestInput, found: Found): Promise<void> {
    const by = await certificateJobs.requestedBy(list.folder);
    await storeAndCount(deps, {
      outcomesIn: list.outcomesIn,
      by,
      name: outcomeName(name),
      ...found,
    });
  }

  /**
   * Recovers the rows of a chunk whose activity was lost: closes those not claimed, reads the receipts, and
   * calls the rest unknown once nothing can be sent any more.
   */
  async function recoverRequests(input: RequestInput): Promise<RowAnswer[]> {
    const owner = chunkOwner(input.chunk);
    const heartbeats = new Heartbeats(now);
    const { cancelled } = Context.current();
    const pause = (ms: number): Promise<void> =>
      Promise.race([new Promise<void>((done) => setTimeout(done, ms)), cancelled]);
    try {
      const found: Found = { outcomes: [], requests: [] };
      // Close all first; then wait for the rows already claimed.
      for (const row of input.rows) await closeRow(row, input, owner);
      const answers: RowAnswer[] = [];
      for (const row of input.rows) answers.push(await recoverRow(row, input, owner, found, pause));
      await save(input, found);
      return answers;
    } finally {
      heartbeats.stop();
    }
  }

  async function closeRow(row: RequestRow, input: RequestInput, owner: ClaimOwner): Promise<void> {
    const item = await certificateJobs.item(input.list, row[0]);
    if (item.start?.kind === 'watch') return;
    await attemptRepository.close(subjectOf(item), owner, now());
  }

  async function recoverRow(
    row: RequestRow,
    input: RequestInput,
    owner: ClaimOwner,
    found: Found,
    pause: (ms: number) => Promise<void>,
  ): Promise<RowAnswer> {
    const [rowIndex, before] = row;
    const item = await certificateJobs.item(input.list, rowIndex);
    if (item.start?.kind === 'watch') return unsent(row, 'no_time', now());
    for (;;) {
      const history = await attemptRepository.of(subjectOf(item));
      const attempts = Math.max(
        Math.max(before, item.start?.attempts ?? 0) + 1,
        input.interactive ? 0 : sentBy(history, owner.workflowId),
      );
      const sends = history.filter(({ claim }) => claim.kind === 'send');
      const attempt = attemptOf(sends, owner);
      if (attempt === null) return unsent(row, 'no_time', now());
      const flags = attempt.claim.afterUnknown ? rowFlags.possibleDoubleCharge : 0;
      const state = attemptState(attempt, now());
      if (state.kind !== 'in_flight') found.requests.push(sentRequest(item, attempt));
      switch (state.kind) {
        case 'accepted': {
          const { externalId: certidaoId, at } = state;
          return { kind: 'accepted', rowIndex, certidaoId, requestedAt: at, attempts, flags };
        }
        case 'free':
          if (attempt.receipt?.kind === 'refused') {
            found.outcomes.push(refusedOutcome(item, attempts, attempt.receipt, now(), flags));
            return { kind: 'settled', rowIndex, status: 'failed', attempts };
          }
          return unsent(row, 'no_time', now());
        case 'unknown':
          found.outcomes.push(
            unknownOutcome(item, attempts, flags, now(), {
              reason: state.reason,
              requestedAt: attempt.claim.claimedAt,
            }),
          );
          return { kind: 'unknown', rowIndex, attempts, own: true };
        case 'in_flight':
          await pause(Math.min(1_000, state.answerBy - now() + 50));
          if (Context.current().cancellationSignal.aborted) await Context.current().cancelled;
      }
    }
  }

  /** Reads late receipts once more before a lane ends. */
  async function rereadReceipts(input: RequestInput): Promise<RowAnswer[]> {
    const heartbeats = new Heartbeats(now);
    try {
      const answers: RowAnswer[] = [];
      const found: Found = { outcomes: [], requests: [] };
      for (const row of input.rows) answers.push(await rereadRow(row, input, found));
      await save(input, found);
      return answers;
    } finally {
      heartbeats.stop();
    }
  }

  async function rereadRow(row: RequestRow, input: RequestInput, found: Found): Promise<RowAnswer> {
    const [rowIndex, attempts] = row;
    const item = await certificateJobs.item(input.list, rowIndex);
    const history = await attemptRepository.of(subjectOf(item));
    const state = subjectState(history, now());
    const last = latestAttempt(history);
    const ours = last?.claim.owner.workflowId === chunkOwner('').workflowId;
    const receipt = ours ? last.receipt : null;
    if (ours && receipt !== null) found.requests.push(sentRequest(item, last));
    if (state.kind === 'accepted') {
      const { externalId: certidaoId } = state;
      const flags =
        (state.afterUnknown ? rowFlags.possibleDoubleCharge : 0) | (ours ? 0 : rowFlags.shared);
      return { kind: 'accepted', rowIndex, certidaoId, requestedAt: now(), attempts, flags };
    }
    if (receipt?.kind === 'not_sent') return unsent(row, 'no_time', now());
    if (receipt?.kind === 'refused') {
      const flags = last?.claim.afterUnknown === true ? rowFlags.possibleDoubleCharge : 0;
      found.outcomes.push(refusedOutcome(item, attempts, receipt, now(), flags));
      return { kind: 'settled', rowIndex, status: 'failed', attempts };
    }
    return { kind: 'unknown', rowIndex, attempts, own: ours };
  }

  return { recoverRequests, rereadReceipts };
}
