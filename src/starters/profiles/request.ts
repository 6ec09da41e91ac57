import { z } from 'zod';
import { isValidCpf } from '../../domain/core/documents/documents';
import { normaliseDocument } from '../../domain/core/documents/read-document';
import {
  profileIsFinal,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import { ProfileRepository } from '../../store/profiles/profiles';
import type { LookUpProfileInput } from '../../workflows/inputs';
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

export const profileRequest = z.strictObject({
  cpf: z.string().describe('eleven digits, punctuated or not'),
  ...requestTerms,
});

export const profileBatchRequest = z.strictObject({
  ...inputTerms('CPFs', 10),
  ...budgetTerm,
  ...requestTerms,
});

/** @throws UsageError when it is no CPF */
export async function planProfile(
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
    workflow: 'lookUpProfile',
    workflowInput: ({ id: jobId, folder, input }): LookUpProfileInput => ({
      ref: { jobId, folder },
      deadlineAt: Date.now() + deadline,
      retryRural: input.retryRural,
      queueSuffix: ctx.queueSuffix,
    }),
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
