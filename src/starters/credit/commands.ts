import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import { checkInput } from '../../receivables/check-input';
import { checkLines, mayBeSent, todayInBrazil, checkDocument } from './check';
import { withStart } from '../cli/start-flags';
import { analysesOfFolder, analysis } from './request';
import { exitCodes, printAs, screenReader } from '../cli/terminal';

interface CheckFlags {
  xmls?: string;
  json?: true;
}

export function creditCommand(): Command {
  const command = new Command('credit').description(
    'Credit analysis of receivables files (CNAB 400).',
  );
  command.addCommand(checkCommand());
  const analyze = new Command('analyze').description(
    'Have a CNAB file analysed, or each of a folder: sent at most once.',
  );
  const isMany = async ({ input }: { input?: unknown }) => isFolder(String(input));
  command.addCommand(withStart(analyze, { one: analysis, many: analysesOfFolder, isMany }));
  return command;
}

function checkCommand(): Command {
  return new Command('check')
    .description('Look at a CNAB file, and at the ZIP of its invoices; send nothing.')
    .argument('<file>', 'the CNAB 400 or 444 file (remessa)')
    .option('--xmls <zip>', 'a ZIP of NF-e XML documents')
    .option('--json', 'one JSON document on standard output')
    .addHelpText('after', '\nExit codes: 0 it may be sent (warnings are told), 2 it may not.')
    .action(async (file: string, flags: CheckFlags) => {
      process.exitCode = await check(file, flags);
    });
}

async function check(file: string, { xmls, json }: CheckFlags): Promise<number> {
  const today = todayInBrazil(new Date());
  const checked = await checkInput({ cnab: file, today, ...(xmls !== undefined && { xmls }) });
  const exitCode = mayBeSent(checked.worst) ? exitCodes.done : exitCodes.usage;
  const lines = checkLines(file, xmls ?? null, checked, screenReader());
  printAs(json, checkDocument(file, xmls ?? null, checked, exitCode), lines);
  return exitCode;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
