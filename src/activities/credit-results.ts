import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { readAnalysis } from '../apis/credit/result.wire';
import { StatusError, isHttpError } from '../apis/http/errors';
import { TokenUnavailableError } from '../apis/http/token';
import { AnalysisFile, operationFolder, resultKey } from '../archive/analyses';
import { DocumentIndexWriter } from '../archive/document-index';
import { clearAttempts, findLarge, putLarge, readLarge } from '../archive/large-objects';
import { analysisOutcomeEntry } from '../domain/audit-entries';
import { resultFilters, type ResultFilter } from '../domain/credit/operation';
import { SubsetCheck, TreeCheck, differingHeads, foreignResult } from '../domain/credit/tree-check';
import type {
  AnalysisOutcome,
  AnalysisRef,
  AnalysisResultRef,
  WaitAnswer,
} from '../domain/credit/work';
import { nextPollMs, type PollPace } from '../domain/poll-timing';
import type { CreditDependencies } from './dependencies';
import { archiveIncomplete, notSettledYet } from './failures';
import { Heartbeats } from './heartbeats';
import { nameOf } from './keyless-requests';

/** The service names no interval, and takes minutes. */
const pace: PollPace = { firstMs: 1_000, growth: 0.2, minMs: 1_000, maxMs: 60_000, jitter: 0.1 };
/** A wait up to this long is held by the activity, a longer one by the server (DESIGN D2). */
const holdMs = 10_000;
/** With less time left than this the activity holds to the end, and looks once more. */
const lastHoldMs = 12_000;
/** After this long a read that is refused for good (403, 410...) ends the wait. */
const patienceWithRefusalsMs = 10 * 60_000;

/** How a result is called where it is told that it cannot be read. */
const resultCall = { method: 'GET', pathTemplate: '/v1/operations/{id}/result' } as const;

export interface WaitInput {
  operationId: string;
  /** Epoch milliseconds. */
  acceptedAt: number;
  deadlineAt: number;
}

type Reading = WaitAnswer | { kind: 'unsettled'; statusWord: string | null; waitMs: number };

/** What follows an accepted upload: wait, fetch, file. Reading does no harm, so all of it goes again. */
export function createCreditResultActivities(deps: CreditDependencies) {
  const { archive, audit, credit, metrics, now, random } = deps;
  const { operations } = credit;
  const analyses = new AnalysisFile(archive);
  const warnedWords = new Set<string>();

  /** Waits for the result of issues alone, and files it: the service says in no other way "done". */
  async function awaitAnalysis(input: WaitInput): Promise<WaitAnswer> {
    const { cancellationSignal } = Context.current();
    const heartbeats = new Heartbeats(now, 1_000);
    try {
      for (;;) {
        const reading = await read(input);
        if (reading.kind !== 'unsettled') return reading;
        const leftMs = input.deadlineAt - now();
        if (leftMs <= 0) return { kind: 'expired', statusWord: reading.statusWord };
        const waitMs = Math.min(reading.waitMs, leftMs);
        if (deps.stopping.aborted) throw notSettledYet(1_000);
        if (waitMs > holdMs && leftMs > lastHoldMs) {
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
    const ageMs = now() - acceptedAt;
    const waitMs = nextPollMs(ageMs, random(), pace);
    let statusWord: string | null = null;
    try {
      const { operation } = await operations.readOperation(operationId, 'poll');
      statusWord = operation.statusWord;
      if (operation.isUnknownWord) warnOnce(statusWord);
      if (operation.state === 'failed') {
        const { code = null, message = null } = operation.failure ?? {};
        return { kind: 'failed', statusWord, code, message: message ?? 'the operation failed' };
      }
      const isFiled = (await take(operationId, 'issues')) === 'filed';
      return isFiled ? { kind: 'ready', statusWord } : { kind: 'unsettled', statusWord, waitMs };
    } catch (error) {
      if (!isHttpError(error) && !(error instanceof TokenUnavailableError)) throw error;
      deps.warn('an operation could not be read', { reason: nameOf(error) });
      if (isForGood(error) && ageMs > patienceWithRefusalsMs) {
        return { kind: 'failed', statusWord, code: 'unreadable', message: error.message };
      }
      const asked = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
      return { kind: 'unsettled', statusWord, waitMs: Math.max(waitMs, asked) };
    }
  }

  /** Files a result, if it is there and can be read to its end. */
  async function take(operationId: string, filter: ResultFilter): Promise<'filed' | 'not yet'> {
    const key = resultKey(operationId, filter);
    if ((await findLarge(archive, key)) !== null) return 'filed';
    const answer = await operations.takeResult(
      operationId,
      filter,
      (body) =>
        putLarge(archive, key, body, {
          check: (bytes) => readAnalysis(resultCall, indexOf(operationId).indexed(bytes)),
        }),
      'poll',
      Context.current().cancellationSignal,
    );
    return 'taken' in answer ? 'filed' : 'not yet';
  }

  /** On its own for each try: what another one has read may be another text. */
  function indexOf(operationId: string): DocumentIndexWriter {
    const folder = `${operationFolder(operationId)}/${randomUUID().slice(0, 8)}`;
    return new DocumentIndexWriter(archive, folder, deps.nameOf);
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
      if (record === null) throw archiveIncomplete(`${input.ref.folder}/asked.json`);
      for (const filter of ['issues', 'all'] as const) {
        // Told to be there, and not there yet: a service may be late with it.
        if ((await take(operationId, filter)) === 'not yet') throw notSettledYet(5_000);
      }
      const [issuesKey, allKey] = [resultKey(operationId, 'issues'), resultKey(operationId, 'all')];
      const tree = new TreeCheck();
      const all = await readAnalysis(resultCall, readLarge(archive, allKey), {
        receivable: (receivable) => tree.receivable(receivable),
        payer: (payer) => tree.payer(payer),
      });
      const subset = new SubsetCheck(tree);
      const issues = await readAnalysis(resultCall, readLarge(archive, issuesKey), {
        receivable: (receivable) => subset.receivable(receivable),
      });
      const contradictions = [
        ...foreignResult(all, { operationId, engineId: record.engineId }),
        ...tree.contradictions(all),
        ...subset.contradictions(),
        ...differingHeads(issues, all),
      ];
      return { issuesKey, allKey, engineId: all.engineId, summary: all.summary, contradictions };
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
    await clearDownloads(outcome.operationId);
    const filed = await analyses.putOutcome(ref.folder, { ...outcome, workId, settledAt });
    if (filed.settledAt === settledAt) metrics.analysisEnded(filed.status);
    const by = (await analyses.record(ref.folder))?.createdBy ?? 'unknown';
    const { result } = filed;
    const sha256 =
      result === null ? null : ((await findLarge(archive, result.allKey))?.sha256 ?? null);
    await audit.append([analysisOutcomeEntry(filed, { by, sha256 })]);
    return filed;
  }

  /** What downloads left that were cut short: nobody goes on with them. */
  async function clearDownloads(operationId: string | null): Promise<void> {
    if (operationId === null) return;
    for (const filter of resultFilters)
      await clearAttempts(archive, resultKey(operationId, filter));
  }

  return { awaitAnalysis, fileResults, concludeAnalysis };
}

/** A 4xx that is neither about credentials nor about haste. */
function isForGood(error: Error): boolean {
  if (!(error instanceof StatusError) || error.meansCredentials) return false;
  return error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
  });
}
