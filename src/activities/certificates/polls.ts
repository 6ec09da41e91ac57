import { createFactReader, withoutPdf, type ReadRow } from './read-fact';
import { Context } from '@temporalio/activity';
import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { onAbort } from '../../apis/http/signals';
import { ContractError, StatusError, isHttpError } from '../../apis/http/errors';
import type { CallPriority } from '../../apis/http/limiter';
import type { IssuanceFact } from '../../domain/certificates/outcomes';
import { unreadableAnswer } from '../../domain/core/service/service-failure';
import { backoffMs, pollBoundMs } from '../../domain/core/service/poll-timing';
import type { CertificateItem } from '../../domain/certificates/job';
import { storeAndCount, issuedAt, outcomeName, outcomeOfFact, unsettledOutcome } from './outcomes';
import {
  chunkMs,
  pollRows,
  rowFlags,
  type PollAnswer,
  type PollInput,
  type PolledRow,
} from '../../domain/certificates/certificate-rows';
import type { CertificateDependencies } from '../dependencies';
import { laneOfActivity } from './freed-slots';
import { Heartbeats } from '../core/heartbeats';
import { nameOf } from '../core/job-records';
import type { Patience } from '../core/store-patience';
import { FoundRows } from './found-rows';

/** Concurrent reads of one poll; the limiter sets the rate. */
const readsAtOnce = 32;
/** After this time a permanently refused read (404, 410...) ends the row. */
const patienceWithRefusalsMs = 10 * 60_000;
/** Reads in flight when a poll should return: most are over by then, and would be repeated. */
const lastReadsMs = 200;
/** Used when the service names no delay for a failure that it calls retryable. */
const defaultRetryAfterMs = 60_000;

/** One row while a poll holds it. */
interface Held extends ReadRow {
  dueAt: number;
  /** Consecutive failed reads, for the backoff. */
  failures: number;
  reading: boolean;
}

/**
 * Polls outstanding rows, fetches and checks PDFs, and stores outcomes. Decision record 004. Reads are
 * harmless, so a lost attempt is repeated: what it stored is found by id.
 */
