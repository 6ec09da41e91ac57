import { Command } from 'commander';
import { lensModes, type LensMode } from '../../domain/lens/lens-analysis';
import { withStart, type StartFlags } from '../cli/flags';
import { start } from '../cli/start-command';
import { oneOf } from '../cli/terminal';
import { planLens } from './request';
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
      await start(command, lensKind, (ctx) => planLens(ctx, flags));
    });
}
