import { createRowRequests, ownerOf, runMs, unsent, type RunContext } from './request-row';
import { Context } from '@temporalio/activity';
import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { workIdOfFolder } from '../../store/certificates/works';
import { type SentRequest } from '../../domain/audit-entries';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import { certificatePace } from '../../domain/core/service/poll-timing';
import {
  type RequestRow,
  type RowAnswer,
  type RunInput,
} from '../../domain/certificates/certificate-rows';
import { fileAndCount, outcomeName } from './outcomes';
import type { CertificateDependencies } from '../dependencies';
import { laneOfActivity } from './freed-places';
import { Heartbeats } from '../core/heartbeats';
import { isStoreAway, withStorePatience, type Patience } from '../core/store-patience';
import { nameOf } from '../core/attempt';

/** A run waits no longer than this for the next place: where nobody hands any on, it would be in vain. */
const placeWaitMs = 300;
/** What is left of a run's time when a place comes must do for the row: to its permit, or to a watch. */
const placeMarginMs = 100;

/**
 * Requests for certificates: POSTs without a key, each sent at most once per attempt (decision
 * records 001 and 002).
 */
export function createCertificateRequestActivities(deps: CertificateDependencies) {
  const { certificates, now, works } = deps;

  const requestRow = createRowRequests(deps);

  /**
   * Sends up to ten rows one after the other, those beyond its places as it is handed more. One
   * attempt: when it is lost, `recoverRequests` finds out what became of its rows.
   */
  async function requestCertificates(input: RunInput): Promise<RowAnswer[]> {
    const startedAt = now();
    const owner = ownerOf(input.run);
    const lane = laneOfActivity();
    // A run ends by its second: there is nothing that a cancellation could do sooner.
    const heartbeats = new Heartbeats(now, 1_000);
    const { cancellationSignal } = Context.current();
    const answers: RowAnswer[] = [];
    const filed: OutcomeRecord[] = [];
    const sent: SentRequest[] = [];
    const patience: Patience = {
      now,
      mayWait: () => !heartbeats.isLate() && !deps.stopping.aborted,
      ...(deps.pause !== undefined && { pause: deps.pause }),
    };
    const mayGoOn = (): boolean =>
      now() - startedAt < runMs &&
      now() < input.sendBy &&
      !heartbeats.isLate() &&
      !cancellationSignal.aborted &&
      !deps.stopping.aborted;
    const run: RunContext = {
      input,
      owner,
      heartbeats,
      startedAt,
      filed,
      sent,
      patience,
      receipt: Promise.resolve(),
      work: {
        workId: workIdOfFolder(input.work.filedIn),
        by: await works.askedBy(input.work.folder),
      },
    };
    let { places } = input;
    // What was accepted must come under a watch before the first of it is due.
    let waitsUntil = startedAt + runMs - placeMarginMs;
    const hasPlace = async (): Promise<boolean> => {
      if (places > 0) return true;
      const waitMs = mayGoOn() ? Math.min(placeWaitMs, waitsUntil - now()) : 0;
      if (waitMs > 0 && (await deps.freedPlaces.take(lane, input.run, waitMs))) places += 1;
      else waitsUntil = 0;
      return places > 0;
    };
    const answerFor = async (row: RequestRow): Promise<RowAnswer> => {
      if (!(await hasPlace())) return unsent(row, 'no_place', 0);
      if (!mayGoOn()) return unsent(row, 'no_time', now());
      return requestRow(row, run);
    };
    let stopped: RowAnswer | null = null;
    try {
      for (const row of input.rows) {
        const answer: RowAnswer =
          stopped === null ? await answerFor(row) : unsentLike(stopped, row);
        answers.push(answer);
        if (answer.kind === 'accepted') {
          places -= 1;
          const dueAt = answer.dueAt ?? answer.requestedAt + certificatePace.firstMs;
          waitsUntil = Math.min(waitsUntil, dueAt - placeMarginMs);
        }
        if (stopped === null && endsRun(answer)) stopped = answer;
      }
      await run.receipt;
      if (filed.length + sent.length > 0) {
        await withStorePatience(
          () =>
            fileAndCount(deps, {
              filedIn: input.work.filedIn,
              by: run.work.by,
              name: outcomeName(input.name),
              outcomes: filed,
              requests: sent,
            }),
          patience,
        ).catch((error: unknown) => {
          // Ids in our hands go to the workflow all the same; the merge reads the rest from the claims.
          if (!isStoreAway(error) || !answers.some(wasAccepted)) throw error;
          deps.warn('outcomes could not be stored', { reason: nameOf(error) });
        });
      }
      return answers;
    } finally {
      heartbeats.stop();
    }
  }

  /**
   * One harmless read that proves address and token, before the first POST of a batch.
   *
   * @returns what is in the way, or `ok`
   */
  async function proveAccess(): Promise<'ok' | 'credentials' | 'unreachable'> {
    try {
      await certificates.proveAccess();
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

/** After a refusal of the token, or a pause, the rest of the run waits as long; what is about one row alone holds up no other. */
function unsentLike(stopped: RowAnswer, row: RequestRow): RowAnswer {
  const isAboutAll = stopped.kind === 'unsent' && stopped.reason !== 'not_sent';
  return unsent(row, 'no_time', isAboutAll ? stopped.notBefore : 0);
}

/** After an answer that was lost, the next row of the run would be a gamble too. */
function endsRun(answer: RowAnswer): boolean {
  if (answer.kind === 'unknown') return answer.own;
  return (
    answer.kind === 'unsent' &&
    ['cancelled', 'credentials', 'fault', 'not_sent', 'paused', 'store'].includes(answer.reason)
  );
}

function messageOf(error: unknown): string {
  return isCallFailure(error) ? error.message : nameOf(error);
}
