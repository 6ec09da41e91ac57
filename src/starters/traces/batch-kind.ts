import { subjectState, traceSubject } from '../../domain/core/service/attempts';
import { traceFolder, type TraceOutcome } from '../../domain/traces/search';
import { TraceRepository } from '../../store/traces/traces';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { billedCharges, type ChildEnd } from '../jobs/batches/rules';
import { traceKind } from './kind';

export const traceBatchKind = jobBatchKind({
  kind: 'trace-batch',
  service: 'investigation',
  noun: ['searches', 'buscas'],
  unstarted: 'lost',
  columns: [
    'trace_id',
    'type',
    'partial',
    'sources',
    'billing_status',
    'billing_amount',
    'sha256',
    'billing_unit',
  ],
  chargeColumns: ['billing_status', 'billing_amount', 'billing_unit'],
  charges: billedCharges,
  child: traceKind,
  ending: async ({ store }, jobId) => {
    const file = new TraceRepository(store);
    const folder = traceFolder(jobId);
    const outcome = await file.outcome(folder);
    return outcome && { jobId, ...endOf(outcome), answer: () => file.answer(folder) };
  },
  hasStarted: async ({ store }, jobId) => {
    const record = await new TraceRepository(store).record(traceFolder(jobId));
    if (record === null) return false;
    const attempts = await store.attempts.of(traceSubject(record.name));
    return subjectState(attempts, Date.now()).kind !== 'free';
  },
});

function endOf({
  status,
  seen,
  traceId,
  error,
  settledAt,
  erased,
}: TraceOutcome): Omit<ChildEnd, 'jobId' | 'answer'> {
  const sources = Object.entries(seen?.sources ?? {}).map(([name, word]) => `${name}: ${word}`);
  const cells = {
    trace_id: traceId,
    type: seen?.type ?? null,
    partial: seen?.partial ?? null,
    sources: sources.length === 0 ? null : sources.join(' | '),
    billing_status: seen?.billing?.status ?? null,
    billing_amount: seen?.billing?.amount ?? null,
    billing_unit: seen?.billing?.unit ?? null,
    sha256: seen?.sha256 ?? null,
  };
  const isErased = erased === true;
  return { status, cells, error, settledAt, billing: [seen?.billing ?? null], isErased };
}
