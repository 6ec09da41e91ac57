import { z } from 'zod';
import { readDocument } from '../../domain/core/documents/read-document';
import { lookups } from '../../store/profiles/profiles';
import { oneCell, ofFile } from '../jobs/batches/request';
import { budgetTerm, inputTerms, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { planOne, rowsBy } from '../jobs/begin/same-request';
import { startable, startableBatch } from '../jobs/begin/startable';
import { itemOf } from '../jobs/text';
import { profileBatchKind, profileKind } from './kind';

const terms = {
  retryRural: z
    .boolean()
    .optional()
    .describe('ask once more when the rural part timed out or failed'),
  ...startTerms('15m'),
  ...maxAgeTerm('7d'),
};

const profileRequest = z.strictObject({
  cpf: z.string().describe('eleven digits, punctuated or not'),
  ...terms,
});

const profileBatchRequest = z.strictObject({ ...inputTerms('CPFs', 10), ...budgetTerm, ...terms });

const readCpf = (text: string) => readDocument(text, { serves: ['cpf'] });

export const profile = startable(profileKind, profileRequest, (ctx, request) =>
  planOne(ctx, lookups(ctx, request.retryRural), itemOf('--cpf', readCpf(request.cpf)), request),
);

export const profiles = startableBatch(profileBatchKind, profileBatchRequest, (ctx, request) => ({
  ...ofFile(request, 'documents', oneCell('profile', 'a document', readCpf)),
  ...rowsBy(ctx, profileKind, lookups(ctx, request.retryRural), request.maxAge),
  terms: [request.retryRural ?? false],
  requestsPerRow: request.retryRural === true ? 2 : 1,
}));
