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
import { storeAndCount } from './outcomes';
import type { CertificateDependencies } from '../dependencies';
import { storeIncomplete } from '../core/failures';
import { Heartbeats } from '../core/heartbeats';

/** Resolutions of rows: stored first, then carried out by lanes. Decision record 001. */
export function createCertificateDecisionActivities(deps: CertificateDependencies) {
  const { store, idKey, now, certificateJobs } = deps;
  const { attempts: attemptRepository, facts } = store;

  /**
   * Resolves the attempts as decided and lists the rows to request.
   *
   * @returns the list for the lanes; idempotent
   */
  async function carryOutDecision(input: {
    /** Folder of the job. */
    folder: string;
    number: number;
  }): Promise<RowListRef> {
    const heartbeats = new Heartbeats(now);
    try {
      const folder = decisionFolder(input.folder, input.number);
      const decision = await decisionOf(store, input.folder, input.number);
      if (decision === null) throw storeIncomplete('the input of the job');
      // One list per attempt: an earlier attempt may have left one half written.
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
      await storeAndCount(deps, { outcomesIn: input.folder, by, name, outcomes: closed });
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
        // A resolution frees a row, but only a receipt proves that nothing was sent.
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
   * Whether the resolution applies: to an unknown outcome that the person saw, or to an issuance that
   * was given up. A request in flight is awaited; a late receipt of an unknown row is used instead, and
   * so is a reissued issuance that was not finalized.
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
    errorMessage: 'the request never left, as a late receipt shows: it may be requested again',
    retryable: true,
    note: '',
    possibleDoubleCharge: false,
  };
}
