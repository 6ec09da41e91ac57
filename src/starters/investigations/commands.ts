import { Command } from 'commander';
import { emptySubject, type Subject } from '../../domain/investigations/plan';
import { inputFlags, startInput, withInput } from '../cli/batch';
import { refuseFlagsBeside, type StartFlags, withStart } from '../cli/flags';
import { start } from '../cli/start-command';
import { print, say, wholeNumber } from '../cli/terminal';
import type { InputFile } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { planInvestigation, subjectColumns } from './request';
import { investigationBatch } from './batch';
import { investigationBatchKind, investigationKind } from './kind';
import { graphLines, readPlan, readyPlans } from './plan-file';

type SubjectFlags = { [Field in keyof Subject]?: Exclude<Subject[Field], null> };
type InvestigateFlags = StartFlags &
  SubjectFlags & { plan?: string; maxAge: number; budget?: number; input?: string };

/** `diligence investigate`. */
export function investigateCommand(): Command {
  const command = new Command('investigate');
  const started = withStart(command, { deadline: '7d', maxAge: '7d' });
  return withInput(started, subjectColumns, 20)
    .description('Ask everything that a plan says about one subject, and put it into one report.')
    .option('--plan <plan>', 'supplier, assignor, individual, or a file (YAML or JSON)')
    .option(
      '--budget <n>',
      'requests about a subject that may be charged before a person must look (default: as the plan says, else no bound)',
      wholeNumber(1, 100_000),
    )
    .option('--cnpj <numbers...>', 'of the subject')
    .option('--cpf <numbers...>', 'of the subject, or of its owner')
    .option('--name <name>', 'as you know the subject: compared with what the sources say')
    .option('--email <addresses...>', 'to be searched for')
    .option('--phone <numbers...>', 'to be searched for')
    .option('--dossier <ids...>', 'dossiers at the service, followed to their end')
    .option('--monitor <ids...>', 'monitors whose open changes are taken')
    .option('--photo <file>', 'a picture to be analysed')
    .option('--receivables <file>', 'a CNAB 400 or 444 file (remessa)')
    .option('--xmls <zip>', 'a ZIP of NF-e XML documents beside the receivables')
    .action(async ({ plan, ...more }: InvestigateFlags) => {
      // A required option would be asked for by `plans` too.
      if (plan === undefined)
        throw new UsageError([
          '--plan: which one? `diligence investigate plans` lists the ready ones',
          '--plan: qual? `diligence investigate plans` lista os que já vêm prontos',
        ]);
      const flags = { ...more, plan };
      const subjectFlags = Object.keys(emptySubject()).map((word) => `--${word}`);
      if (flags.input !== undefined)
        refuseFlagsBeside(['--input', '--input'], subjectFlags, command);
      const many = (ctx: CommandContext, file: InputFile) =>
        investigationBatch(ctx, { ...flags, ...file });
      if (await startInput(command, investigationBatchKind, many)) return;
      refuseFlagsBeside(['one subject', 'um só sujeito'], inputFlags, command);
      await start(command, investigationKind, (ctx) => planInvestigation(ctx, flags));
    })
    .addCommand(plansCommand());
}

function plansCommand(): Command {
  return new Command('plans')
    .argument('[name]', 'a ready plan, or a file')
    .description('List the ready plans, or explain one.')
    .action(async (name: string | undefined) => {
      const names = name === undefined ? await readyPlans() : [name];
      for (const one of names) {
        const written = await readPlan(one);
        print(`${written.plan.name}: ${say(...written.title)}`);
        for (const line of graphLines(written, say)) print(`  ${line}`);
      }
    });
}
