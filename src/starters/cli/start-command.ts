import type { Command } from 'commander';
import type { Reader } from '../../report/reader';
import type { EngineClient } from '../../temporal/connection';
import { leftLines, problemLines } from '../jobs/text';
import { beginJob, isAnswered, type GivenTerm } from '../jobs/begin/begin-job';
import { openContext, warnWithoutPollers, type CommandContext } from '../jobs/context';
import { envelopeOf } from '../jobs/envelope';
import { findJob } from '../jobs/find-job';
import type { Job, JobKind } from '../jobs/job-kind';
import { yieldTo, type StartPlan, type Foreseen } from '../jobs/begin/start-job';
import type { StartFlags } from './flags';
import { followHere } from './follow';
import { outputTerms } from '../jobs/export-job';
import { printResult, type ResultFlags } from './print-job';
import { exitCodes, print, printJson, printNote, onScreen } from './terminal';
import { refuseUnwritable } from './unwritable-folder';

/**
 * Runs every command that starts a job (`beginJob`), or its dry run. Sets the exit code of the process.
 *
 * @param prepare reads the input, and looks up existing jobs; sends nothing
 * @param request values of the flags
 */
export async function start<Input, Outcome>(
  command: Command,
  kind: JobKind<Input, Outcome>,
  prepare: (ctx: CommandContext) => Promise<StartPlan<Input, Outcome>>,
  request: object = command.opts(),
): Promise<void> {
  const flags: StartFlags & { reference?: string } = command.opts();
  // With `--reference`, files are named by the reference.
  if (flags.reference !== undefined) flags.pdfNames ??= 'reference';
  const opened = await openContext(printNote, flags.by);
  const ctx = flags.lang === undefined ? opened : onScreen(opened, flags.lang);
  const plan = await prepare(ctx);
  const { existing } = plan;
  if (flags.dryRun === true) {
    const word = existing?.outcome === null ? 'underWay' : isAnswered(plan) ? 'reuse' : 'request';
    const one = { request: 0, reuse: 0, underWay: 0, unknown: 0, problems: [], [word]: 1 };
    printDryRun((await plan.foresee?.()) ?? one, flags.json === true, ctx.reader);
    return;
  }
  for (const line of problemLines(plan.problems ?? [], ctx.reader)) printNote(line);
  if (flags.detach !== true && kind.export !== undefined)
    await refuseUnwritable(flags.out ?? 'out');
  const record = async (): Promise<string> => {
    const id = await plan.record();
    const { folder } = await findJob(ctx, id);
    await ctx.store.jobs.putOutput(folder, outputTerms(ctx, flags));
    return id;
  };
  process.exitCode = await beginJob(
    ctx,
    kind,
    { ...plan, record },
    {
      given: givenTerms(command, request),
      ended: (job) => printResult(ctx, kind, job, flags),
      started: (engine, job) => followStarted(ctx, engine, kind, job, flags),
    },
  );
}

/** Shows a job that was started to its end, unless it is to be left alone. Returns the exit code. */
export async function followStarted<Input, Outcome>(
  own: CommandContext,
  engine: EngineClient,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  flags: ResultFlags & { detach?: true },
): Promise<number> {
  const ctx = onScreen(own, outputTerms(own, flags, job.output).lang);
  const { say } = ctx.reader;
  printNote(`${job.id}: ${say(...kind.noun)} ${kind.describe(job.input, say)}`);
  if (flags.detach === true) {
    const view = { job, state: 'running', progress: null } as const;
    if (flags.json === true) printJson(await envelopeOf(ctx, kind, view, null));
    else print(job.id);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, ctx, kind.service);
  const workflowId = kind.workflowId(job.input, job.id);
  const ended = await followHere<{ jobId?: string }>(
    ctx,
    engine,
    { id: job.id, workflowId },
    (current) => kind.readProgress(current, workflowId, ctx.reader),
  );
  const ran = await yieldTo(ctx, job, ended.jobId ?? job.id);
  return printResult(ctx, kind, await findJob<Input, Outcome>(ctx, ran.id), flags);
}

/** Options that the user typed, by name. @param request their values */
export function givenTerms(command: Command, request: object): GivenTerm[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') return [];
    return [
      { name, written: option.long ?? name, value: (request as Record<string, unknown>)[name] },
    ];
  });
}

/** Prints what a command would do. */
function printDryRun(found: Foreseen, json: boolean, reader: Reader): void {
  if (json) {
    printJson({ dryRun: true, ...found });
    return;
  }
  for (const line of found.lines ?? []) print(line);
  const { say } = reader;
  const { request, reuse, underWay, unknown } = found;
  print(
    say(
      `would request ${request}, reuse ${reuse} that are there already`,
      `pediria ${request}, reaproveitaria ${reuse} que já existem`,
    ),
  );
  if (underWay > 0) {
    print(
      say(
        `${underWay} are under way and would be followed`,
        `em andamento, e seriam acompanhados: ${underWay}`,
      ),
    );
  }
  if (unknown > 0) {
    print(
      say(
        `${unknown} have an unknown outcome elsewhere and would stay so`,
        `com resultado desconhecido em outro trabalho, e ficariam assim: ${unknown}`,
      ),
    );
  }
  for (const line of problemLines(found.problems, reader)) print(line);
  for (const line of leftLines(found.left ?? {}, reader)) print(`  ${line}`);
  print(say('nothing was sent', 'nada foi enviado'));
}
