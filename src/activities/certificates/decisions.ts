import { decisionOf } from '../../store/core/jobs/inbox';
import { Context } from '@temporalio/activity';
import {
  certificateSubject,
  latestAttempt,
  subjectState,
  type Resolution,
  type SubjectState,
} from '../../domain/core/service/attempts';
import { nothingReported, type OutcomeRecord } from '../../domain/certificates/outcomes';
import type { ItemStart, CertificateItem, RowListRef } from '../../domain/certificates/job';
import type { DecidedRow, DecisionRecord } from '../../domain/core/decision';
import { decisionFolder } from '../../domain/core/decision';
import { fileAndCount } from './outcomes';
import type { CertificateDependencies } from '../dependencies';
import { storeIncomplete } from '../core/failures';
import { Heartbeats } from '../core/heartbeats';

/** A person's decisions about rows: put on record first, then carried out by lanes. Decision record 001. */
export function createCertificateDecisionActivities(deps: CertificateDependencies) {
  const { store, idKey, now, certificateJobs } = deps;
  const { attempts: attemptRepository, facts } = store;

  /**
   * Resolves the attempts as decided and lists what is left to do.
   *
   * @returns the list for the lanes; repeated, it resolves nothing twice and lists the same
   */
  async function carryOutDecision(input: {
    /** Folder of the work decided on. */
    folder: string;
    number: number;
  }): Promise<RowListRef> {
    const heartbeats = new Heartbeats(now);
    try {
      const folder = decisionFolder(input.folder, input.number);
      const decision = await decisionOf(store, input.folder, input.number);
      if (decision === null) throw storeIncomplete('what the job was asked for');
      // A list of this attempt: an earlier one may have been broken off half written.
      const list = `${folder}/list-${Context.current().info.attempt}`;
      const writer = store.rows.writer(list);
      const closed: OutcomeRecord[] = [];
      const rows = new Map(decision.rows.map((row) => [row.item, row]));
      for await (const item of certificateJobs.items(input.folder)) {
        const row = rows.get(item.item);
        if (row === undefined || item.erased === true) continue;
        const start = await rule(decision, row, item, closed);
        if (start !== null) await writer.add({ ...item, start });
      }
      const name = `decision-${input.number}/ruled-${Context.current().info.attempt}`;
      const { by } = decision;
      await fileAndCount(deps, { outcomesIn: input.folder, by, name, outcomes: closed });
      return { folder: list, items: await writer.end(), outcomesIn: input.folder };
    } finally {
      heartbeats.stop();
    }
  }

  async function rule(
    decision: DecisionRecord,
    row: DecidedRow,
    item: CertificateItem,
    closed: OutcomeRecord[],
  ): Promise<ItemStart | null> {
    const subject = certificateSubject(item.type, idKey.nameOf('document', item.document));
    const history = await attemptRepository.of(subject);
    const state = subjectState(history, now());
    const { attempts } = row;
    const put = async (action: Resolution['action'], n: number): Promise<void> => {
      const { by, note, externalId } = decision;
      // The instant of the decision, not of this try: a repeated try is the same resolution.
      const at = Date.parse(decision.at);
      await attemptRepository.resolve(subject, n, { action, externalId, by, note, at });
    };
    switch (decision.action) {
      case 'reissue':
        if (state.kind !== 'free' && (await isOpen(state, row))) await put('reissue', state.n);
        return { kind: 'buy', certidaoId: null, attempts };
      case 'abandon':
        if (state.kind === 'unknown') await put('abandon', state.n);
        closed.push(closedOutcome(decision, row, now()));
        return null;
      case 'adopt':
        if (state.kind === 'unknown') await put('adopt', state.n);
        return { kind: 'watch', certidaoId: decision.externalId, attempts };
      case 'watch': {
        const certidaoId = state.kind === 'accepted' ? state.externalId : row.certidaoId;
        if (certidaoId !== null) return { kind: 'watch', certidaoId, attempts };
        // Free by a resolution is not free by a receipt: only the latter proves that nothing left.
        const last = latestAttempt(history);
        if (last?.receipt?.kind === 'not_sent' && last.resolution === null) {
          closed.push(neverSentOutcome(row, now()));
        }
        return null;
      }
      case 'accept':
      case 'retry':
      case 'acknowledge':
        return null;
    }
  }

  /**
   * Whether a resolution is needed, and is what the person meant: an unknown that they saw, or an
   * issuance that was given up. What is being sent right now is waited for, never overruled; a
   * receipt that came late for an unknown row is taken up instead, and so is an issuance that a
   * decision asked for whose results were never put together.
   */
  async function isOpen(state: SubjectState, row: DecidedRow): Promise<boolean> {
    if (state.kind === 'unknown') return row.status === 'unknown_outcome';
    if (state.kind !== 'accepted' || row.status === 'unknown_outcome') return false;
    if (state.externalId !== row.certidaoId) return false;
    return (await facts.of(state.externalId)) === null;
  }

  return { carryOutDecision };
}

function closedOutcome(decision: DecisionRecord, row: DecidedRow, at: number): OutcomeRecord {
  return {
    ...nothingReported,
    item: row.item,
    status: 'cancelled',
    certidaoId: row.certidaoId,
    attempts: row.attempts,
    requestedAt: null,
    settledAt: new Date(at).toISOString(),
    errorCode: row.status,
    errorCategory: 'abandoned',
    note: `abandoned by ${decision.by}: ${decision.note}`,
    possibleDoubleCharge: false,
  };
}

function neverSentOutcome(row: DecidedRow, at: number): OutcomeRecord {
  return {
    ...nothingReported,
    item: row.item,
    status: 'failed',
    certidaoId: null,
    attempts: row.attempts,
    requestedAt: null,
    settledAt: new Date(at).toISOString(),
    errorCode: 'not_sent',
    errorCategory: 'unknown',
    errorMessage: 'the request never left, as a late receipt shows: it may be asked for again',
    retryable: true,
    note: '',
    possibleDoubleCharge: false,
  };
}
