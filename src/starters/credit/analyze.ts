import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import { resultFilters, type ResultFilter } from '../../domain/credit/operation';
import { startBatch, withBudget, withConcurrency } from '../cli/batch';
import { refuseFlagsBeside, type StartFlags, withStart } from '../cli/flags';
import { start } from '../cli/start-command';
import { oneOf } from '../cli/terminal';
import { UsageError, reasonMissing } from '../jobs/errors';
import { planAnalysis } from './request';
import { analysisBatch } from './batch';
import { analysisBatchKind, analysisKind } from './kind';

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
  const analyze = withStart(new Command('analyze'), { deadline: '24h' });
  return withBudget(withConcurrency(analyze, 4))
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
        refuseFlagsBeside(['a folder', 'uma pasta'], ['--xmls'], command);
        if (flags.force?.trim() === '') throw new UsageError(reasonMissing('--force'));
        await startBatch(command, analysisBatchKind, (ctx) => analysisBatch(ctx, flags));
        return;
      }
      refuseFlagsBeside(
        ['one file', 'um só arquivo'],
        ['--concurrency', '--budget', '--excel'],
        command,
      );
      await start(command, analysisKind, (ctx) => planAnalysis(ctx, flags));
    });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
