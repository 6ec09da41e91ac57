import { isFinalSearch } from '../../domain/traces/search';
import { readTarget } from '../../domain/traces/target';
import type { TraceStrategy } from '../../domain/traces/trace';
import { onlyCell, planItems, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { readSheet } from '../../sheets/read/read-rows';
import { ofFile, type BatchRequest, type InputFile } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { newestTrace, TraceRepository } from '../../store/traces/traces';

/** A search for each different target of a sheet. */
export function traceBatch(
  ctx: CommandContext,
  request: InputFile & { strategy: TraceStrategy | null },
): BatchRequest {
  const { choice, path, strategy } = request;
  return {
    kind: 'trace-batch',
    ...ofFile(request),
    terms: [strategy],
    requestsPerRow: 1,
    rows: (notices) =>
      planItems(readSheet(path, { ...choice, holds: 'targets', ...notices }), readRow),
    existing: async (target) => {
      const found = await newestTrace(ctx, { target, strategy });
      if (found === null || (found.outcome !== null && !isFinalSearch(found.outcome))) return null;
      return { jobId: found.id, ended: found.outcome !== null, terms: {} };
    },
    put: async (target, again) => {
      const search = { target, strategy };
      const before = again === null ? await newestTrace(ctx, search) : null;
      const terms = { label: null, before, rerun: again };
      const { jobId } = await new TraceRepository(ctx.store).put(ctx, search, terms);
      return { jobId, terms: {} };
    },
  };
}

function readRow({ documents }: FilledRow): RowReading<string> {
  const cell = onlyCell(documents, 'a target');
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'trace', ...cell };
  const reading = readTarget(cell?.text ?? '');
  if (reading.kind === 'invalid') return { ...reading, type: 'trace' };
  return { kind: 'item', type: 'trace', document: reading.target, note: reading.note };
}
