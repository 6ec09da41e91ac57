import type { Command } from 'commander';
import type { Reader } from '../../report/reader';
import type { EngineClient } from '../../temporal/connection';
import { beginJob, isAnswered, type GivenTerm } from '../jobs/begin/begin-job';
import { yieldTo, type StartPlan, type Foreseen } from '../jobs/begin/start-job';
import { openContext, warnWithoutPollers, type CommandContext } from '../jobs/context';
import { envelopeOf } from '../jobs/envelope';
import { outputTerms } from '../jobs/export-job';
import { findJob } from '../jobs/find-job';
import type { Job, JobKind } from '../jobs/job-kind';
import { leftLines, problemLines } from '../jobs/text';
import type { StartFlags } from './flags';
import { followHere } from './follow';
import { printResult, type ResultFlags } from './print-job';
import { exitCodes, printAs, printNote, onScreen } from './terminal';
import { refuseUnwritable } from '../jobs/written-file';

/**
 * Runs every command that starts a job (`beginJob`), or its dry run. Sets the exit code of the process.
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
  const ctx = await openContext(printNote, flags.by);
  const plan = await prepare(ctx);
  if (flags.dryRun !== true)
    for (const line of problemLines(plan.problems ?? [], ctx.reader)) printNote(line);
  if (flags.detach !== true && kind.export !== undefined)
    await refuseUnwritable(flags.out ?? 'out');
  if (flags.dryRun === true) {
    const isOpen = plan.existing?.outcome === null;
    const word = isOpen ? 'underWay' : isAnswered(plan) ? 'reuse' : 'request';
    const one = { request: 0, reuse: 0, underWay: 0, unknown: 0, problems: [], [word]: 1 };
    const found = (await plan.foresee?.()) ?? one;
    printAs(flags.json, { dryRun: true, ...found }, dryRunLines(found, ctx.reader));
    return;
  }
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
async function followStarted<Input, Outcome>(
  own: CommandContext,
  engine: EngineClient,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  flags: ResultFlags & { detach?: true },
): Promise<number> {
  const ctx = onScreen(own, { lang: flags.lang }, job.output);
  const { say } = ctx.reader;
  printNote(`${job.id}: ${say(...kind.noun)} ${kind.describe(job.input, say)}`);
  if (flags.detach === true) {
    const view = { job, state: 'running', progress: null } as const;
    printAs(flags.json, await envelopeOf(ctx, kind, view, null), [job.id]);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, ctx, kind.service);
  const workflowId = kind.workflowId(job.input, job.id);
  const ended = await followHere(ctx, engine, { id: job.id, workflowId }, kind);
  const ran = await yieldTo(ctx, job, ended.jobId ?? job.id);
  return printResult(ctx, kind, await findJob<Input, Outcome>(ctx, ran.id), flags);
}

/** Options that the user typed, by name. @param request their values */
export function givenTerms(command: Command, request: object): GivenTerm[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') return [];
    const value = (request as Record<string, unknown>)[name];
    return [{ name, written: option.long ?? name, value }];
  });
}

function dryRunLines(found: Foreseen, reader: Reader): string[] {
  const { say } = reader;
  const { left = {}, lines = [], problems, request, reuse, underWay, unknown } = found;
  const optional = [
    underWay > 0 &&
      say(
        `${underWay} are under way and would be followed`,
        `em andamento, e seriam acompanhados: ${underWay}`,
      ),
    unknown > 0 &&
      say(
        `${unknown} have an unknown outcome elsewhere and would stay so`,
        `com resultado desconhecido em outro trabalho, e ficariam assim: ${unknown}`,
      ),
  ];
  return [
    ...lines,
    say(
      `would request ${request}, reuse ${reuse} that are there already`,
      `pediria ${request}, reaproveitaria ${reuse} que já existem`,
    ),
    ...optional.filter((line) => line !== false),
    ...problemLines(problems, reader),
    ...leftLines(left, reader).map((line) => `  ${line}`),
    say('nothing was sent', 'nada foi enviado'),
  ];
}
