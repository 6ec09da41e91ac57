import { Command } from 'commander';
import { withStart } from '../cli/start-flags';
import { print, say } from '../cli/terminal';
import { graphLines, readPlan, readyPlans } from './plan-file';
import { investigation, investigations } from './request';

export function investigateCommand(): Command {
  const command = new Command('investigate')
    .description('Ask everything that a plan says about one subject, and put it into one report.')
    .addCommand(plansCommand());
  return withStart(command, { one: investigation, many: investigations });
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
