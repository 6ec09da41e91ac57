import { Command } from 'commander';
import { isValidCpf, normaliseDocument } from '../../domain/core/documents';
import {
  profileStands,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import type { LookUpProfileInput } from '../../workflows/inputs';
import { inputFlags, startInput, withInput } from '../cli/batch';
import { withStart, type StartFlags } from '../cli/flags';
import { refuseFlagsBeside } from '../cli/form-flags';
import { start } from '../cli/start-command';
import type { InputFile } from '../jobs/batches/ask';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { auditStart, isWithin, type Ask } from '../jobs/start-job';
import { putLookup } from '../../store/profiles/asks';
import { profileBatch } from './batch';
import { profileBatchKind } from './batch-kind';
import { profileKind } from './kind';

type LookupFlags = StartFlags & {
  input?: string;
  cpf?: string;
  maxAge: number;
  retryRural?: boolean;
};

/** `diligence profile lookup`. */
export function profileCommand(): Command {
  const command = new Command('profile').description('Asset profiles of persons.');
  command.addCommand(lookupCommand());
  return command;
}

function lookupCommand(): Command {
  return withInput(withStart(new Command('lookup'), { deadline: '15m', maxAge: '7d' }), 'CPFs', 10)
    .description(
      'Look up the asset profile of a CPF, or of each of a file: each answer may be charged for.',
    )
    .option('--cpf <number>', 'eleven digits, punctuated or not')
    .option(
      '--retry-rural',
      'ask once more when the rural part timed out or failed; of a file: also where it had',
    )
    .option('--html', 'of a file: a page for each person too: pages/')
    .option('--excel', 'sheets for a spreadsheet program: `;`, BOM, decimal comma')
    .action(async (flags: LookupFlags, command: Command) => {
      const { cpf, input, maxAge } = flags;
      if ((input === undefined) === (cpf === undefined)) {
        throw new UsageError('--cpf or --input: whose profile? expected one of them');
      }
      const terms = { retryRural: flags.retryRural === true, reuseSince: Date.now() - maxAge };
      const many = (ctx: CommandContext, file: InputFile) =>
        profileBatch(ctx, { ...file, ...terms });
      if (await startInput(command, profileBatchKind, many)) return;
      refuseFlagsBeside('--cpf', inputFlags, command);
      const digits = readCpf(cpf ?? '');
      await start(command, profileKind, (ctx) => prepare(ctx, digits, flags));
    });
}

/** @throws UsageError before anything is sent; it does not quote what was typed */
export function readCpf(text: string): string {
  const digits = normaliseDocument(text);
  if (!/^\d{11}$/.test(digits)) throw new UsageError('--cpf: expected a CPF of eleven digits');
  if (!isValidCpf(digits)) throw new UsageError('--cpf: the check digits do not agree');
  return digits;
}

async function prepare(
  ctx: CommandContext,
  cpf: string,
  { deadline, label = null, maxAge, rerun = false, retryRural = false }: LookupFlags,
): Promise<Ask<ProfileRecord, ProfileOutcome>> {
  const name = ctx.idKey.nameOf('document', cpf);
  const [newest] = await ctx.store.jobs.about('profile', name);
  const standing = (newest ?? null) as Job<ProfileRecord, ProfileOutcome> | null;
  const isAnswer = standing?.outcome != null && profileStands(standing.outcome, retryRural);
  return {
    standing,
    stands: isAnswer && isWithin(maxAge, standing) && !rerun,
    record: async () => {
      const ask = { cpf, name, retryRural, label, deadlineMs: deadline };
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
