import { Command } from 'commander';
import { z } from 'zod';
import { readDocument } from '../../domain/core/documents/read-document';
import { withStart } from '../cli/start-flags';
import { oneCell, ofFile } from '../jobs/batches/request';
import { inputTerms, startTerms } from '../jobs/begin/request';
import { planOne, rowsBy } from '../jobs/begin/same-request';
import { startable, startableBatch } from '../jobs/begin/startable';
import { itemOf } from '../jobs/text';
import { extracts } from './put';
import { extractBatchKind, extractKind } from './kind';

const request = z.strictObject({
  document: z.string().describe('a CNPJ or CPF'),
  ...startTerms('1h'),
});
const batchRequest = z.strictObject({ ...inputTerms('documents', 5), ...startTerms('1h') });

const read = (text: string) => readDocument(text, { serves: ['cpf', 'cnpj'] });

export function extractCommand(): Command {
  const one = startable(extractKind, request, (ctx, own) =>
    planOne(ctx, extracts(ctx), itemOf('--document', read(own.document)), own),
  );
  const many = startableBatch(extractBatchKind, batchRequest, (ctx, own) => ({
    ...ofFile(own, 'documents', oneCell('extract', 'a document', read)),
    ...rowsBy(ctx, extractKind, extracts(ctx), own.maxAge),
    terms: [],
  }));
  return new Command('extract')
    .description('Registry extracts.')
    .addCommand(withStart(new Command('request'), { one, many }));
}
