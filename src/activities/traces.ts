import { createHash } from 'node:crypto';
import type { StatusError } from '../apis/http/errors';
import type { TraceAnswer, TracesApi } from '../apis/investigation/traces';
import type { Store } from '../store/store';
import type { AuditTrail } from '../store/audit/trail';
import type { NameOf } from '../store/core/subjects';
import { indexDocuments } from '../store/core/subject-index';
import { TraceFile } from '../store/traces/traces';
import { documentsInText } from '../domain/held-documents';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import { traceOutcomeEntry, traceRequestEntry } from '../domain/traces/audit';
import {
  isTraceSettled,
  sourcesOf,
  traceKey,
  type CreatedTrace,
  type TraceIntent,
  type TraceOutcome,
  type TraceRecord,
  type TraceRef,
  type TraceSeen,
  type TraceStatus,
} from '../domain/traces/search';
import type { Trace } from '../domain/traces/trace';
import { storeIncomplete } from './failures';
import { isSurelyUnprocessed } from './keyed-requests';
import { SettledWait, isForGood, type Reading, type WaitDependencies } from './settled-wait';

export interface TraceMetrics {
  /** An outcome was put on file. */
  searchEnded(outcome: TraceOutcome): void;
}

export interface TraceDependencies extends WaitDependencies {
  metrics: TraceMetrics;
  traces: TracesApi;
  store: Store;
  audit: AuditTrail;
  /** `IdKey.nameOf('document', ...)`: answers are put in the index by which an erasure finds them. */
  nameOf: NameOf;
}

/** What came of asking for a search. */
export type StartedTrace =
  /** `seen` as the answer told it; null when the search was on file. */
  | { kind: 'created'; traceId: string; state: string; seen: TraceSeen | null }
  /** The work has an end on file, however it was started again. */
  | { kind: 'ended'; status: TraceStatus }
  /** The repeated key is refused, and the list does not show what it made. */
  | { kind: 'unknown'; code: string | null; message: string };

export type StartTraceInput = WaitOrder & { ref: TraceRef };
export type AwaitTraceInput = StartTraceInput & { traceId: string };

/** A service forgets keys: what was sent longer ago is looked for before it is sent again. */
const keyTrustedMs = 60 * 60_000;
/** A list may lag behind what was made. */
const listPatienceMs = 2 * 60_000;
/** Clocks differ. */
const clockSkewMs = 5 * 60_000;

