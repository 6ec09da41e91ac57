import { Command } from 'commander';
import { lensName, newestLens, putLens } from '../../store/lens/asks';
import { LensRepository } from '../../store/lens/lens';
import { lensStandsForGood, type LensOutcome, type LensRecord } from '../../domain/lens/analyze';
import { lensModes, type LensMode } from '../../domain/lens/lens-analysis';
import type { AnalyzeLensInput } from '../../workflows/inputs';
import { withStart, type StartFlags } from '../cli/flags';
import { start } from '../cli/start-command';
import { oneOf } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';
import { auditStart, isWithin, type Ask } from '../jobs/start-job';
import { readInput, reasonToSend, storeInput } from './input';
import { lensKind } from './kind';

type AnalyzeFlags = StartFlags & { input: string; mode?: LensMode; acceptFormat?: string };

/** `diligence lens`. */
export function lensCommand(): Command {
  const command = new Command('lens').description(
    'Analyses of a picture: its place, or its faces.',
  );
  command.addCommand(analyzeCommand());
  return command;
}

function analyzeCommand(): Command {
  return withStart(new Command('analyze'), { deadline: '24h' })
    .description('Have one file analysed; asked for again, it is the same analysis.')
    .requiredOption('--input <file>', 'the picture or video to hand in')
    .option(
      '--mode <mode>',
      `${lensModes.join(' or ')} (default: the service chooses)`,
      oneOf(lensModes),
    )
    .option(
      '--accept-format <reason>',
      'send what is no picture or video; the reason is stored with the job',
    )
    .action(async (flags: AnalyzeFlags, command: Command) => {
      await start(command, lensKind, (ctx) => prepare(ctx, flags));
    });
}

async function prepare(
  ctx: CommandContext,
  flags: AnalyzeFlags,
): Promise<Ask<LensRecord, LensOutcome>> {
  const { deadline, label = null, maxAge, mode = null, rerun = false } = flags;
  const { environment, queueSuffix, store } = ctx;
  const input = await readInput(flags.input, environment.lens.maxFileBytes);
  const forced = reasonToSend(flags.input, input, flags.acceptFormat);
  const what = { sha256: input.sha256, mode };
  const file = new LensRepository(store);
  const standing = await newestLens(ctx, what);
  const isFinal =
    standing?.outcome != null &&
    lensStandsForGood(standing.outcome, (await file.current(standing.input.name)).expired);
  const isYoung = isWithin(maxAge, standing);
  return {
    standing,
    stands: isFinal && isYoung && !rerun,
    record: async () => {
      const isAnew = rerun || (isFinal && !isYoung);
      const now = new Date();
      const name = isAnew
        ? lensName(ctx, what, now.toISOString())
        : (standing?.input.name ?? lensName(ctx, what, null));
      const copy = await storeInput(ctx, flags.input, input);
      const asked = { name, file: copy, mode, label, forced, deadlineMs: deadline };
      const { workId } = await putLens(ctx, asked, now);
      const unusual = forced !== null && { forced: true, mediaType: input.mediaType };
      await auditStart(ctx, workId, { items: 1, rerun: isAnew, ...unusual }, now.getTime());
      return workId;
    },
    workflow: 'analyzeLens',
    workflowInput: async ({ id, folder, input: { name } }): Promise<AnalyzeLensInput> => {
      // What is gone on with may have lost its copy.
      await storeInput(ctx, flags.input, input);
      return {
        ref: { workId: id, folder },
        attempt: (await file.current(name)).attempt,
        deadlineAt: Date.now() + deadline,
        interactive: true,
        queueSuffix,
      };
    },
  };
}
