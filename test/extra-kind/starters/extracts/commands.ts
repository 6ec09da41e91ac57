import { Command } from 'commander';
import { z } from 'zod';
import { readDocument } from '../../domain/core/documents/read-document';
import type { ExtractOutcome, ExtractRecord } from '../../domain/extracts/extract';
import { onlyCell, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { withStart } from '../cli/start-flags';
import { ofFile, type BatchRequest } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { inputTerms, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type StartPlan } from '../jobs/begin/start-job';
import { startable, startableBatch } from '../jobs/begin/startable';
import { nameOf, newest, putExtract } from './put';
import { extractBatchKind, extractKind } from './kind';

const request = z.strictObject({
  document: z.string().describe('a CNPJ or CPF'),
  ...startTerms('1h'),
});
const batchRequest = z.strictObject({ ...inputTerms('documents', 5), ...startTerms('1h') });

export function extractCommand(): Command {
  const one = startable(extractKind, request, planExtract);
  const many = startableBatch(extractBatchKind, batchRequest, batchOf);
  return new Command('extract')
    .description('Registry extracts.')
    .addCommand(withStart(new Command('request'), { one, many }));
}

async function planExtract(
  ctx: CommandContext,
  { deadline: deadlineMs, document, label, maxAge, rerun }: z.output<typeof request>,
): Promise<StartPlan<ExtractRecord, ExtractOutcome>> {
  const reading = readDocument(document, { serves: ['cpf', 'cnpj'] });
  if (reading.kind !== 'document')
    throw new UsageError([
      '--document: expected a CNPJ or CPF',
      '--document: espera-se um CNPJ ou CPF',
    ]);
  const existing = await newest(ctx, reading.document);
  return {
    existing,
    isAnswer: existing?.status === 'completed' && isWithin(maxAge, existing) && rerun !== true,
    record: async () => {
      const order = rerun === true ? (existing?.id ?? null) : null;
      const name = nameOf(ctx, reading.document, order);
      const terms = { name, label: label ?? null, deadlineMs };
      const { jobId, createdAt } = await putExtract(ctx, reading.document, terms);
      await auditStart(ctx, jobId, { items: 1 }, Date.parse(createdAt));
      return jobId;
    },
    run: deadlineMs,
  };
}

function batchOf(ctx: CommandContext, file: z.output<typeof batchRequest>): BatchRequest {
  return {
    kind: 'extract-batch',
    ...ofFile(file, 'documents', readRow),
    terms: [],
    existing: async (document) => {
      const found = await newest(ctx, document);
      const isOver = found !== null && found.status !== null && found.status !== 'completed';
      return found === null || isOver
        ? null
        : { jobId: found.id, ended: found.status !== null, terms: {} };
    },
    put: async (document, order) => {
      const terms = { name: nameOf(ctx, document, order), label: null };
      return { jobId: (await putExtract(ctx, document, terms)).jobId, terms: {} };
    },
  };
}

function readRow({ documents }: FilledRow): RowReading<string> {
  const cell = onlyCell(documents);
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'extract', ...cell };
  const reading = readDocument(cell?.text ?? '', { serves: ['cpf', 'cnpj'] });
  return reading.kind === 'document'
    ? { kind: 'item', type: 'extract', document: reading.document, note: reading.note }
    : { ...reading, type: 'extract' };
}
