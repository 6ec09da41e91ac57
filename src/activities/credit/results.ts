import { Context } from '@temporalio/activity';
import { readAnalysis, readIssues } from '../../apis/credit/result.wire';
import { classifyFailure, isCallFailure, type CallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import { AnalysisFile, operationFolder, resultKey } from '../../store/credit/analyses';
import { indexDocuments, indexedBytes } from '../../store/core/subject-index';
import { findLarge, putLarge, readLarge } from '../../store/core/large-objects';
import { analysisOutcomeEntry } from '../../domain/audit-entries';
import type { ResultFilter } from '../../domain/credit/operation';
import {
  SubsetCheck,
  TreeCheck,
  differingHeads,
  foreignResult,
} from '../../domain/credit/tree-check';
import type {
  AnalysisOutcome,
  AnalysisRef,
  AnalysisResultRef,
  WaitAnswer,
} from '../../domain/credit/work';
import { nextPollMs, type PollPace } from '../../domain/core/poll-timing';
import type { CreditDependencies } from '../dependencies';
import { storeIncomplete, notSettledYet, resultUnreadable } from '../core/failures';
import { Heartbeats } from '../core/heartbeats';
import { nameOf } from '../core/keyless-requests';
import { pauseOnTheClock } from '../core/pause';

/** The service names no interval, and takes minutes. */
const pace: PollPace = { firstMs: 1_000, growth: 0.2, minMs: 1_000, maxMs: 60_000, jitter: 0.1 };
/** A wait up to this long is held by the activity, a longer one by the server (decision record 021). */
const holdMs = 10_000;
/** With less time left than this the activity holds to the end, and looks once more. */
const lastHoldMs = 12_000;
/**
 * What ends the wait before its time (a read refused for good: 403, 410...; a result that cannot be
 * read) must be met so often, with nothing else between, over this long.
 */
const patience = { times: 5, ms: 5 * 60_000 };
/** Tries to file a complete result that cannot be read: some five minutes with their pauses. */
const mostUnreadable = 10;

/** How a result is called where it is told that it cannot be read. */
const resultCall = { method: 'GET', pathTemplate: '/v1/operations/{id}/result' } as const;

export interface WaitInput {
  operationId: string;
  /** Epoch milliseconds. */
  acceptedAt: number;
  deadlineAt: number;
}

/** Why a wait would be in vain, if it stays so. */
interface Obstacle {
  code: 'unreadable' | 'unreadable_result';
  message: string;
}

interface Unsettled {
  kind: 'unsettled';
  statusWord: string | null;
  waitMs: number;
  obstacle: Obstacle | null;
}

type Reading = WaitAnswer | Unsettled;

/** What follows an accepted upload: wait, fetch, file. Reading does no harm, so all of it goes again. */
export function createCreditResultActivities(deps: CreditDependencies) {
  const { store, credit, metrics, now, random, pause = pauseOnTheClock } = deps;
  const { operations } = credit;
  const analyses = new AnalysisFile(store);
  const warnedWords = new Set<string>();

  /** Waits for the result of issues alone, and files it: the service says in no other way "done". */
  async function awaitAnalysis(input: WaitInput): Promise<WaitAnswer> {
    const { cancellationSignal } = Context.current();
    const heartbeats = new Heartbeats(now, 1_000);
    const obstacles = new Obstacles(now);
    try {
      for (;;) {
        const reading = await read(input);
        if (reading.kind !== 'unsettled') return reading;
        const { statusWord, obstacle } = reading;
        const leftMs = input.deadlineAt - now();
        const isLast = leftMs <= 0;
        if (obstacles.areInTheWay(obstacle, isLast)) {
          return { kind: 'failed', statusWord, ...obstacle };
        }
        if (isLast) return { kind: 'expired', statusWord };
        const waitMs = Math.min(reading.waitMs, leftMs);
        if (deps.stopping.aborted) throw notSettledYet(1_000);
        // Another attempt would not know how often it was met: this one holds until that is told.
        if (obstacle === null && waitMs > holdMs && leftMs > lastHoldMs) {
          throw notSettledYet(Math.min(waitMs, leftMs - lastHoldMs + 2_000));
        }
        await pause(waitMs, AbortSignal.any([cancellationSignal, deps.stopping]));
        if (cancellationSignal.aborted) await Context.current().cancelled;
      }
    } finally {
      heartbeats.stop();
    }
  }

  async function read(input: WaitInput): Promise<Reading> {
    const { operationId, acceptedAt } = input;
    const waitMs = nextPollMs(now() - acceptedAt, random(), pace);
    const operation = await answerOf(async () => {
      return (await operations.readOperation(operationId, 'poll')).operation;
    });
    const statusWord = 'told' in operation ? operation.told.statusWord : null;
    const unsettled = { kind: 'unsettled', statusWord, waitMs, obstacle: null } as const;
    if ('told' in operation) {
      if (operation.told.isUnknownWord) warnOnce(statusWord);
      if (operation.told.state === 'failed') {
        const { code = null, message = null } = operation.told.failure ?? {};
        return { kind: 'failed', statusWord, code, message: message ?? 'the operation failed' };
      }
    } else if (asksForPatience(operation.error)) {
      return { ...unsettled, waitMs: Math.max(waitMs, askedMs(operation.error)) };
    }
    // Done is when the result is there, whatever becomes of the status.
    const result = await answerOf(() => take(operationId, 'issues'));
    if ('told' in result) {
      if (result.told === 'filed') return { kind: 'ready', statusWord };
      const isDenied = result.told === 404 && 'error' in operation;
      return { ...unsettled, obstacle: isDenied ? obstacleOf(operation.error) : null };
    }
    const { error } = result;
    if (error instanceof ContractError) {
      const obstacle = { code: 'unreadable_result', message: error.message } as const;
      return { ...unsettled, obstacle };
    }
    return { ...unsettled, waitMs: Math.max(waitMs, askedMs(error)), obstacle: obstacleOf(error) };
  }

  async function answerOf<T>(
    call: () => Promise<T>,
  ): Promise<{ told: T } | { error: CallFailure }> {
    try {
      return { told: await call() };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      deps.warn('an operation could not be read', { reason: nameOf(error) });
      return { error };
    }
  }

  /**
   * Files a result, if it is there and can be read to its end.
   *
   * @returns or the status that means "not yet"
   */
  async function take(operationId: string, filter: ResultFilter): Promise<'filed' | number> {
    const key = resultKey(operationId, filter);
    const readBody = filter === 'all' ? readAnalysis : readIssues;
    if ((await findLarge(store, key)) !== null) return 'filed';
    const answer = await operations.takeResult(
      operationId,
      filter,
      (body) =>
        putLarge(store, key, body, {
          check: (bytes) =>
            readBody(
              resultCall,
              indexedBytes(bytes, (held) => index(operationId, held)),
            ),
        }),
      'poll',
      Context.current().cancellationSignal,
    );
    return 'taken' in answer ? 'filed' : answer.notYet;
  }

  function index(operationId: string, documents: Iterable<string>): Promise<void> {
    return indexDocuments(store, operationFolder(operationId), deps.nameOf, documents);
  }

  function warnOnce(word: string | null): void {
    if (word === null || warnedWords.has(word) || warnedWords.size >= 1_000) return;
    warnedWords.add(word);
    deps.warn('a status word that is not known; the operation is waited for', { word });
  }

  /** Files both results and compares them with themselves and with what was asked. */
  async function fileResults(input: {
    ref: AnalysisRef;
    operationId: string;
  }): Promise<AnalysisResultRef> {
    const { operationId } = input;
    const heartbeats = new Heartbeats(now, 1_000);
    try {
      const record = await analyses.record(input.ref.folder);
      if (record === null) throw storeIncomplete(input.ref.folder);
      for (const filter of ['issues', 'all'] as const) {
        // Told to be there, and not there yet: a service may be late with it.
        if ((await take(operationId, filter)) !== 'filed') throw notSettledYet(5_000);
      }
      const [issuesKey, allKey] = [resultKey(operationId, 'issues'), resultKey(operationId, 'all')];
      const tree = new TreeCheck();
      const all = await readAnalysis(resultCall, readLarge(store, allKey), {
        receivable: (receivable) => tree.receivable(receivable),
        payer: (payer) => tree.payer(payer),
      });
      const subset = new SubsetCheck(tree);
      const issues = await readIssues(resultCall, readLarge(store, issuesKey), {
        receivable: (receivable) => subset.receivable(receivable),
      });
      const contradictions = [
        ...foreignResult(all, { operationId, engineId: record.engineId }),
        ...tree.contradictions(all),
        ...subset.contradictions(),
        ...differingHeads(issues, all),
      ];
      return { issuesKey, allKey, engineId: all.engineId, summary: all.summary, contradictions };
    } catch (error) {
      const { attempt } = Context.current().info;
      if (!(error instanceof ContractError) || attempt < mostUnreadable) throw error;
      throw resultUnreadable(error.message);
    } finally {
      heartbeats.stop();
    }
  }

  /** Puts the end on file and on the audit trail. Repeated, what was filed first stands. */
  async function concludeAnalysis(input: {
    ref: AnalysisRef;
    outcome: Omit<AnalysisOutcome, 'workId' | 'settledAt'>;
  }): Promise<AnalysisOutcome> {
    const { ref, outcome } = input;
    const settledAt = new Date(now()).toISOString();
    const { workId } = ref;
    const end = { ...outcome, workId, settledAt };
    const record = await analyses.record(ref.folder);
    if (record === null) throw storeIncomplete('the job that has ended');
    const by = record.createdBy;
    const { result } = end;
    const sha256 =
      result === null ? null : ((await findLarge(store, result.allKey))?.sha256 ?? null);
    const entries = [analysisOutcomeEntry(end, { by, sha256 })];
    const stands = await analyses.putOutcome(ref.folder, end, entries);
    if (stands === end) metrics.analysisEnded(stands.status);
    return stands;
  }

  return { awaitAnalysis, fileResults, concludeAnalysis };
}

/** Counts how often in a row, and how long, the same thing stood in the way. */
class Obstacles {
  readonly #now: () => number;
  #code: Obstacle['code'] | null = null;
  #since = 0;
  #times = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param isLast there is no time to look again */
  areInTheWay(obstacle: Obstacle | null, isLast: boolean): obstacle is Obstacle {
    if (obstacle === null || obstacle.code !== this.#code) {
      this.#code = obstacle?.code ?? null;
      this.#since = this.#now();
      this.#times = 0;
    }
    if (obstacle === null) return false;
    this.#times += 1;
    // It is there, and can be used no more than it could before.
    if (isLast && obstacle.code === 'unreadable_result') return true;
    return this.#times >= patience.times && this.#now() - this.#since >= patience.ms;
  }
}

function obstacleOf(error: CallFailure): Obstacle | null {
  if (classifyFailure(error) !== 'permanent') return null;
  return { code: 'unreadable', message: error.message };
}

/** About the token, or about haste: the other read would be told the same. */
function asksForPatience(error: CallFailure): boolean {
  if (classifyFailure(error) === 'credentials') return true;
  return error instanceof StatusError && (error.status === 429 || error.retryAfterMs !== null);
}

function askedMs(error: CallFailure): number {
  return error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
}
