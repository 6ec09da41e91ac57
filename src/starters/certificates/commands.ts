import { Command } from 'commander';
import { certificateTypes, type CertificateType } from '../../domain/certificates/certificates';
import type { OnUnknown } from '../../workflows/inputs';
import { withSheets, withStart, type OutputFlags, type StartFlags } from '../cli/flags';
import { withInputFile, withSheet } from '../cli/batch';
import { start } from '../cli/start-command';
import { oneOf, printNote, wholeNumber } from '../cli/terminal';
import { UsageError } from '../jobs/errors';
import { problemLines } from '../jobs/text';
import { readEnvironment } from '../../environment';
import { readerOf } from '../../report/reader';
import { planBatchStart, planIssue, planInput } from './request';
import { certificateBatchKind, certificateKind } from './kind';

interface TermFlags extends StartFlags {
  onUnknown: OnUnknown;
  maxAge: number;
}

interface IssueFlags extends TermFlags {
  type: CertificateType;
  document: string;
}

interface BatchFlags extends TermFlags, Pick<OutputFlags, 'lang'> {
  concurrency: number;
  laneRows?: number;
  maxUnknown?: number;
  budget?: number;
  input?: string;
  type?: CertificateType;
  column?: string;
  reference?: string;
  sheet?: string;
}

/** `diligence certificate issue|batch`. */
export function certificateCommand(): Command {
  const command = new Command('certificate').description(
    'Issue certificates: one, or a spreadsheet of thousands.',
  );
  command.addCommand(issueCommand());
  command.addCommand(batchCommand());
  return command;
}

function issueCommand(): Command {
  return withTerms(new Command('issue'))
    .description('Issue one certificate and fetch its PDF.')
    .requiredOption('--type <type>', certificateTypes.join(' or '), oneOf(certificateTypes))
    .requiredOption('--document <number>', 'CNPJ, or CPF for a labour certificate')
    .action(async (flags: IssueFlags, command: Command) => {
      await start(command, certificateKind, (ctx) => planIssue(ctx, flags));
    });
}

function batchCommand(): Command {
  return withSheet(withTerms(new Command('batch')), 'documents')
    .description('Issue a certificate for every line of a spreadsheet.')
    .option(
      '--type <type>',
      `for lines without one: ${certificateTypes.join(' or ')}`,
      oneOf(certificateTypes),
    )
    .option('--concurrency <n>', 'rows in flight at once', wholeNumber(1, 10_000), 100)
    .option(
      '--max-unknown <n>',
      'rows that may become unknown_outcome before a person must look (default: 20, or 2 % of the rows if that is more)',
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--budget <n>',
      'requests that may be charged before a person must look (default: no bound)',
      wholeNumber(1, 1_000_000),
    )
    .option('--lane-rows <n>', 'rows per lane (for operators)', wholeNumber(1, 100_000))
    .action(async (flags: BatchFlags, command: Command) => {
      if (flags.input === undefined)
        throw new UsageError(['--input: of which documents?', '--input: de quais documentos?']);
      await withInputFile(flags.input, async (input) => {
        // Read before the store is opened: an unreadable sheet leaves nothing behind.
        const reader = readerOf(flags.lang ?? readEnvironment().language);
        const plan = await planInput({ ...flags, input }, { log: printNote, reader });
        if (flags.dryRun !== true)
          for (const line of problemLines(plan.problems, reader)) printNote(line);
        await start(command, certificateBatchKind, (ctx) => planBatchStart(ctx, flags, plan));
      });
    });
}

function withTerms(command: Command): Command {
  return withSheets(withStart(command, { deadline: '24h', maxAge: '7d' })).option(
    '--on-unknown <policy>',
    'a request whose answer was lost: report it, or reissue it once (may be charged twice)',
    oneOf(['report', 'reissue']),
    'report',
  );
}
