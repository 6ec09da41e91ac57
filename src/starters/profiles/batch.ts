import { ProfileRepository } from '../../store/profiles/profiles';
import { readDocument } from '../../domain/core/documents/read-document';
import { type ProfileStatus } from '../../domain/profiles/lookup';
import { onlyCell, planItems, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { readSheet } from '../../sheets/read/read-rows';
import {
  ofFile,
  type BatchRequest,
  type InputFile,
  type ExistingJob,
} from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';

interface ProfileTerms {
  retryRural: boolean;
  /** Epoch milliseconds: a lookup answered since then is reused. */
  reuseSince: number;
}

/** A lookup for each different CPF of a sheet. */
export function profileBatch(ctx: CommandContext, request: ProfileTerms & InputFile): BatchRequest {
  const { choice, path, retryRural } = request;
  const nameOf = (cpf: string): string => ctx.idKey.nameOf('document', cpf);
  return {
    kind: 'profile-batch',
    ...ofFile(request),
    terms: [retryRural],
    requestsPerRow: retryRural ? 2 : 1,
    rows: (notices) =>
      planItems(readSheet(path, { ...choice, holds: 'documents', ...notices }), readRow),
    existing: (cpf) => existingLookup(ctx, nameOf(cpf), request),
    put: async (cpf) => {
      const lookup = { cpf, name: nameOf(cpf), retryRural };
      const { jobId } = await new ProfileRepository(ctx.store).put(ctx, lookup);
      return { jobId, terms: { retryRural } };
    },
  };
}

function readRow({ documents }: FilledRow): RowReading<string> {
  const cell = onlyCell(documents);
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'profile', ...cell };
  const reading = readDocument(cell?.text ?? '', { serves: ['cpf'] });
  return reading.kind === 'document'
    ? { kind: 'item', type: 'profile', document: reading.document, note: reading.note }
    : { ...reading, type: 'profile' };
}

/** The service has reported what it knows: another request may be charged again. */
const answers: readonly ProfileStatus[] = ['found', 'not_found', 'invalid'];

/** @param name keyed name of the CPF */
export async function existingLookup(
  { store }: CommandContext,
  name: string,
  { reuseSince, retryRural }: ProfileTerms,
): Promise<ExistingJob | null> {
  const file = new ProfileRepository(store);
  const [newest] = await file.all(name);
  if (newest === undefined) return null;
  const found = { jobId: newest.record.jobId, terms: { retryRural } };
  const outcome = await file.outcome(newest.folder);
  if (outcome === null) return { ...found, ended: false };
  const isAnswer = answers.includes(outcome.status);
  const isFresh = Date.parse(outcome.settledAt) >= reuseSince && outcome.erased !== true;
  // After one call only, another call may return the rural part.
  const isToRetry = retryRural && outcome.rural === 'failed' && outcome.call === 1;
  return isAnswer && isFresh && !isToRetry ? { ...found, ended: true } : null;
}