/** A search is asked for with one key for ever, so that it is made once. */
export function createTraceActivities(deps: TraceDependencies) {
  const { store, audit, now, traces } = deps;
  const file = new TraceFile(store);
  const wait = new SettledWait(deps);

  /** Has the search made, or finds the one that was. */
  async function startTrace(input: StartTraceInput): Promise<Waited<StartedTrace>> {
    const ended = await file.outcome(input.ref.folder);
    if (ended !== null) return { kind: 'settled', value: { kind: 'ended', status: ended.status } };
    const record = await recordOf(input.ref);
    const known = await file.created(record.name);
    if (known !== null) {
      // Who filed it may not have come to tell.
      await audit.append([traceRequestEntry(known, record)]);
      return { kind: 'settled', value: startedAs(known, null) };
    }
    return wait.until<StartedTrace>((signal) => request(record, input.since, signal), {
      ...input,
      what: 'the request for a search',
    });
  }

  /** One send. Once it has left it is not broken off: what it came to is worth more than the time. */
  async function request(
    record: TraceRecord,
    since: number,
    signal: AbortSignal,
  ): Promise<Reading<StartedTrace>> {
    const { name, target, strategy } = record;
    const before = await file.intent(name);
    if (before !== null && now() - Date.parse(before.at) > keyTrustedMs) {
      const found = await findMade(record, before, signal);
      if (found !== null) return made(record, found, 'list');
    }
    const key = before?.key ?? traceKey(name);
    let intent = null as (TraceIntent & { isNew: boolean }) | null;
    const beforeSend = async (): Promise<void> => {
      intent = await file.putIntent(name, { at: isoNow(), key });
    };
    try {
      // A worker that is to end lets no request leave that it could not see through.
      const admitted = AbortSignal.any([signal, deps.stopping]);
      const answer = await traces.create({ target, strategy, key }, admitted, beforeSend);
      return await made(record, answer, 'answer');
    } catch (error) {
      if (intent === null) throw error;
      if (intent.isNew && isSurelyUnprocessed(error, traces.service)) await file.removeIntent(name);
      if (!isForGood(error)) throw error;
      return refused(error, record, intent, { since, signal });
    }
  }

  /**
   * A refused repetition is not believed for a while, whatever it says: what was lost may have made a
   * search that the list does not show yet, and its intent stays.
   *
   * @throws the refusal, when nothing was made before it that can be found
   */
  async function refused(
    error: StatusError,
    record: TraceRecord,
    intent: TraceIntent & { isNew: boolean },
    { since, signal }: { since: number; signal: AbortSignal },
  ): Promise<Reading<StartedTrace>> {
    if (error.retryable === true) return askAgain(error);
    if (intent.isNew) throw error;
    const found = await findMade(record, intent, signal);
    if (found !== null) return made(record, found, 'list');
    const lookedForMs = now() - Math.max(since, Date.parse(intent.at));
    if (lookedForMs < listPatienceMs) return askAgain(error);
    if (error.status !== 409) throw error;
    const { code, message } = error;
    return { kind: 'settled', value: { kind: 'unknown', code, message } };
  }

  /** What the list shows of this ask, made since it was first sent, and of no other ask of ours. */
  async function findMade(
    record: TraceRecord,
    intent: TraceIntent,
    signal: AbortSignal,
  ): Promise<TraceAnswer | null> {
    const since = Date.parse(intent.at) - clockSkewMs;
    const found: TraceAnswer[] = [];
    for await (const { items } of traces.pages({ pageSize: 100 }, 'poll', signal)) {
      for (const listed of items) {
        if (listed.kind !== 'item' || !isOf(record, listed.item)) continue;
        if (Date.parse(listed.item.createdAt ?? '') >= since) {
          found.push({ trace: listed.item, answer: listed.answer });
        }
      }
    }
    found.sort((a, b) => (a.trace.createdAt ?? '').localeCompare(b.trace.createdAt ?? ''));
    for (const one of found) if (await file.own(record.name, one.trace.traceId)) return one;
    return null;
  }

  async function made(
    record: TraceRecord,
    { trace }: TraceAnswer,
    foundBy: CreatedTrace['foundBy'],
  ): Promise<Reading<StartedTrace>> {
    const created = { traceId: trace.traceId, foundBy, at: isoNow() };
    const stands = await file.putCreated(record.name, created);
    await audit.append([traceRequestEntry(stands, record)]);
    return { kind: 'settled', value: startedAs(stands, trace) };
  }

  /** Reads the search until it has settled, and files it as it was told. */
  async function awaitTrace(input: AwaitTraceInput): Promise<Waited<TraceSeen>> {
    const { traceId, ref } = input;
    return wait.until<TraceSeen>(
      async (signal) => {
        const { trace, answer } = await traces.read(traceId, 'poll', signal);
        if (isTraceSettled(trace.state)) {
          return { kind: 'settled', value: await filed(ref, trace, answer) };
        }
        const seen = seenOf(trace, null);
        return {
          kind: 'unsettled',
          value: seen,
          visible: trace.state,
          unknownWord: trace.state === 'unknown' ? trace.statusWord : null,
          pollAfterMs: trace.pollAfterMs,
          details: { state: trace.state, sources: seen.sources },
        };
      },
      { ...input, what: 'a search', refusalPatienceMs: listPatienceMs },
    );
  }

  /** The index first, so that there is no answer on file that it does not know. */
  async function filed(ref: TraceRef, trace: Trace, answer: object): Promise<TraceSeen> {
    const body = Buffer.from(JSON.stringify(answer));
    const held = documentsInText(body.toString('latin1'));
    await indexDocuments(store, ref.folder, deps.nameOf, held);
    return seenOf(trace, sha256Of(await file.putAnswer(ref.folder, body)));
  }

  /** Puts the end on file and on the audit trail. Repeated, what was filed first stands. */
  async function concludeTrace(input: {
    ref: TraceRef;
    outcome: Omit<TraceOutcome, 'workId' | 'settledAt' | 'traceId'>;
  }): Promise<TraceOutcome> {
    const { ref, outcome } = input;
    const record = await recordOf(ref);
    const traceId = (await file.created(record.name))?.traceId ?? null;
    const isOpen = outcome.status === 'expired' || outcome.status === 'cancelled';
    const isLost = isOpen && traceId === null && (await file.intent(record.name)) !== null;
    const end = {
      ...outcome,
      ...(isLost && answerLost),
      workId: ref.workId,
      traceId,
      settledAt: isoNow(),
    };
    const about = { by: record.createdBy, subject: record.targetName };
    const stands = await file.putOutcome(ref.folder, end, [traceOutcomeEntry(end, about)]);
    if (stands === end) deps.metrics.searchEnded(stands);
    return stands;
  }

  /** @throws ApplicationFailure */
  async function recordOf({ folder }: TraceRef): Promise<TraceRecord> {
    const record = await file.record(folder);
    if (record === null) throw storeIncomplete(folder);
    return record;
  }

  function isoNow(): string {
    return new Date(now()).toISOString();
  }

  return { startTrace, awaitTrace, concludeTrace };
}

function sha256Of(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

const answerLost: Pick<TraceOutcome, 'status' | 'error'> = {
  status: 'unknown_outcome',
  error: {
    code: 'answer_lost',
    message: 'a request may have arrived: the same command asks again with the same key',
  },
};

function startedAs({ traceId }: CreatedTrace, trace: Trace | null): StartedTrace {
  const seen = trace && seenOf(trace, null);
  return { kind: 'created', traceId, state: trace?.state ?? 'queued', seen };
}

function askAgain({ retryAfterMs }: StatusError): Reading<StartedTrace> {
  return {
    kind: 'unsettled',
    value: { kind: 'unknown', code: null, message: '' },
    visible: 'requesting',
    unknownWord: null,
    pollAfterMs: retryAfterMs,
  };
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
