import { Command } from 'commander';
import type { Subject } from '../../domain/investigations/plan';
import { languageOption, withStart, type StartFlags } from '../cli/flags';
import { start } from '../cli/start-command';
import { print } from '../cli/terminal';
import { askInvestigation } from './ask';
import { investigationKind } from './kind';
import { graphLines, readPlan, readyPlans } from './plan-file';

type SubjectFlags = { [Field in keyof Subject]?: Exclude<Subject[Field], null> };
type InvestigateFlags = StartFlags & SubjectFlags & { plan: string; maxAge: number };

/** `diligence investigate`. */
export function investigateCommand(): Command {
  const command = new Command('investigate');
  return withStart(command, { deadline: '7d', maxAge: '7d' })
    .description('Ask everything that a plan says about one subject, and put it into one report.')
    .requiredOption('--plan <plan>', 'supplier, assignor, individual, or a file (YAML or JSON)')
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
    .addOption(languageOption())
    .action(async (flags: InvestigateFlags) => {
      await start(command, investigationKind, (ctx) => askInvestigation(ctx, flags));
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
        print(`${written.plan.name}: ${written.plan.title}`);
        for (const line of graphLines(written)) print(`  ${line}`);
      }
    });
}
