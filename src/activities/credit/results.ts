import type { JobRef } from '../../domain/core/job-record';
import { saysUnderWay } from '../../apis/credit/names';
import { readAnalysis, readIssues, type AnalysisVisitor } from '../../apis/credit/result.wire';
import {
  classifyFailure,
  isCallFailure,
  isPermanent,
  type CallFailure,
} from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import {
  type ResultFilter,
  analysisOutcomeEntry,
  type AnalysisOutcome,
  type AnalysisRecord,
  type AnalysisResultRef,
  type OperationSeen,
} from '../../domain/credit/job';
import { AnalysisRepository, operationFolder, resultKey } from '../../store/credit/analyses';
import { indexDocuments, indexedBytes } from '../../store/core/subject-index';
import { findLarge, putLarge, readLarge } from '../../store/core/large-objects';
import type { Analysis } from '../../domain/credit/analysis';
import {
  SubsetCheck,
  TreeCheck,
  differingHeads,
  foreignResult,
} from '../../domain/credit/tree-check';
import type { Polled, PollRequest } from '../../domain/core/service/poll-request';
import type { CreditDependencies } from '../dependencies';
import { recordOf, storeOutcome } from '../core/job-records';
import { createPolling, type Reading } from '../core/poll-until-settled';

/** Time for which the service may refuse every read of an operation, or respond unreadably. */
const refusalPatienceMs = 5 * 60_000;

/** Names the call in errors about an unreadable result. */
const resultCall = { method: 'GET', pathTemplate: '/v1/operations/{id}/result' } as const;

export interface AwaitAnalysisInput extends PollRequest {
  operationId: string;
}

