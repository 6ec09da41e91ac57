import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ClaimLedger, certificateThing, type Thing } from '../archive/claim-ledger';
import { WorkReader, fileOutcomes, type WorkItem } from '../archive/works';
import { claimState, isSameOwner, type Claim, type ClaimOwner } from '../domain/claims';
import type { OutcomeRecord } from '../domain/outcomes';
import { refusedOutcome, unknownOutcome } from './certificate-outcomes';
import { ownerOf, unsent } from './certificate-requests';
import {
  rowFlags,
  type RequestInput,
  type RequestRow,
  type RowAnswer,
} from '../domain/certificate-rows';
import type { CertificateDependencies } from './dependencies';
import { Heartbeats } from './heartbeats';

/** What follows a run of requests that was lost, and what looks for late receipts. PROTOCOLS 1. */
export function createCertificateRecoveryActivities(deps: CertificateDependencies) {
  const { archive, idKey, now } = deps;
  const ledger = new ClaimLedger(archive);
  const works = new WorkReader(archive);

  const thingOf = (item: WorkItem): Thing =>
    certificateThing(item.type, idKey.nameOf('document', item.document));

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
      const filed: OutcomeRecord[] = [];
      // All doors are shut at once; only then is waited for those who were inside already.
      for (const row of input.rows) await closeUnclaimed(row, input, owner);
      const answers: RowAnswer[] = [];
      for (const row of input.rows) answers.push(await recoverRow(row, input, owner, filed, pause));
      const name = `${input.name}/${input.run}-recovered-${Context.current().info.attempt}`;
      await fileOutcomes(archive, input.work.filedIn, name, filed);
      return answers;
    } finally {
      heartbeats.stop();
    }
  }

  async function closeUnclaimed(
    row: RequestRow,
    input: RequestInput,
    owner: ClaimOwner,
  ): Promise<void> {
    const item = await works.item(input.work, row[0]);
    if (item.start?.kind === 'watch') return;
    const thing = thingOf(item);
    for (;;) {
      const last = await ledger.lastDecision(thing);
      if (isOwn(last?.claim, owner)) return;
      if (await ledger.isClosedFor(thing, last, owner)) return;
      const state = claimState(last, now());
      // Where no decision can be taken now, this run can take none either.
      if (state.kind === 'in_flight') return;
      const closed = {
        owner,
        kind: 'closed',
        nonce: randomUUID(),
        notAfter: now(),
        claimedAt: now(),
        afterUnknown: state.kind === 'free' && state.afterUnknown,
      } as const;
      if (state.kind !== 'free') return;
      if ((await ledger.claim(thing, state.next, closed)) === 'ours') return;
    }
  }

  async function recoverRow(
    row: RequestRow,
    input: RequestInput,
    owner: ClaimOwner,
    filed: OutcomeRecord[],
    pause: (ms: number) => Promise<void>,
  ): Promise<RowAnswer> {
    const [place, before] = row;
    const item = await works.item(input.work, place);
    const attempts = Math.max(before, item.start?.attempts ?? 0) + 1;
    const thing = thingOf(item);
    for (;;) {
      const decision = item.start?.kind === 'watch' ? null : await ledger.lastDecision(thing);
      if (decision === null || !isOwn(decision.claim, owner)) {
        return unsent(row, 'no_time', now());
      }
      const flags =
        decision.claim !== 'unreadable' && decision.claim.afterUnknown
          ? rowFlags.possibleDoubleCharge
          : 0;
      const state = claimState(decision, now());
      switch (state.kind) {
        case 'accepted': {
          const { certidaoId, at } = state;
          return { kind: 'accepted', place, certidaoId, requestedAt: at, attempts, flags };
        }
        case 'free':
          if (decision.receipt?.kind === 'refused') {
            filed.push(refusedOutcome(item, attempts, decision.receipt, now(), flags));
            return { kind: 'settled', place, status: 'failed', attempts };
          }
          return unsent(row, 'no_time', now());
        case 'unknown':
          filed.push(unknownOutcome(item, attempts, null, owner, now(), state.reason));
          return { kind: 'unknown', place, attempts };
        case 'in_flight':
          await pause(Math.min(1_000, state.notAfter - now() + 50));
          if (Context.current().cancellationSignal.aborted) await Context.current().cancelled;
      }
    }
  }

  /** Looks once more for receipts that came late, before a lane ends. Files nothing new. */
  async function rereadReceipts(input: RequestInput): Promise<RowAnswer[]> {
    const answers: RowAnswer[] = [];
    for (const row of input.rows) {
      const [place, attempts] = row;
      const item = await works.item(input.work, place);
      const last = await ledger.lastDecision(thingOf(item));
      const state = claimState(last, now());
      const { workflowId } = ownerOf('');
      const ours = state.kind !== 'free' && state.owner?.workflowId === workflowId;
      if (state.kind === 'accepted') {
        const { certidaoId, at } = state;
        const flags =
          (state.afterUnknown ? rowFlags.possibleDoubleCharge : 0) | (ours ? 0 : rowFlags.shared);
        answers.push({ kind: 'accepted', place, certidaoId, requestedAt: at, attempts, flags });
      } else if (last?.receipt?.kind === 'not_sent' && isOwnWorkflow(last.claim, workflowId)) {
        answers.push(unsent(row, 'no_time', now()));
      } else {
        answers.push({ kind: 'unknown', place, attempts });
      }
    }
    return answers;
  }

  return { recoverRequests, rereadReceipts };
}

type ClaimFound = Claim | 'unreadable' | undefined;

function isOwn(claim: ClaimFound, owner: ClaimOwner): boolean {
  return claim !== undefined && claim !== 'unreadable' && isSameOwner(claim.owner, owner);
}

function isOwnWorkflow(claim: ClaimFound, workflowId: string): boolean {
  return claim !== undefined && claim !== 'unreadable' && claim.owner.workflowId === workflowId;
}
