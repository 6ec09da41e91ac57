import { z } from 'zod';
import { isValidCpf } from '../../domain/core/documents/documents';
import { normaliseDocument } from '../../domain/core/documents/read-document';
import {
  profileStands,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import { putLookup } from '../../store/profiles/asks';
import type { LookUpProfileInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { budgetTerm, inputTerms, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type Ask } from '../jobs/begin/start-job';

const termsAsked = {
  retryRural: z
    .boolean()
    .optional()
    .describe('ask once more when the rural part timed out or failed'),
  ...startTerms('15m'),
  ...maxAgeTerm('7d'),
};

export const profileRequest = z.strictObject({
  cpf: z.string().describe('eleven digits, punctuated or not'),
  ...termsAsked,
});

export const profileBatchRequest = z.strictObject({
  ...inputTerms('CPFs', 10),
  ...budgetTerm,
  ...termsAsked,
});

/** @throws UsageError when it is no CPF */
export async function askProfile(
  ctx: CommandContext,
  asked: z.output<typeof profileRequest>,
): Promise<Ask<ProfileRecord, ProfileOutcome>> {
  const { deadline, label = null, maxAge, rerun = false, retryRural = false } = asked;
  const cpf = readCpf(asked.cpf);
  const name = ctx.idKey.nameOf('document', cpf);
  const [newest] = await ctx.store.jobs.about('profile', name);
  const standing = (newest ?? null) as Job<ProfileRecord, ProfileOutcome> | null;
  const isAnswer = standing?.outcome != null && profileStands(standing.outcome, retryRural);
  return {
    standing,
    stands: isAnswer && isWithin(maxAge, standing) && !rerun,
    record: async () => {
      const ask = { cpf, name, retryRural, label, deadlineMs: deadline, rerun };
      const { workId, createdAt } = await putLookup(ctx, ask);
      await auditStart(ctx, workId, { items: 1, rerun }, Date.parse(createdAt));
      return workId;
    },
    workflow: 'lookUpProfile',
    workflowInput: ({ id: workId, folder, input }): LookUpProfileInput => ({
      ref: { workId, folder },
      deadlineAt: Date.now() + deadline,
      retryRural: input.retryRural,
      queueSuffix: ctx.queueSuffix,
    }),
  };
}

/** @throws UsageError before anything is sent; it does not quote what was typed */
function readCpf(text: string): string {
  const digits = normaliseDocument(text);
  if (!/^\d{11}$/.test(digits)) throw new UsageError('--cpf: expected a CPF of eleven digits');
  if (!isValidCpf(digits)) throw new UsageError('--cpf: the check digits do not agree');
  return digits;
}
