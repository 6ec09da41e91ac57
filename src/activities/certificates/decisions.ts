import { decisionOf } from '../../store/core/jobs/inbox';
import { Context } from '@temporalio/activity';
import { isPermanent } from '../../apis/http/classify';
import {
  certificateSubject,
  latestAttempt,
  subjectState,
  type Resolution,
  type SubjectState,
} from '../../domain/core/service/attempts';
import {
  mergeOutcomes,
  nothingReported,
  type OutcomeRecord,
} from '../../domain/certificates/outcomes';
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
        const start = await rule(decision, row, item, { folder: input.folder, closed });
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
    { folder, closed }: { folder: string; closed: OutcomeRecord[] },
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
        if (await isUnknownToService(decision.externalId ?? '')) {
          closed.push(await refusedAdoption(decision, row, folder));
          return null;
        }
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

  /** A mistyped id: polling it would keep the row, and other resolutions, waiting for minutes. */
  async function isUnknownToService(certidaoId: string): Promise<boolean> {
    try {
      await deps.certificates.readCertificate(certidaoId, 'interactive');
      return false;
    } catch (error) {
      return isPermanent(error);
    }
  }

  /** The row stays what it was: a person decides again. */
  async function refusedAdoption(
    { by, externalId }: DecisionRecord,
    row: DecidedRow,
    folder: string,
  ): Promise<OutcomeRecord> {
    const stored = (await store.outcomes.ofLines(folder, row.line, row.line)).get(row.item);
    const merged = mergeOutcomes(stored ?? []);
    const { issuances: _, ...before } = merged ?? { ...decidedOutcome(row, now()), issuances: [] };
    const refused = `adopt by ${by} refused: the service does not know ${externalId}`;
    const notes = [before.note, refused].filter((note) => note !== '');
    return { ...before, settledAt: new Date(now()).toISOString(), note: notes.join('; ') };
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

/** An outcome of a row that only the decision changes. */
function decidedOutcome(
  { attempts, certidaoId, item, status }: DecidedRow,
  at: number,
): OutcomeRecord {
  return {
    ...nothingReported,
    item,
    status,
    certidaoId,
    attempts,
    requestedAt: null,
    settledAt: new Date(at).toISOString(),
    note: '',
    possibleDoubleCharge: false,
  };
}

function closedOutcome(decision: DecisionRecord, row: DecidedRow, at: number): OutcomeRecord {
  return {
    ...decidedOutcome(row, at),
    status: 'cancelled',
    errorCode: row.status,
    errorCategory: 'abandoned',
    note: `abandoned by ${decision.by}: ${decision.note}`,
  };
}

function neverSentOutcome(row: DecidedRow, at: number): OutcomeRecord {
  return {
    ...decidedOutcome(row, at),
    status: 'failed',
    certidaoId: null,
    errorCode: 'not_sent',
    errorCategory: 'unknown',
    errorMessage: 'the request never left, as a late receipt shows: it may be requested again',
    retryable: true,
  };
}
