import { Command } from 'commander';
import { checkPlan, readSubject } from '../../domain/investigations/check-plan';
import type {
  InvestigationOutcome,
  InvestigationRecord,
} from '../../domain/investigations/investigation';
import type { Subject } from '../../domain/investigations/plan';
import { JobBatchRepository } from '../../store/core/job-batches';
import type { InvestigateInput } from '../../workflows/inputs';
import { inputFlags, startInput, withInput } from '../cli/batch';
import { withStart, type StartFlags } from '../cli/flags';
import { refuseFlagsBeside } from '../cli/form-flags';
import { start } from '../cli/start-command';
import { print, wholeNumber } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import type { InputFile } from '../jobs/batches/ask';
import { isWithin, type Ask } from '../jobs/start-job';
import { askedFor, newestInvestigation, putInvestigation, termsOf } from './ask';
import { investigationBatch } from './batch';
import { investigationBatchKind } from './batch-kind';
import { readFiles } from './files';
import { investigationKind } from './kind';
import { foresee } from './foresee';
import { graphLines, nobody, planError, readPlan, readyPlans, type WrittenPlan } from './plan-file';

type SubjectFlags = { [Field in keyof Subject]?: Exclude<Subject[Field], null> };
type InvestigateFlags = StartFlags &
  SubjectFlags & { plan: string; maxAge: number; budget?: number; input?: string };

const subjectFlags = Object.keys(nobody()).map((word) => `--${word}`);

/** `diligence investigate`. */
export function investigateCommand(): Command {
  const command = new Command('investigate');
  return withInput(
    withStart(command, { deadline: '7d', maxAge: '7d' }),
    'documents (CPF or CNPJ) of subjects',
    20,
  )
    .description('Ask everything that a plan says about one subject, and put it into one report.')
    .requiredOption('--plan <plan>', 'supplier, assignor, individual, or a file (YAML or JSON)')
    .option(
      '--budget <n>',
      'requests that may be charged before a person must look (default: as the plan says, else no bound)',
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
    .option('--excel', 'of a file: results.csv for a spreadsheet program')
    .action(async (flags: InvestigateFlags) => {
      const written = await readPlan(flags.plan);
      const many = (ctx: CommandContext, file: InputFile) =>
        investigationBatch(ctx, written.plan, { ...file, ...flags });
      if (flags.input !== undefined) {
        refuseFlagsBeside('--input', subjectFlags, command);
        if (written.subject !== null)
          throw new UsageError(`--input: the plan ${flags.plan} names a subject of its own`);
      }
      if (await startInput(command, investigationBatchKind, many)) return;
      refuseFlagsBeside('one subject', [...inputFlags, '--excel'], command);
      const subject = subjectOf(written, flags);
      await start(command, investigationKind, (ctx) => prepare(ctx, written, subject, flags));
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

/** What flags say goes before what the file says. @throws UsageError with the path of each fault */
function subjectOf({ plan, subject: written }: WrittenPlan, flags: InvestigateFlags): Subject {
  const known = written ?? nobody();
  const given = Object.fromEntries(
    Object.keys(known).flatMap((word) => {
      const value = flags[word as keyof Subject];
      return value === undefined ? [] : [[word, value]];
    }),
  );
  const { faults, subject } = readSubject({ ...known, ...given });
  const all = faults.length > 0 ? faults : checkPlan(plan, subject);
  if (all.length > 0) throw planError(flags.plan, all);
  return subject;
}

async function prepare(
  ctx: CommandContext,
  written: WrittenPlan,
  given: Subject,
  flags: InvestigateFlags,
): Promise<Ask<InvestigationRecord, InvestigationOutcome>> {
  const { maxAge: maxAgeMs, rerun = false } = flags;
  const files = await readFiles(ctx, given);
  const { subject } = files;
  const asked = askedFor(ctx, written.plan, subject, flags);
  const standing = await newestInvestigation(ctx, asked);
  return {
    standing,
    stands: standing?.status === 'completed' && isWithin(maxAgeMs, standing) && !rerun,
    foresee: () => foresee(ctx, written, { ...asked, files: files.read }),
    record: async () => putInvestigation(ctx, { ...asked, files: await files.store() }),
    release: ({ folder }) => new JobBatchRepository(ctx.store).releaseChildren(folder),
    workflow: 'investigateSubject',
    workflowInput: ({ id: workId, folder, input }): InvestigateInput => ({
      ref: { workId, folder },
      ...termsOf(input),
      deadlineAt: Date.now() + input.deadlineMs,
      interactive: true,
      queueSuffix: ctx.queueSuffix,
    }),
  };
}
