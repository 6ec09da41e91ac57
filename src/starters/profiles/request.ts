import { z } from 'zod';
import { readDocument, normaliseDocument } from '../../domain/core/documents/read-document';
import {
  profileIsFinal,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import type { ProfileStatus } from '../../domain/profiles/kinds';
import { onlyCell, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { ProfileRepository } from '../../store/profiles/profiles';
import { ofFile, type BatchRequest, type ExistingJob } from '../jobs/batches/request';
import { startable, startableBatch } from '../jobs/begin/startable';
import { profileBatchKind, profileKind } from './kind';
import { isValidCpf } from '../../domain/core/documents/documents';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { budgetTerm, inputTerms, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type StartPlan } from '../jobs/begin/start-job';

const requestTerms = {
  retryRural: z
    .boolean()
    .optional()
    .describe('ask once more when the rural part timed out or failed'),
  ...startTerms('15m'),
  ...maxAgeTerm('7d'),
};

const profileRequest = z.strictObject({
  cpf: z.string().describe('eleven digits, punctuated or not'),
  ...requestTerms,
});

const profileBatchRequest = z.strictObject({
  ...inputTerms('CPFs', 10),
  ...budgetTerm,
  ...requestTerms,
});

/** @throws UsageError when it is no CPF */
async function planProfile(
  ctx: CommandContext,
  request: z.output<typeof profileRequest>,
): Promise<StartPlan<ProfileRecord, ProfileOutcome>> {
  const { deadline, label = null, maxAge, rerun = false, retryRural = false } = request;
  const cpf = readCpf(request.cpf);
  const name = ctx.idKey.nameOf('document', cpf);
  const [newest] = await ctx.store.jobs.about('profile', name);
  const existing = (newest ?? null) as Job<ProfileRecord, ProfileOutcome> | null;
  const isAnswer = existing?.outcome != null && profileIsFinal(existing.outcome, retryRural);
  return {
    existing,
    isAnswer: isAnswer && isWithin(maxAge, existing) && !rerun,
    record: async () => {
      const lookup = { cpf, name, retryRural, label, deadlineMs: deadline, rerun };
      const { jobId, createdAt } = await new ProfileRepository(ctx.store).put(ctx, lookup);
      await auditStart(ctx, jobId, { items: 1, rerun }, Date.parse(createdAt));
      return jobId;
    },
    run: deadline,
  };
}

/** @throws UsageError before anything is sent, without quoting the argument */
function readCpf(text: string): string {
  const digits = normaliseDocument(text);
  if (!/^\d{11}$/.test(digits))
    throw new UsageError([
      '--cpf: expected a CPF of eleven digits',
      '--cpf: espera-se um CPF de onze dígitos',
    ]);
  if (!isValidCpf(digits))
    throw new UsageError([
      '--cpf: the check digits do not agree',
      '--cpf: os dígitos verificadores não conferem',
    ]);
  return digits;
}

/** A lookup for each different CPF of a sheet. */
function profileBatch(
  ctx: CommandContext,
  request: z.output<typeof profileBatchRequest>,
): BatchRequest {
  const { maxAge, retryRural = false } = request;
  const terms = { retryRural, reuseSince: Date.now() - maxAge };
  const nameOf = (cpf: string): string => ctx.idKey.nameOf('document', cpf);
  return {
    kind: 'profile-batch',
    ...ofFile(request, 'documents', readRow),
    terms: [retryRural],
    requestsPerRow: retryRural ? 2 : 1,
    existing: (cpf) => existingLookup(ctx, nameOf(cpf), terms),
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

/** @param name keyed name of the CPF; a lookup answered since `reuseSince` is reused */
export async function existingLookup(
  { store }: CommandContext,
  name: string,
  { reuseSince, retryRural }: { retryRural: boolean; reuseSince: number },
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

export const profile = startable(profileKind, profileRequest, planProfile);
export const profiles = startableBatch(profileBatchKind, profileBatchRequest, profileBatch);