/** Follows an accepted upload: poll, fetch, store. Reads are harmless, so all of it may be repeated. */
export function createCreditResultActivities(deps: CreditDependencies) {
  const { store, credit, now } = deps;
  const { operations } = credit;
  const analyses = new AnalysisRepository(store);
  const pollUntilSettled = createPolling(deps);

  /** Polls for the issues result alone, and stores it: the service has no other sign of completion. */
  async function awaitAnalysis(input: AwaitAnalysisInput): Promise<Polled<OperationSeen>> {
    const unreadable: { last: ContractError | null } = { last: null };
    const polled = await pollUntilSettled(
      async (signal) => {
        unreadable.last = null;
        return read(input.operationId, signal).catch((error: unknown) => {
          if (error instanceof ContractError) unreadable.last = error;
          throw error;
        });
      },
      { ...input, what: 'an operation', refusalPatienceMs, refusesUnreadable: true },
    );
    const { last } = unreadable;
    // It is there and still cannot be used.
    const isUnreadable = last !== null && (polled.kind === 'expired' || polled.kind === 'refused');
    if (isUnreadable) return failed('unreadable_result', last.message);
    return polled.kind === 'refused' ? failed('unreadable', polled.message) : polled;
  }

  async function read(operationId: string, signal: AbortSignal): Promise<Reading<OperationSeen>> {
    const operation = await operations
      .readOperation(operationId, 'poll', signal)
      .then((answer) => answer.operation)
      .catch((error: unknown): CallFailure => {
        if (!isCallFailure(error) || asksForPatience(error)) throw error;
        deps.warn('an operation could not be read', { reason: error.name });
        return error;
      });
    const isKnown = 'operationId' in operation;
    const statusWord = isKnown ? operation.statusWord : null;
    if (isKnown && operation.state === 'failed') {
      const { code = null, message = null } = operation.failure ?? {};
      const why = { code, message: message ?? 'the operation failed' };
      return { kind: 'settled', value: { kind: 'failed', statusWord, ...why } };
    }
    // The result decides, regardless of the status.
    const taken = await takeIssues(operationId, signal).catch((error: unknown) => {
      // Some services return the status instead of a result that is not there yet.
      const isEarly = statusWord !== null && saysUnderWay(statusWord);
      if (isEarly && error instanceof ContractError) return 'unreadable' as const;
      throw error;
    });
    if (taken === 'stored') return { kind: 'settled', value: { kind: 'ready', statusWord } };
    if (taken === 404 && isPermanent(operation)) throw operation;
    return {
      kind: 'unsettled',
      value: { kind: 'unsettled', statusWord },
      status: 'waiting',
      unknownWord: isKnown && operation.isUnknownWord ? statusWord : null,
    };
  }

  /**
   * Stores a result if it is there and complete.
   *
   * @param readBody reads all bytes while they are stored
   * @returns what was read, or the status that means "not yet"
   */
  async function take<T>(
    operationId: string,
    filter: ResultFilter,
    readBody: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T[] | number> {
    const key = resultKey(operationId, filter);
    const answer = await operations.takeResult(
      operationId,
      filter,
      async (body) => {
        const readings: T[] = [];
        await putLarge(store, key, body, {
          check: async (bytes) => {
            const indexed = indexedBytes(bytes, (held) => index(operationId, held));
            readings.push(await readBody(indexed));
          },
        });
        return readings;
      },
      'poll',
      signal,
    );
    return 'taken' in answer ? answer.taken : answer.notYet;
  }

  async function takeIssues(operationId: string, signal: AbortSignal): Promise<'stored' | number> {
    if ((await findLarge(store, resultKey(operationId, 'issues'))) !== null) return 'stored';
    const readBody = (bytes: AsyncIterable<Uint8Array>) => readIssues(resultCall, bytes);
    const taken = await take(operationId, 'issues', readBody, signal);
    return typeof taken === 'number' ? taken : 'stored';
  }

  /** The complete tree, summed while it is stored; null: not there yet. */
  async function takeTree(operationId: string, tree: TreeCheck, signal: AbortSignal) {
    const visitor: AnalysisVisitor = {
      receivable: (receivable) => tree.receivable(receivable),
      payer: (payer) => tree.payer(payer),
    };
    const readBody = (bytes: AsyncIterable<Uint8Array>) => readAnalysis(resultCall, bytes, visitor);
    const key = resultKey(operationId, 'all');
    if ((await findLarge(store, key)) !== null) return readBody(readLarge(store, key));
    const taken = await take(operationId, 'all', readBody, signal);
    return typeof taken === 'number' ? null : (taken[0] ?? null);
  }

  function index(operationId: string, documents: Iterable<string>): Promise<void> {
    return indexDocuments(store, operationFolder(operationId), deps.nameOf, documents);
  }

  /** Stores both results and checks them against each other and the input. */
  async function fileResults(
    input: AwaitAnalysisInput & { ref: JobRef },
  ): Promise<Polled<AnalysisResultRef>> {
    const { operationId, ref } = input;
    const record = await recordOf(analyses, ref);
    return pollUntilSettled(
      async (signal): Promise<Reading<AnalysisResultRef>> => {
        // The service may deliver a reported result late.
        const late = { kind: 'unsettled', value: null, status: 'fetching' } as const;
        if ((await takeIssues(operationId, signal)) !== 'stored') return late;
        const tree = new TreeCheck();
        const all = await takeTree(operationId, tree, signal);
        if (all === null) return late;
        return { kind: 'settled', value: await compared(operationId, record, tree, all) };
      },
      { ...input, what: 'a result', refusalPatienceMs, refusesUnreadable: true },
    );
  }

  async function compared(
    operationId: string,
    { engineId }: AnalysisRecord,
    tree: TreeCheck,
    all: Analysis,
  ): Promise<AnalysisResultRef> {
    const [issuesKey, allKey] = [resultKey(operationId, 'issues'), resultKey(operationId, 'all')];
    const subset = new SubsetCheck(tree);
    const issues = await readIssues(resultCall, readLarge(store, issuesKey), {
      receivable: (receivable) => subset.receivable(receivable),
    });
    const contradictions = [
      ...foreignResult(all, { operationId, engineId }),
      ...tree.contradictions(all),
      ...subset.contradictions(),
      ...differingHeads(issues, all),
    ];
    return { issuesKey, allKey, engineId: all.engineId, summary: all.summary, contradictions };
  }

  /** Stores and audits the outcome. Idempotent: the first stored outcome stays. */
  async function finalizeAnalysis(input: {
    ref: JobRef;
    outcome: Omit<AnalysisOutcome, 'jobId' | 'settledAt'>;
  }): Promise<AnalysisOutcome> {
    const { ref, outcome } = input;
    const settledAt = new Date(now()).toISOString();
    const { jobId } = ref;
    const end = { ...outcome, jobId, settledAt };
    const record = await recordOf(analyses, ref);
    const { result } = end;
    const sha256 =
      result === null ? null : ((await findLarge(store, result.allKey))?.sha256 ?? null);
    const entries = [analysisOutcomeEntry(end, record, sha256)];
    return storeOutcome(deps, 'credit-analysis', analyses, ref, end, entries);
  }

  return { awaitAnalysis, fileResults, finalizeAnalysis };
}

function failed(code: string, message: string): Polled<OperationSeen> {
  return { kind: 'settled', value: { kind: 'failed', statusWord: null, code, message } };
}

/** About the token or the rate: the other read would fail the same way. */
function asksForPatience(error: CallFailure): boolean {
  if (classifyFailure(error) === 'credentials') return true;
  return error instanceof StatusError && (error.status === 429 || error.retryAfterMs !== null);
}
