import { Command } from 'commander';
import { readDocument } from '../../domain/core/documents/read-document';
import type { JobWorkflowInput } from '../../workflows/inputs';
import { onlyCell, planItems, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { readSheet } from '../../sheets/read/read-rows';
import { startInput, withInput } from '../cli/batch';
import { withStart, type StartFlags } from '../cli/flags';
import { start } from '../cli/start-command';
import { ofFile, type BatchRequest, type InputFile } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { auditStart, isWithin } from '../jobs/begin/start-job';
import { nameOf, newest, putExtract } from './put';
import { extractBatchKind, extractKind } from './kind';

type Flags = StartFlags & { document?: string };

export function extractCommand(): Command {
  const request = withInput(withStart(new Command('request'), { deadline: '1h' }), 'documents', 5)
    .option('--document <number>', 'a CNPJ or CPF')
    .action(async (flags: Flags, command: Command) => {
      const { deadline: deadlineMs, document = '', label = null, maxAge, rerun } = flags;
      if (await startInput(command, extractBatchKind, batchOf)) return;
      const reading = readDocument(document, { serves: ['cpf', 'cnpj'] });
      if (reading.kind !== 'document')
        throw new UsageError([
          '--document: expected a CNPJ or CPF',
          '--document: espera-se um CNPJ ou CPF',
        ]);
      await start(command, extractKind, async (ctx) => {
        const existing = await newest(ctx, reading.document);
        return {
          existing,
          isAnswer:
            existing?.status === 'completed' && isWithin(maxAge, existing) && rerun !== true,
          record: async () => {
            const order = rerun === true ? (existing?.id ?? null) : null;
            const terms = { name: nameOf(ctx, reading.document, order), label, deadlineMs };
            const { jobId, createdAt } = await putExtract(ctx, reading.document, terms);
            await auditStart(ctx, jobId, { items: 1 }, Date.parse(createdAt));
            return jobId;
          },
          workflow: 'requestExtract',
          workflowInput: ({ id: jobId, folder }): JobWorkflowInput => ({
            ref: { jobId, folder },
            deadlineAt: Date.now() + deadlineMs,
            interactive: true,
            queueSuffix: ctx.queueSuffix,
          }),
        };
      });
    });
  return new Command('extract').description('Registry extracts.').addCommand(request);
}

function batchOf(ctx: CommandContext, file: InputFile): BatchRequest {
  return {
    kind: 'extract-batch',
    ...ofFile(file),
    terms: [],
    rows: (notices) =>
      planItems(readSheet(file.path, { ...file.choice, holds: 'documents', ...notices }), readRow),
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
