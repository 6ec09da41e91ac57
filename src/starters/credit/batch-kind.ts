import { analysisSubject, subjectState } from '../../domain/core/service/attempts';
import { analysisFolder, type AnalysisOutcome } from '../../domain/credit/job';
import { AnalysisRepository } from '../../store/credit/analyses';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { noCharges } from '../jobs/batches/rules';
import { analysisKind, writeOutcome } from './kind';

export const analysisBatchKind = jobBatchKind({
  kind: 'credit-batch',
  service: 'credit',
  noun: ['analyses', 'análises'],
  unstarted: 'lost',
  columns: ['operation_id', 'titulos', 'blocked', 'alerted', 'possible_double_charge'],
  chargeColumns: [],
  charges: noCharges,
  child: analysisKind,
  ending: async (ctx, jobId) => {
    const [, name = ''] = jobId.split('/');
    const found = await new AnalysisRepository(ctx.store).lastEnded(name, analysisFolder(jobId));
    if (found === null || found.outcome === null) return null;
    const { outcome, record } = found;
    const { status, settledAt } = outcome;
    return {
      jobId: record.jobId,
      status,
      cells: cellsOf(outcome),
      error: errorOf(outcome),
      settledAt,
      billing: [],
      isErased: outcome.erased === true,
      answer: async () => null,
      exportTo: (folder, { lang }) => writeOutcome(ctx, record, outcome, { folder, lang }),
    };
  },
  hasStarted: async ({ store }, jobId) => {
    const record = await new AnalysisRepository(store).record(analysisFolder(jobId));
    if (record == null || record.fence === null) return false;
    const attempts = await store.attempts.of(analysisSubject(record.fence));
    return subjectState(attempts, Date.now()).kind !== 'free';
  },
});

function cellsOf({ operationId, possibleDoubleCharge, result }: AnalysisOutcome) {
  return {
    operation_id: operationId,
    titulos: result?.summary.receivables ?? null,
    blocked: result?.summary.blocked ?? null,
    alerted: result?.summary.alerted ?? null,
    possible_double_charge: possibleDoubleCharge,
  };
}

/** Contradictions of a result are shown in the error column. */
function errorOf({ error, result }: AnalysisOutcome): AnalysisOutcome['error'] {
  if (error !== null || result === null || result.contradictions.length === 0) return error;
  return { code: 'contradiction', message: result.contradictions.join('; ') };
}
