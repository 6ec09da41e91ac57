import { createRowRequests, troubledChunkMs, unsent, type ChunkContext } from './request-row';
import { Context } from '@temporalio/activity';
import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { withEither } from '../../apis/http/signals';
import { jobIdOfFolder } from '../../store/certificates/jobs';
import { type SentRequest } from '../../domain/audit-entries';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import {
  chunkMs,
  polledRow,
  type RequestRow,
  type RowAnswer,
  type ChunkInput,
} from '../../domain/certificates/certificate-rows';
import { storeAndCount, outcomeName } from './outcomes';
import type { CertificateDependencies } from '../dependencies';
import { laneOfActivity } from './freed-slots';
import { Heartbeats } from '../core/heartbeats';
import { isStoreAway, withStorePatience, type Patience } from '../core/store-patience';
import { chunkOwner, nameOf } from '../core/job-records';

/** Upper bound on waiting for a free slot. */
const slotWaitMs = 300;
/** A pause that the service has asked for may be longer: it is shown as a wait for the service. */
const longestProofMs = 30_000;
/** Time that a row needs after it gets a slot: to its permit, or to a poll. */
const slotMarginMs = 100;

/** Requests for certificates: POSTs without a key, each sent at most once per attempt (decision records 001, 002). */
export function createCertificateRequestActivities(deps: CertificateDependencies) {
  const { certificates, now, certificateJobs } = deps;

  const requestRow = createRowRequests(deps);

  /**
   * Sends its rows in sequence, those beyond its slots as slots become free. One attempt: when it is
   * lost, `recoverRequests` recovers its rows.
   */
  async function requestCertificates(input: ChunkInput): Promise<RowAnswer[]> {
    const startedAt = now();
    const owner = chunkOwner(input.chunk);
    const lane = laneOfActivity();
    // As soon as a cancellation should end it: its three seconds would end it anyway.
    const heartbeats = new Heartbeats(now, 1_000);
    const { cancellationSignal } = Context.current();
    const answers: RowAnswer[] = [];
    const stored: OutcomeRecord[] = [];
    const sent: SentRequest[] = [];
    const patience: Patience = {
      now,
      mayWait: () => !heartbeats.isLate() && !deps.stopping.aborted,
      ...(deps.pause !== undefined && { pause: deps.pause }),
    };
    let failures = 0;
    const mayGoOn = (): boolean =>
      now() - startedAt < (failures > 0 ? troubledChunkMs : chunkMs) &&
      now() < input.sendBy &&
      !heartbeats.isLate() &&
      !cancellationSignal.aborted &&
      !deps.stopping.aborted;
    const chunk: ChunkContext = {
      input,
      owner,
      heartbeats,
      startedAt,
      stored,
      sent,
      patience,
      receipt: Promise.resolve(true),
      job: {
        jobId: jobIdOfFolder(input.list.outcomesIn),
        by: await certificateJobs.requestedBy(input.list.folder),
      },
    };
    const accepted = deps.acceptedRows.ofChunk(lane);
    const ended = deps.freedSlots.chunkRuns(lane);
    let { slots } = input;
    const waitsUntil = startedAt + chunkMs - slotMarginMs;
    let waitedInVain = false;
    const hasSlot = async (): Promise<boolean> => {
      const giveUpAt = waitedInVain ? 0 : Math.min(waitsUntil, now() + slotWaitMs);
      while (slots === 0) {
        // Accepted rows that no poll has taken over must be polled before the first of them is due.
        const waitMs = Math.min(giveUpAt, accepted.dueAt() - slotMarginMs) - now();
        if (waitMs <= 0 || !mayGoOn()) break;
        if (await deps.freedSlots.take(lane, input.chunk, waitMs)) slots += 1;
      }
      waitedInVain ||= slots === 0 && now() < waitsUntil;
      return slots > 0;
    };
    const answerFor = async (row: RequestRow): Promise<RowAnswer> => {
      if (!(await hasSlot())) return unsent(row, waitedInVain ? 'no_slot' : 'no_time', 0);
      if (!mayGoOn()) return unsent(row, 'no_time', now());
      return requestRow(row, chunk);
    };
    let stopped: RowAnswer | null = null;
    let hasJustFailed = false;
    try {
      for (const row of input.rows) {
        let answer: RowAnswer;
        if (stopped !== null) answer = unsentLike(stopped, row);
        else if (hasJustFailed) answer = unsent(row, 'neighbour', 0);
        else answer = await answerFor(row);
        answers.push(answer);
        hasJustFailed = hasFailed(answer);
        if (hasJustFailed) failures += 1;
        if (answer.kind === 'accepted') {
          slots -= 1;
          accepted.offer(polledRow(answer, now()), chunk.receipt);
        }
        if (stopped === null && (endsChunk(answer) || failures > 1)) stopped = answer;
      }
      ended();
      await chunk.receipt;
      if (stored.length + sent.length > 0) {
        await withStorePatience(
          () =>
            storeAndCount(deps, {
              outcomesIn: input.list.outcomesIn,
              by: chunk.job.by,
              name: outcomeName(input.name),
              outcomes: stored,
              requests: sent,
            }),
          patience,
        ).catch((error: unknown) => {
          // Accepted ids go to the workflow in any case; finalizing reads the rest from the claims.
          if (!isStoreAway(error) || !answers.some(wasAccepted)) throw error;
          deps.warn('outcomes could not be stored', { reason: nameOf(error) });
        });
      }
      const polls = accepted.close();
      return answers.map((answer) => {
        const polledBy = answer.kind === 'accepted' ? polls.get(answer.rowIndex) : undefined;
        return polledBy === undefined ? answer : { ...answer, polledBy };
      });
    } finally {
      ended();
      accepted.close();
      heartbeats.stop();
    }
  }

  /** One free read that checks address and token before the first POST of a batch. */
  async function proveAccess(): Promise<'ok' | 'credentials' | 'unreachable'> {
    try {
      await withEither([AbortSignal.timeout(longestProofMs), deps.stopping], (signal) =>
        certificates.proveAccess(signal),
      );
      return 'ok';
    } catch (error) {
      deps.warn('the certificate service could not be read', { reason: messageOf(error) });
      const isRefused = isCallFailure(error) && classifyFailure(error) === 'credentials';
      return isRefused ? 'credentials' : 'unreachable';
    }
  }

  return { requestCertificates, proveAccess };
}

function wasAccepted({ kind }: RowAnswer): boolean {
  return kind === 'accepted';
}

/** After a refused token or a pause the rest of the chunk waits as long; failures of two rows delay no other. */
function unsentLike(stopped: RowAnswer, row: RequestRow): RowAnswer {
  return endsChunk(stopped)
    ? unsent(row, 'no_time', stopped.notBefore)
    : unsent(row, 'neighbour', 0);
}

/** What concerns all rows. */
function endsChunk(answer: RowAnswer): answer is Extract<RowAnswer, { kind: 'unsent' }> {
  return (
    answer.kind === 'unsent' &&
    ['cancelled', 'credentials', 'fault', 'paused', 'store'].includes(answer.reason)
  );
}

/** The request of this row alone: the next row is left out, and a second failure ends the chunk. */
function hasFailed(answer: RowAnswer): boolean {
  if (answer.kind === 'unknown') return answer.own;
  return answer.kind === 'unsent' && answer.reason === 'not_sent';
}

function messageOf(error: unknown): string {
  return isCallFailure(error) ? error.message : nameOf(error);
}
