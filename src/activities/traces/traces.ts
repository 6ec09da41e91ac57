import type { JobRef } from '../../domain/core/job-record';
import type { TraceAnswer, TracesApi } from '../../apis/investigation/traces';
import { withEither } from '../../apis/http/signals';
import { indexDocuments } from '../../store/core/subject-index';
import { TraceRepository } from '../../store/traces/traces';
import {
  reissuesOf,
  subjectState,
  traceSubject,
  undecidedAttempt,
  type Attempt,
} from '../../domain/core/service/attempts';
import { documentsInText } from '../../domain/core/documents/held-documents';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import {
  isTraceSettled,
  sourcesOf,
  traceKey,
  traceOutcomeEntry,
  traceRequestEntry,
  type MadeTrace,
  type TraceOutcome,
  type TraceRecord,
  type TraceSeen,
} from '../../domain/traces/search';
import type { TraceStatus } from '../../domain/traces/kinds';
import type { Trace } from '../../apis/investigation/wire/traces.wire';
import type { JobDependencies } from '../dependencies';
import { answerLost, sendKeyed, type KeyedAnswer, unsentReading } from '../core/attempt';
import { recordOf, sha256Of, storeOutcome } from '../core/job-records';
import { MissingResults, createPolling, unsettled, type Reading } from '../core/poll-until-settled';

export interface TraceDependencies extends JobDependencies {
  traces: TracesApi;
}

/** Result of requesting a search. */
export type StartedTrace =
  /** `seen`: as reported in the response; null when the search was stored. */
  | { kind: 'created'; traceId: string; state: string; seen: TraceSeen | null }
  /** The job has an outcome already. */
  | { kind: 'ended'; status: TraceStatus }
  /** The service refuses the repeated key, and the list does not show the search. */
  | { kind: 'unknown'; code: string | null; message: string };

export type StartTraceInput = PollRequest & { ref: JobRef };
export type AwaitTraceInput = StartTraceInput & { traceId: string };

/** Services forget keys: a request sent longer ago is looked up before it is repeated. */
const keyTrustedMs = 60 * 60_000;
/** A list may lag behind creation. */
const listPatienceMs = 2 * 60_000;
/** Clocks differ. */
const clockSkewMs = 5 * 60_000;

interface Told {
  result?: unknown;
}

