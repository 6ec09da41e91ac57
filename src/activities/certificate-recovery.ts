import { Context } from '@temporalio/activity';
import { ClaimLedger, certificateThing, type Thing } from '../archive/claim-ledger';
import { WorkReader, type WorkItem } from '../archive/works';
import { claimState, type ClaimOwner, type Decision } from '../domain/claims';
import type { SentRequest } from '../domain/audit-entries';
import type { OutcomeRecord } from '../domain/outcomes';
import {
  fileAndCount,
  outcomeName,
  refusedOutcome,
  sentOf,
  unknownOutcome,
} from './certificate-outcomes';
import { ownerOf, unsent } from './certificate-requests';
import {
  rowFlags,
  type RequestInput,
  type RequestRow,
  type RowAnswer,
} from '../domain/certificate-rows';
import type { CertificateDependencies } from './dependencies';
import { Heartbeats } from './heartbeats';
import { closeUnclaimed } from './keyless-requests';

/** What follows a run of requests that was lost, and what looks for late receipts. PROTOCOLS 1. */
export function createCertificateRecoveryActivities(deps: CertificateDependencies) {
  const { archive, idKey, now } = deps;
  const ledger = new ClaimLedger(archive);
  const works = new WorkReader(archive);

  const thingOf = (item: WorkItem): Thing =>
    certificateThing(item.type, idKey.nameOf('document', item.document));
  const sentRequest = (item: WorkItem, decision: Decision): SentRequest =>
    sentOf(item, idKey.nameOf('document', item.document), decision);

  /** What the rows of one activity leave behind. */
  interface Found {
    outcomes: OutcomeRecord[];
    requests: SentRequest[];
  }

  async function putOnFile({ work, name }: RequestInput, found: Found): Promise<void> {
    const by = await works.askedBy(work.folder);
    await fileAndCount(deps, { filedIn: work.filedIn, by, name: outcomeName(name), ...found });
  }

  /**
   * Finds out what became of the rows of a run whose activity was lost: closes those that were
   * not claimed, reads the receipts, and calls the rest unknown once nothing can leave any more.
   */
  async function recoverRequests(input: RequestInput): Promise<RowAnswer[]> {
    const owner = ownerOf(input.run);
    const heartbeats = new Heartbeats(now);
    const { cancelled } = Context.current();
    const pause = (ms: number): Promise<void> =>
      Promise.race([new Promise<void>((done) => setTimeout(done, ms)), cancelled]);
    try {
      const found: Found = { outcomes: [], requests: [] };
      // All doors are shut at once; only then is waited for those who were inside already.
      for (const row of input.rows) await closeRow(row, input, owner);
      const answers: RowAnswer[] = [];
      for (const row of input.rows) answers.push(await recoverRow(row, input, owner, found, pause));
      await putOnFile(input, found);
      return answers;
    } finally {
      heartbeats.stop();
    }
  }

  async function closeRow(row: RequestRow, input: RequestInput, owner: ClaimOwner): Promise<void> {
    const item = await works.item(input.work, row[0]);
    if (item.start?.kind === 'watch') return;
    await closeUnclaimed(ledger, thingOf(item), owner, now);
  }

  async function recoverRow(
    row: RequestRow,
    input: RequestInput,
    owner: ClaimOwner,
    found: Found,
    pause: (ms: number) => Promise<void>,
  ): Promise<RowAnswer> {
    const [place, before] = row;
    const item = await works.item(input.work, place);
    const thing = thingOf(item);
    const attempts = Math.max(
      Math.max(before, item.start?.attempts ?? 0) + 1,
      input.interactive ? 0 : await ledger.sentBy(thing, owner.workflowId),
    );
    for (;;) {
      const decision = item.start?.kind === 'watch' ? null : await ledger.decisionOf(thing, owner);
      if (decision === null || isClosed(decision)) return unsent(row, 'no_time', now());
      const flags =
        decision.claim !== 'unreadable' && decision.claim.afterUnknown
          ? rowFlags.possibleDoubleCharge
          : 0;
      const state = claimState({ last: decision }, now());
      if (state.kind !== 'in_flight') found.requests.push(sentRequest(item, decision));
      switch (state.kind) {
        case 'accepted': {
          const { certidaoId, at } = state;
          return { kind: 'accepted', place, certidaoId, requestedAt: at, attempts, flags };
        }
        case 'free':
          if (decision.receipt?.kind === 'refused') {
            found.outcomes.push(refusedOutcome(item, attempts, decision.receipt, now(), flags));
            return { kind: 'settled', place, status: 'failed', attempts };
          }
          return unsent(row, 'no_time', now());
        case 'unknown':
          found.outcomes.push(
            unknownOutcome(item, attempts, flags, now(), {
              reason: state.reason,
              ...(decision.claim !== 'unreadable' && { requestedAt: decision.claim.claimedAt }),
            }),
          );
          return { kind: 'unknown', place, attempts, own: true };
        case 'in_flight':
          await pause(Math.min(1_000, state.notAfter - now() + 50));
          if (Context.current().cancellationSignal.aborted) await Context.current().cancelled;
      }
    }
  }

  /** Looks once more for receipts that came late, before a lane ends. */
  async function rereadReceipts(input: RequestInput): Promise<RowAnswer[]> {
    const heartbeats = new Heartbeats(now);
    try {
      const answers: RowAnswer[] = [];
      const found: Found = { outcomes: [], requests: [] };
      for (const row of input.rows) answers.push(await rereadRow(row, input, found));
      await putOnFile(input, found);
      return answers;
    } finally {
      heartbeats.stop();
    }
  }

  async function rereadRow(row: RequestRow, input: RequestInput, found: Found): Promise<RowAnswer> {
    const [place, attempts] = row;
    const item = await works.item(input.work, place);
    const history = await ledger.history(thingOf(item));
    const state = claimState(history, now());
    const { workflowId } = ownerOf('');
    const claim = history.last?.claim;
    const ours =
      claim !== undefined && claim !== 'unreadable' && claim.owner.workflowId === workflowId;
    if (ours && history.last !== null && history.last.receipt !== null) {
      found.requests.push(sentRequest(item, history.last));
    }
    if (state.kind === 'accepted') {
      const { certidaoId } = state;
      const flags =
        (state.afterUnknown ? rowFlags.possibleDoubleCharge : 0) | (ours ? 0 : rowFlags.shared);
      return { kind: 'accepted', place, certidaoId, requestedAt: now(), attempts, flags };
    }
    const receipt = history.last?.receipt;
    if (ours && receipt?.kind === 'not_sent') return unsent(row, 'no_time', now());
    if (ours && receipt?.kind === 'refused') {
      const flags = claim.afterUnknown ? rowFlags.possibleDoubleCharge : 0;
      found.outcomes.push(refusedOutcome(item, attempts, receipt, now(), flags));
      return { kind: 'settled', place, status: 'failed', attempts };
    }
    return { kind: 'unknown', place, attempts, own: ours };
  }

  return { recoverRequests, rereadReceipts };
}

function isClosed({ claim }: Decision): boolean {
  return claim !== 'unreadable' && claim.kind === 'closed';
}
