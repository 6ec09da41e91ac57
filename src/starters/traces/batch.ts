import { subjectState, traceSubject } from '../../domain/core/attempts';
import { standsForGood, traceFolder, type TraceOutcome } from '../../domain/traces/search';
import { readTarget } from '../../domain/traces/target';
import type { TraceStrategy } from '../../domain/traces/trace';
import { onlyCell, planThings, type FilledRow, type RowReading } from '../../sheets/plan-rows';
import { readSheet, type InputChoice } from '../../sheets/read-rows';
import { TraceRepository } from '../../store/traces/traces';
import { inputNameOf, type BatchRequest } from '../jobs/batch';
import { billedCharges, type BatchKind, type ChildEnd } from '../jobs/batch-kind';
import type { CommandContext } from '../jobs/context';
import { newestTrace, putTrace } from './asks';

/** A search for each different target of a sheet. */
export function traceBatch(
  ctx: CommandContext,
  asked: {
    input: string;
    path: string;
    choice: InputChoice;
    strategy: TraceStrategy | null;
    label: string | null;
    rerun: boolean;
  },
): BatchRequest {
  const { choice, input, label, path, rerun, strategy } = asked;
  return {
    kind: 'trace-batch',
    label,
    rerun,
    terms: [strategy],
    inputName: inputNameOf(input),
    inputPath: path,
    rows: () => planThings(readSheet(path, { ...choice, holds: 'targets' }), readRow),
    standing: async (target) => {
      const found = await newestTrace(ctx, { target, strategy });
      if (found === null || (found.outcome !== null && !standsForGood(found.outcome))) return null;
      return { jobId: found.id, ended: found.outcome !== null, terms: {} };
    },
    put: async (target, again) => {
      const ask = { target, strategy };
      const before = again === null ? await newestTrace(ctx, ask) : null;
      const { workId: jobId } = await putTrace(ctx, ask, { label: null, before, rerun: again });
      return { jobId, terms: {} };
    },
  };
}

function readRow({ documents }: FilledRow): RowReading<string> {
  const cell = onlyCell(documents, 'a target');
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'trace', ...cell };
  const reading = readTarget(cell?.text ?? '');
  if (reading.kind === 'invalid') return { ...reading, type: 'trace' };
  return { kind: 'thing', type: 'trace', document: reading.target, note: reading.note };
}

export const traceBatches: BatchKind = {
  kind: 'trace-batch',
  service: 'investigation',
  noun: ['search', 'searches'],
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
};

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
