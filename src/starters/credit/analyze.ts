import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import { resultFilters, type ResultFilter } from '../../domain/credit/operation';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/work';
import type { AnalyzeCreditInput } from '../../workflows/inputs';
import { startBatch, withConcurrency } from '../cli/batch';
import { withStart, type StartFlags } from '../cli/flags';
import { refuseFlagsBeside } from '../cli/form-flags';
import { start } from '../cli/start-command';
import { oneOf } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { isWithin, type Ask } from '../jobs/start-job';
import { analysisBatch } from './batch';
import { analysisBatchKind } from './batch-kind';
import { mayBeSent } from './check';
import { engineTerms, preparedInput, recordInput } from './input';
import { analysisKind } from './kind';
import { reissueOnRerun, standingOf } from './standing';

interface AnalyzeFlags extends StartFlags {
  input: string;
  xmls?: string;
  engine?: string;
  filter: ResultFilter;
  force?: string;
  concurrency: number;
}

/** `diligence credit analyze`. */
export function analyzeCommand(): Command {
  return withConcurrency(withStart(new Command('analyze'), { deadline: '24h' }), 4)
    .description('Have a CNAB file analysed, or each of a folder: sent at most once.')
    .requiredOption(
      '--input <path>',
      'the CNAB 400 or 444 file (remessa), or a folder: every .rem in it, X.rem with X.zip beside it',
    )
    .option('--xmls <zip>', 'a ZIP of NF-e XML documents')
    .option('--engine <id|name>', 'the rule engine (default: the service chooses)')
    .option(
      '--filter <filter>',
      'what result.json holds: issues or all',
      oneOf(resultFilters),
      'all',
    )
    .option('--force <reason>', 'send although the local scan refuses it; the reason is kept')
    .action(async (flags: AnalyzeFlags, command: Command) => {
      if (await isFolder(flags.input)) {
        refuseFlagsBeside('a folder', ['--xmls'], command);
        if (flags.force?.trim() === '') throw new UsageError('--force: expected a reason');
        await startBatch(command, analysisBatchKind, (ctx) => analysisBatch(ctx, flags));
        return;
      }
      refuseFlagsBeside('one file', ['--concurrency'], command);
      await start(command, analysisKind, (ctx) => prepare(ctx, flags));
    });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The same file, XMLs and engine are the same analysis. */
async function prepare(
  ctx: CommandContext,
  flags: AnalyzeFlags,
): Promise<Ask<AnalysisRecord, AnalysisOutcome>> {
  const { deadline, engine: wanted = null, filter, force, input: cnab, label = null } = flags;
  const files = { cnab, ...(flags.xmls !== undefined && { xmls: flags.xmls }) };
  const scanned = { ...files, ...(force !== undefined && { force }) };
  const input = await preparedInput(ctx, scanned, wanted);
  const before = await standingOf(ctx, input);
  const found = before.kind === 'new' ? null : before.analysis.record.workId;
  const standing =
    found === null
      ? null
      : ((await ctx.store.jobs.find(found)) as Job<AnalysisRecord, AnalysisOutcome>);
  const isAnew = flags.rerun === true || !isWithin(flags.maxAge, standing);
  if (before.kind === 'ended' && !isAnew) refuseUndecided(standing);
  return {
    standing,
    stands: before.kind === 'ended' && !isAnew,
    record: async () => {
      await reissueOnRerun(ctx, input);
      const forced = mayBeSent(input.checked.worst) ? null : (force ?? null);
      const rerun = flags.rerun === true;
      const asked = { engine: wanted, filter, forced, label, deadlineMs: deadline, rerun };
      return (await recordInput(ctx, input, asked)).record.workId;
    },
    ...workflowOf(ctx, deadline),
  };
}

export function workflowOf({ queueSuffix }: CommandContext, deadlineMs: number) {
  return {
    workflow: 'analyzeCredit',
    workflowInput: ({ id: workId, folder, input }: Job<AnalysisRecord>): AnalyzeCreditInput => ({
      ref: { workId, folder },
      ...engineTerms(input),
      deadlineAt: Date.now() + deadlineMs,
      queueSuffix,
    }),
  };
}

/** @throws CommandError when it has an end that a person should know of before it is bought again */
function refuseUndecided(job: Job<AnalysisRecord, AnalysisOutcome> | null): void {
  if (job?.outcome == null || job.outcome.status === 'completed') return;
  throw new CommandError(
    `it was sent already, and is ${job.status}: \`diligence resolve ${job.id} --action ...\` decides, \`--rerun\` may be charged twice`,
  );
}
