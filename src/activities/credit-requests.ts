import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { UnsendableUploadError, type Upload, type UploadFile } from '../apis/credit/operations';
import { isHttpError } from '../apis/http/errors';
import { AnalysisFile } from '../archive/analyses';
import { ClaimLedger, analysisThing, type Thing } from '../archive/claim-ledger';
import { findLarge, readLarge } from '../archive/large-objects';
import { analysisRequestEntry } from '../domain/audit-entries';
import { claimState, type Claim, type ClaimOwner, type Decision } from '../domain/claims';
import type {
  AnalysisRecord,
  AnalysisRef,
  ArchivedInput,
  RequestAnswer,
} from '../domain/credit/work';
import type { CreditDependencies } from './dependencies';
import { archiveIncomplete } from './failures';
import { Heartbeats } from './heartbeats';
import { TooLateError, claimMarginMs, closeUnclaimed, nameOf, receiptOf } from './keyless-requests';

export interface AnalysisRun {
  ref: AnalysisRef;
  /** Unique among all runs of requests of the workflow. */
  run: string;
}

/** The upload of a file: a POST without a key, sent at most once per decision (PROTOCOLS 1). */
export function createCreditRequestActivities(deps: CreditDependencies) {
  const { archive, audit, credit, now } = deps;
  const { operations, service } = credit;
  const ledger = new ClaimLedger(archive);
  const analyses = new AnalysisFile(archive);

  async function recordOf({ folder }: AnalysisRef): Promise<AnalysisRecord> {
    const record = await analyses.record(folder);
    if (record === null) throw archiveIncomplete(`${folder}/asked.json`);
    return record;
  }

  async function tellTrail(record: AnalysisRecord, decision: Omit<Decision, 'ruling'>) {
    const { name, workId, createdBy } = record;
    const entry = analysisRequestEntry({ name, ...decision }, { workId, by: createdBy }, now());
    if (entry !== null) await audit.append([entry]);
  }

  /** One attempt: when it is lost, `recoverAnalysis` finds out what became of it. */
  async function requestAnalysis({ ref, run }: AnalysisRun): Promise<RequestAnswer> {
    const heartbeats = new Heartbeats(now, 1_000);
    try {
      const record = await recordOf(ref);
      const owner = ownerOf(run);
      const decided = await decide(record, owner);
      return 'kind' in decided ? decided : await send(record, owner, decided, heartbeats);
    } catch (error) {
      if (error instanceof UnsendableUploadError) {
        return { kind: 'refused', code: error.code, message: error.message, wasSent: false };
      }
      // Before the claim nothing can have left; `send` answers for everything after it.
      deps.warn('an upload could not be prepared', { reason: nameOf(error) });
      return unsent(isHttpError(error) ? 'service' : 'fault', now() + 5_000);
    } finally {
      heartbeats.stop();
    }
  }

  interface Ready {
    n: number;
    afterUnknown: boolean;
  }

  async function decide(record: AnalysisRecord, owner: ClaimOwner): Promise<RequestAnswer | Ready> {
    const thing = analysisThing(record.name);
    const history = await ledger.history(thing);
    // Whatever stands there in this run's name was put by its recovery: somebody else has the work.
    if (history.decided > 0 && (await ledger.decisionOf(thing, owner)) !== null) {
      return unsent('another work', now());
    }
    const state = claimState(history, now());
    switch (state.kind) {
      case 'free':
        return { n: history.decided + 1, afterUnknown: state.afterUnknown };
      case 'in_flight':
        return unsent('another work', state.notAfter + 1);
      case 'unknown':
        return { kind: 'unknown', reason: state.reason };
      case 'accepted': {
        const { certidaoId: operationId, at: acceptedAt, afterUnknown } = state;
        return { kind: 'accepted', operationId, acceptedAt, afterUnknown };
      }
    }
  }

  /** Form, permit of the limiter, claim, dispatch: after the claim nothing else is awaited. */
  async function send(
    record: AnalysisRecord,
    owner: ClaimOwner,
    { n, afterUnknown }: Ready,
    heartbeats: Heartbeats,
  ): Promise<RequestAnswer> {
    const prepared = await operations.prepareUpload(await uploadOf(record));
    const granted = await service.limiter.acquire('request', {
      until: now() + 30_000,
      signal: deps.stopping,
    });
    if (!granted) return unsent('service', now() + service.limiter.expectedWaitMs());
    if (heartbeats.isLate() || deps.stopping.aborted) return unsent('fault', now());
    const thing = analysisThing(record.name);
    const claimedAt = now();
    const notAfter = claimedAt + operations.timeoutMs + claimMarginMs;
    const lastStart = claimedAt + claimMarginMs;
    const nonce = randomUUID();
    const claim: Claim = { owner, kind: 'send', nonce, notAfter, claimedAt, afterUnknown };
    if ((await ledger.claim(thing, n, claim)) === 'taken') {
      return unsent('another work', now() + 250);
    }
    const { receipt, again } = await receiptOf(
      () =>
        operations.startOperation(prepared, () => {
          // A POST that starts now must end before `notAfter`: a frozen process comes back too late.
          if (now() > lastStart) throw new TooLateError();
        }),
      { service, now, answerLost: deps.answerLost },
    );
    await putReceipt(thing, { n, claim, receipt }, record);
    switch (receipt.kind) {
      case 'accepted': {
        const { certidaoId: operationId } = receipt;
        return { kind: 'accepted', operationId, acceptedAt: claimedAt, afterUnknown };
      }
      case 'refused':
        // Its names may be others by now.
        if ([400, 422].includes(receipt.status)) credit.specification.distrust();
        return refused(receipt);
      case 'not_sent':
        return unsent(again.reason === 'credentials' ? 'credentials' : 'service', again.notBefore);
      case 'unknown':
        return { kind: 'unknown', reason: receipt.reason };
    }
  }

  /** The answer is in our hands and goes to the workflow all the same. */
  async function putReceipt(
    thing: Thing,
    decision: Omit<Decision, 'ruling' | 'receipt'> & { receipt: NonNullable<Decision['receipt']> },
    record: AnalysisRecord,
  ): Promise<void> {
    try {
      await ledger.putReceipt(thing, decision.n, decision.receipt);
      await tellTrail(record, decision);
    } catch (error) {
      deps.warn('a receipt could not be filed', { reason: nameOf(error) });
    }
  }

  async function uploadOf({ cnab, xmls, engineId }: AnalysisRecord): Promise<Upload> {
    return {
      cnab: await fileOf(cnab),
      xmls: xmls === null ? null : await fileOf(xmls),
      engineId,
    };
  }

  /** Read through once before anything is claimed: a copy that is spoilt is found while nothing has left. */
  async function fileOf({ name, key, sha256 }: ArchivedInput): Promise<UploadFile> {
    const copy = await findLarge(archive, key);
    if (copy === null || copy.sha256 !== sha256) throw archiveIncomplete(key);
    for await (const _ of readLarge(archive, key));
    return { name, bytes: copy.bytes, read: () => readLarge(archive, key) };
  }

  /**
   * What became of a run whose activity was lost: closes it if it has not claimed, reads its
   * receipt, and calls it unknown once nothing can leave any more.
   */
  async function recoverAnalysis({ ref, run }: AnalysisRun): Promise<RequestAnswer> {
    const heartbeats = new Heartbeats(now);
    const { cancelled } = Context.current();
    try {
      const record = await recordOf(ref);
      const owner = ownerOf(run);
      const thing = analysisThing(record.name);
      await closeUnclaimed(ledger, thing, owner, now);
      for (;;) {
        const decision = await ledger.decisionOf(thing, owner);
        const state = claimState({ last: decision }, now());
        if (decision === null || isClosed(decision)) return unsent('fault', now());
        if (state.kind === 'in_flight') {
          const waitMs = Math.min(1_000, state.notAfter - now() + 50);
          await Promise.race([new Promise((done) => setTimeout(done, waitMs)), cancelled]);
          continue;
        }
        await tellTrail(record, decision);
        if (state.kind === 'unknown') return { kind: 'unknown', reason: state.reason };
        if (state.kind === 'accepted') {
          const { certidaoId: operationId, at: acceptedAt, afterUnknown } = state;
          return { kind: 'accepted', operationId, acceptedAt, afterUnknown };
        }
        const { receipt } = decision;
        return receipt?.kind === 'refused' ? refused(receipt) : unsent('fault', now());
      }
    } finally {
      heartbeats.stop();
    }
  }

  return { requestAnalysis, recoverAnalysis };
}

function ownerOf(run: string): ClaimOwner {
  const workflowId = Context.current().info.workflowExecution?.workflowId ?? '';
  return { workflowId, run };
}

function unsent(
  why: Extract<RequestAnswer, { kind: 'unsent' }>['why'],
  notBefore: number,
): RequestAnswer {
  return { kind: 'unsent', why, notBefore };
}

function refused({ status, code }: { status: number; code: string | null }): RequestAnswer {
  const message = `the service refused the upload: it answered ${status}`;
  return { kind: 'refused', code, message, wasSent: true };
}

function isClosed({ claim }: Decision): boolean {
  return claim !== 'unreadable' && claim.kind === 'closed';
}