/** Each search has one permanent key, so that it is created once. */
export function createTraceActivities(deps: TraceDependencies) {
  const { store, now, traces } = deps;
  const { attempts } = store;
  const file = new TraceRepository(store);
  const pollUntilSettled = createPolling(deps);
  const missing = new MissingResults(now);

  /** Creates the search, or finds the created one. */
  async function startTrace(input: StartTraceInput): Promise<Polled<StartedTrace>> {
    const ended = await file.outcome(input.ref.folder);
    if (ended !== null) return { kind: 'settled', value: { kind: 'ended', status: ended.status } };
    const record = await recordOf(file, input.ref);
    return pollUntilSettled<StartedTrace>((signal) => request(record, input, signal), {
      ...input,
      what: 'the request for a search',
    });
  }

  async function request(
    record: TraceRecord,
    { deadlineAt: sendBy, ref, since }: StartTraceInput,
    signal: AbortSignal,
  ): Promise<Reading<StartedTrace>> {
    const { name, target, strategy } = record;
    const subject = traceSubject(name);
    const history = await attempts.of(subject);
    const state = subjectState(history, now());
    if (state.kind === 'accepted') {
      return { kind: 'settled', value: startedAs(state.externalId, null) };
    }
    const open = undecidedAttempt(history);
    if (open !== null && now() - open.claim.claimedAt > keyTrustedMs) {
      const found = await findMade(record, open, signal);
      if (found !== null) return found;
    }
    const by = { jobId: ref.jobId, number: 1 };
    const { timeoutMs } = traces;
    const about = { subject, job: ref.folder, by, attempts, timeoutMs, now, sendBy };
    // At shutdown no request is sent that could not be completed.
    const wanted = { target, strategy, key: traceKey(name, reissuesOf(history)) };
    const sent = await withEither([signal, deps.stopping], (admitted) =>
      sendKeyed(about, (beforeSend) => traces.create(wanted, admitted, beforeSend)),
    );
    if (sent.kind === 'stopped') return unsentReading(sent.why, 'requesting');
    if (sent.kind === 'refused') return refused(sent, record, { since, signal });
    const { trace } = sent.answer;
    const receipt = madeAs(trace.traceId, 'answer');
    const first = await attempts.putReceipt(subject, sent.taken, receipt, [
      traceRequestEntry(receipt, record),
    ]);
    const { externalId } = first.kind === 'accepted' ? first : receipt;
    return { kind: 'settled', value: startedAs(externalId, trace) };
  }

  /**
   * A refused repetition is ignored at first: a lost request may have created a search that the list does not
   * show yet, and its attempt stays open.
   *
   * @throws the refusal, when no earlier search can be found
   */
  async function refused(
    { error, taken }: Extract<KeyedAnswer<TraceAnswer>, { kind: 'refused' }>,
    record: TraceRecord,
    { since, signal }: { since: number; signal: AbortSignal },
  ): Promise<Reading<StartedTrace>> {
    const isFault = error.status >= 500;
    if (taken.isNew && !isFault) throw error;
    const found = await findMade(record, taken, signal);
    if (found !== null) return found;
    const lookedForMs = now() - Math.max(since, taken.claim.claimedAt);
    const mayShow = !taken.isNew && lookedForMs < listPatienceMs;
    if (mayShow) return unsettled('requesting', error.retryAfterMs);
    if (error.status !== 409 && !isFault) throw error;
    const { code, message } = error;
    return { kind: 'settled', value: { kind: 'unknown', code, message } };
  }

  /** Finds a search of this request in the list, created since it was first sent, and not of another job. */
  async function findMade(
    record: TraceRecord,
    attempt: Pick<Attempt, 'n' | 'claim'>,
    signal: AbortSignal,
  ): Promise<Reading<StartedTrace> | null> {
    const since = attempt.claim.claimedAt - clockSkewMs;
    const made: Trace[] = [];
    for await (const { items } of traces.pages({ pageSize: 100 }, 'poll', signal)) {
      for (const listed of items) {
        if (listed.kind !== 'item' || !isOf(record, listed.item)) continue;
        if (Date.parse(listed.item.createdAt ?? '') >= since) made.push(listed.item);
      }
    }
    made.sort((a, b) => (a.createdAt ?? '').localeCompare(b.createdAt ?? ''));
    for (const trace of made) {
      const receipt = madeAs(trace.traceId, 'list');
      const entries = [traceRequestEntry(receipt, record)];
      if (await attempts.putFound(traceSubject(record.name), attempt, receipt, entries)) {
        return { kind: 'settled', value: startedAs(trace.traceId, trace) };
      }
    }
    return null;
  }

  function madeAs(externalId: string, foundBy: MadeTrace['reported']['foundBy']): MadeTrace {
    return { kind: 'accepted', externalId, at: now(), reported: { foundBy } };
  }

  /** Polls the search until it has settled, and stores the response. */
  async function awaitTrace(input: AwaitTraceInput): Promise<Polled<TraceSeen>> {
    const { traceId, ref } = input;
    return pollUntilSettled<TraceSeen>(
      async (signal) => {
        const { trace, answer } = await traces.read(traceId, 'poll', signal);
        const isBare = trace.state === 'completed' && (answer as Told).result === null;
        if (isTraceSettled(trace.state) && !missing.mayCome(ref.folder, isBare)) {
          return { kind: 'settled', value: await storeTrace(ref, trace, answer) };
        }
        const seen = seenOf(trace, null);
        return {
          kind: 'unsettled',
          value: seen,
          status: trace.state,
          unknownWord: trace.state === 'unknown' ? trace.statusWord : null,
          pollAfterMs: trace.pollAfterMs,
          details: { state: trace.state, sources: seen.sources },
        };
      },
      { ...input, what: 'a search', refusalPatienceMs: listPatienceMs },
    );
  }

  /** Index first: no response is stored that the index does not know. */
  async function storeTrace(ref: JobRef, trace: Trace, answer: object): Promise<TraceSeen> {
    const body = Buffer.from(JSON.stringify(answer));
    const held = documentsInText(body.toString('latin1'));
    await indexDocuments(store, ref.folder, deps.nameOf, held);
    return seenOf(trace, sha256Of(await file.putAnswer(ref.folder, body)));
  }

  /** Stores and audits the outcome. Idempotent: the first stored outcome stays. */
  async function finalizeTrace(input: {
    ref: JobRef;
    outcome: Omit<TraceOutcome, 'jobId' | 'settledAt' | 'traceId'>;
  }): Promise<TraceOutcome> {
    const { ref, outcome } = input;
    const record = await recordOf(file, ref);
    const state = subjectState(await attempts.of(traceSubject(record.name)), now());
    const traceId = state.kind === 'accepted' ? state.externalId : null;
    const isOpen = outcome.status === 'expired' || outcome.status === 'cancelled';
    const isLost = isOpen && (state.kind === 'in_flight' || state.kind === 'unknown');
    const end = {
      ...outcome,
      ...(isLost && answerLost),
      jobId: ref.jobId,
      traceId,
      settledAt: new Date(now()).toISOString(),
    };
    const entries = [traceOutcomeEntry(end, record)];
    return storeOutcome(deps, 'trace', file, ref, end, entries);
  }

  return { startTrace, awaitTrace, finalizeTrace };
}

function startedAs(traceId: string, trace: Trace | null): StartedTrace {
  const seen = trace && seenOf(trace, null);
  return { kind: 'created', traceId, state: trace?.state ?? 'queued', seen };
}

function isOf({ target, strategy }: TraceRecord, trace: Trace): boolean {
  return trace.target === target && (strategy === null || trace.strategy === strategy);
}

function seenOf(trace: Trace, sha256: string | null): TraceSeen {
  const { traceId, state, statusWord, type, partial, billing, failure } = trace;
  return {
    traceId,
    state,
    statusWord,
    type,
    partial,
    sources: sourcesOf(trace.coverage),
    artifacts: trace.artifacts.length,
    billing,
    sha256,
    failure: failure && { code: failure.code, message: failure.message ?? '' },
  };
}