export function createCertificatePollActivities(deps: CertificateDependencies) {
  const { store, now, random, settlingTimes, certificateJobs } = deps;
  const facts = store.facts;
  const readFact = createFactReader(deps);

  async function pollCertificates(input: PollInput): Promise<PollAnswer> {
    const { cancellationSignal, info } = Context.current();
    const startedAt = now();
    const heartbeats = new Heartbeats(now, 2_000);
    const priority: CallPriority = input.interactive ? 'interactive' : 'poll';
    let wake: () => void = () => {};
    const held = new Map<number, Held>();
    const hold = (tuple: PolledRow): void => {
      const unread = { unsettledAgeMs: null, isIssued: false, failures: 0 };
      held.set(tuple[0], { tuple, dueAt: tuple[3], ...unread, reading: false });
      wake();
    };
    // It may hold older rows for longer.
    const isFresh = input.boundMs <= pollBoundMs(0);
    const given = new Set(input.rows.map(([, certidaoId]) => certidaoId));
    const endPoll = deps.metrics.pollStarted(() => [...held.values()].map(({ tuple }) => tuple[2]));
    const answer: PollAnswer = {
      settled: [],
      tookOver: [],
      due: [],
      unreadable: 0,
      handedOn: [],
      readFailure: null,
    };
    // Reads still in flight when the poll returns: GETs may be aborted.
    const leaving = new AbortController();
    // Slots that a lost attempt passed on, and could not report, must not be passed on twice.
    const slots =
      info.attempt > 1 ? null : deps.freedSlots.freedByPoll(laneOfActivity(), () => wake());
    let takesNoMore = (): void => {};
    let firstSettledAt: number | null = null;
    /** When it decided to return: what was asked of it since then another poll does. */
    let leavesAt = Infinity;
    let reading = 0;
    let known = new Map<string, IssuanceFact>();

    // A repeated attempt does not know which slots this one has passed on.
    const patience: Patience = {
      now,
      mayWait: () => !heartbeats.isLate() && !cancellationSignal.aborted && !deps.stopping.aborted,
      ...(deps.pause !== undefined && { pause: deps.pause }),
    };
    const found = new FoundRows(async (outcomes, settled) => {
      const by = await certificateJobs.requestedBy(input.list.folder);
      const { outcomesIn } = input.list;
      const name = outcomeName(input.name);
      await storeAndCount(deps, { outcomesIn, by, name, outcomes, facts: settled });
    }, patience);

    const settle = (row: Held, settled: PollAnswer['settled'][number]): void => {
      held.delete(row.tuple[0]);
      answer.settled.push(settled);
      const [rowIndex, certidaoId] = row.tuple;
      if (!given.has(certidaoId)) answer.tookOver.push([rowIndex, certidaoId]);
      firstSettledAt ??= now();
      if (!heartbeats.isLate()) slots?.free();
    };

    const read = async (row: Held): Promise<void> => {
      const [rowIndex, certidaoId, requestedAt, , attempts, flags] = row.tuple;
      const history = { requestedAt, attempts, flags };
      const pastDeadline = now() >= requestedAt + input.rowDeadlineMs;
      let item: CertificateItem | null = null;
      try {
        item = await certificateJobs.item(input.list, rowIndex);
        const seen = known.get(certidaoId) ?? (await readFact(row, item, priority, leaving.signal));
        if (!held.has(rowIndex)) {
          // A slow download: the next poll finds its result.
          if ('fact' in seen) await facts.put([seen]);
          return;
        }
        answer.readFailure = null;
        if ('fact' in seen) found.facts.push(seen);
        const fact = 'fact' in seen ? seen.fact : seen;
        if ('settledAt' in fact) {
          const shared = (flags & rowFlags.shared) !== 0;
          const isOver = issuedAt(fact) < input.reuseSince || fact.erased === true;
          if (shared && fact.status === 'issued' && isOver) {
            // Another job's, issued before this job may reuse it, or erased: request a new one.
            settle(row, [rowIndex, 'retryable', now()]);
            return;
          }
          found.outcomes.push(outcomeOfFact(fact, item, history));
          if (fact.status === 'failed' && fact.retryable === true) {
            const notBefore = fact.settledAt + (fact.retryAfterMs ?? defaultRetryAfterMs);
            settle(row, [rowIndex, 'retryable', notBefore]);
          } else settle(row, [rowIndex, fact.status]);
        } else if ('error' in fact) {
          found.outcomes.push(unsettledOutcome('failed', item, certidaoId, history, fact.error));
          settle(row, [rowIndex, 'failed']);
        } else if (pastDeadline) {
          expire(row, item, 'the issuance had not settled at the deadline of the row');
        } else {
          row.failures = 0;
          row.unsettledAgeMs = now() - requestedAt;
          row.dueAt = settlingTimes[item.type].nextReadAt(now(), row.unsettledAgeMs, random());
        }
      } catch (error) {
        if (leaving.signal.aborted || !held.has(rowIndex)) return;
        onReadError(row, item, error, pastDeadline);
      }
    };

    const expire = (row: Held, item: CertificateItem, message: string): void => {
      const [rowIndex, certidaoId, requestedAt, , attempts, flags] = row.tuple;
      const [status, error] = row.isIssued
        ? (['failed', withoutPdf('at the deadline of the row')] as const)
        : (['expired', { code: 'deadline', category: 'expired', message }] as const);
      const history = { requestedAt, attempts, flags };
      found.outcomes.push(unsettledOutcome(status, item, certidaoId, history, error));
      settle(row, [rowIndex, status]);
    };

    const onReadError = (
      row: Held,
      item: CertificateItem | null,
      error: unknown,
      late: boolean,
    ): void => {
      const [rowIndex, certidaoId, requestedAt, , attempts, flags] = row.tuple;
      const status = error instanceof StatusError ? error : null;
      const failure = isCallFailure(error) ? classifyFailure(error) : 'unknown';
      const refused = failure === 'credentials';
      row.failures += 1;
      answer.readFailure = refused
        ? 'credentials'
        : status === null
          ? 'unreachable'
          : answer.readFailure;
      const message = isHttpError(error) ? error.message : nameOf(error);
      if (late && !refused && item !== null)
        return expire(row, item, `the last read failed: ${message}`);
      const history = { requestedAt, attempts, flags };
      const isJsonApi = error instanceof ContractError && error.isJsonApi;
      if (item !== null && isJsonApi && row.failures > 1) {
        const lost = { code: unreadableAnswer, category: 'contract', message };
        found.outcomes.push(unsettledOutcome('failed', item, certidaoId, history, lost));
        answer.unreadable += 1;
        return settle(row, [rowIndex, 'failed']);
      }
      if (
        item !== null &&
        status !== null &&
        failure === 'permanent' &&
        now() - requestedAt > patienceWithRefusalsMs &&
        row.failures > 3
      ) {
        const lost = { code: status.code ?? `http_${status.status}`, category: 'lost', message };
        found.outcomes.push(unsettledOutcome('failed', item, certidaoId, history, lost));
        return settle(row, [rowIndex, 'failed']);
      }
      const grown = backoffMs(row.failures, random(), { baseMs: 250, maxMs: 60_000 });
      row.dueAt = now() + Math.max(grown, status?.retryAfterMs ?? 0);
    };

    // While it freed slots stay on offer, and accepted rows find it. Unreadable answers the workflow must hear of soon.
    const stays = (): boolean =>
      isFresh && answer.unreadable === 0 && (slots?.chunksRun() ?? false);
    const returnsAt = (): number => {
      const untakenSince = slots === null ? firstSettledAt : slots.untakenSince();
      return Math.min(
        leavesAt,
        startedAt + input.boundMs,
        (firstSettledAt ?? Infinity) + (stays() ? chunkMs : input.lingerMs),
        (untakenSince ?? Infinity) + input.slotLingerMs,
      );
    };
    const isOver = (): boolean =>
      (held.size === 0 && !stays()) ||
      now() >= returnsAt() + (reading > 0 ? lastReadsMs : 0) ||
      cancellationSignal.aborted ||
      deps.stopping.aborted;

    const letGo = [cancellationSignal, deps.stopping].map((signal) =>
      onAbort(signal, () => wake()),
    );
    try {
      // By an earlier poll or another job; what one stores from now on costs a read.
      known = await facts
        .among(input.rows.map(([, certidaoId]) => certidaoId))
        .catch((error: unknown) => {
          deps.warn('facts could not be read', { reason: nameOf(error) });
          return known;
        });
      input.rows.forEach(hold);
      if (isFresh)
        takesNoMore = deps.acceptedRows.takenBy(laneOfActivity(), {
          poll: input.poll,
          take: (row) => held.size < pollRows && (hold(row), true),
        });
      while (!isOver()) {
        found.saveSome();
        const at = now();
        const isLast = at >= returnsAt();
        if (isLast) {
          takesNoMore();
          leavesAt = Math.min(leavesAt, at);
        }
        let nextAt = returnsAt() + (reading > 0 && isLast ? lastReadsMs : 0);
        for (const row of held.values()) {
          if (row.reading || isLast) continue;
          // Once more at the deadline; after a failed read the backoff applies.
          const deadlineAt = row.tuple[2] + input.rowDeadlineMs;
          const dueAt = row.failures > 0 ? row.dueAt : Math.min(row.dueAt, deadlineAt);
          if (dueAt > at || reading >= readsAtOnce) {
            if (dueAt > at) nextAt = Math.min(nextAt, dueAt);
            continue;
          }
          reading += 1;
          row.reading = true;
          void read(row).finally(() => {
            row.reading = false;
            reading -= 1;
            wake();
          });
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(1, Math.min(nextAt - now(), 60_000)));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      for (const row of held.values()) {
        const [rowIndex, , , givenDueAt] = row.tuple;
        if (row.dueAt !== givenDueAt) answer.due.push([rowIndex, row.dueAt]);
      }
      takesNoMore();
      held.clear();
      leaving.abort();
      slots?.close();
      answer.handedOn = slots?.handedOn() ?? [];
      await found.saveAll();
      return answer;
    } finally {
      for (const release of letGo) release();
      takesNoMore();
      leaving.abort();
      slots?.close();
      heartbeats.stop();
      endPoll();
    }
  }

  return { pollCertificates };
}
