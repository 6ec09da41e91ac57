import type { Command } from 'commander';
import type { EngineClient } from '../../temporal/connection';
import { leftLines, problemLines } from '../jobs/text';
import { openContext, warnWithoutPollers, withEngine, type CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { findJob, isAtWork } from '../jobs/find-job';
import type { Job, JobKind } from '../jobs/job-kind';
import { startJob, yieldTo, type Ask, type Foreseen } from '../jobs/start-job';
import type { StartFlags } from './flags';
import { followHere } from './follow';
import { envelopeOf, outputTerms, printResult, type ResultFlags } from './print-job';
import { exitCodes, print, printJson, tell } from './terminal';
import { refuseUnwritable } from './unwritable-folder';

/**
 * The way of every command that starts a job: what was asked for alike is shown, followed or gone on with;
 * else it is recorded and started. Sets the exit code of the process.
 *
 * @param prepare reads the input, and looks up what was asked for alike; sends nothing
 */
export async function start<Input, Outcome>(
  command: Command,
  kind: JobKind<Input, Outcome>,
  prepare: (ctx: CommandContext) => Promise<Ask<Input, Outcome>>,
): Promise<void> {
  const flags: StartFlags & ResultFlags & { reference?: string } = command.opts();
  // Whoever names the rows wants their files named so.
  if (flags.reference !== undefined) flags.pdfNames ??= 'reference';
  const ctx = await openContext(tell, flags.by);
  const ask = await prepare(ctx);
  const { standing } = ask;
  const stands = standing !== null && standing.outcome !== null && ask.stands;
  if (flags.dryRun === true) {
    const word = standing?.outcome === null ? 'underWay' : stands ? 'reuse' : 'request';
    const one = { request: 0, reuse: 0, underWay: 0, unknown: 0, problems: [], [word]: 1 };
    printDryRun((await ask.foresee?.()) ?? one, flags.json === true);
    return;
  }
  if (flags.detach !== true && kind.export !== undefined)
    await refuseUnwritable(flags.out ?? 'out');
  if (stands) {
    tell(
      `${standing.id}: ended ${standing.endedAt}, and is shown as it stands; \`--rerun\` orders it anew`,
    );
    process.exitCode = await printResult(ctx, kind, standing, flags);
    return;
  }
  let own = standing?.outcome === null ? standing : null;
  const record = async () => {
    const { folder, id } = await findJob<Input, Outcome>(ctx, await ask.record());
    await ctx.store.jobs.putOutput(folder, outputTerms(ctx, flags));
    return findJob<Input, Outcome>(ctx, id);
  };
  if (own === null && ask.mayEndAtOnce === true) {
    own = await record();
    if (own.outcome !== null) {
      process.exitCode = await printResult(ctx, kind, own, flags);
      return;
    }
  }
  await withEngine(ctx, async (engine) => {
    const attach = async (job: Job<Input, Outcome>): Promise<void> => {
      refuseIgnored(command, kind, job, true);
      tell(`${job.id}: is under way already`);
      await ask.attach?.(engine, job);
    };
    if (own !== null && own === standing) {
      if (await isAtWork(engine, kind, own)) await attach(own);
      else if (ask.goesOn?.(own) === false) own = null;
      else {
        refuseIgnored(command, kind, own, false);
        tell(`${own.id}: was interrupted, and goes on`);
      }
    }
    own ??= await record();
    const job = await startJob(ctx, engine, kind, own, ask);
    if (job.id !== own.id) await attach(job);
    process.exitCode = await followStarted(ctx, engine, kind, job, flags);
  });
}

/** Shows a job that was started to its end, unless it is to be left alone. Returns the exit code. */
export async function followStarted<Input, Outcome>(
  ctx: CommandContext,
  engine: EngineClient,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  flags: ResultFlags & { detach?: true },
): Promise<number> {
  tell(`${job.id}: ${kind.noun} ${kind.describe(job.input)}`);
  if (flags.detach === true) {
    const view = { job, state: 'running', progress: null } as const;
    if (flags.json === true) printJson(await envelopeOf(ctx, kind, view, null));
    else print(job.id);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, ctx, kind.service);
  const workflowId = kind.workflowId(job.input, job.id);
  const ended = await followHere<{ workId?: string }>(
    ctx,
    engine,
    { id: job.id, workflowId },
    (current) => kind.readProgress(current, workflowId),
  );
  const ran = await yieldTo(ctx, job, ended.workId ?? job.id);
  return printResult(ctx, kind, await findJob<Input, Outcome>(ctx, ran.id), flags);
}

/** Of no effect on a job that is there, whatever they say. */
const orderingFlags = new Set(['rerun', 'maxAge']);

/** @throws UsageError naming what a job that is attached to does otherwise than the flags say */
export function refuseIgnored<Input, Outcome>(
  command: Command,
  kind: Pick<JobKind<Input, Outcome>, 'terms'>,
  { id, input }: Pick<Job<Input, Outcome>, 'id' | 'input'>,
  runs: boolean,
): void {
  const terms = kind.terms(input);
  for (const option of command.options) {
    const name = option.attributeName();
    // The deadline of what does not run begins anew.
    if (command.getOptionValueSource(name) !== 'cli' || (name === 'deadline' && !runs)) continue;
    const isOrder = orderingFlags.has(name) && !(name in terms);
    const asked = JSON.stringify(command.getOptionValue(name));
    if (isOrder || (name in terms && JSON.stringify(terms[name]) !== asked)) {
      const has = isOrder ? 'has not ended' : `has ${option.long} ${wordsOf(name, terms[name])}`;
      throw new UsageError(
        `${option.long} would be ignored: ${id} ${has}; leave the flag out, or cancel that job first`,
      );
    }
  }
}

function wordsOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'unset';
  return name === 'deadline' ? `${Number(value) / 1_000}s` : JSON.stringify(value);
}

/** What a command would do, without doing it. */
function printDryRun(found: Foreseen, json: boolean): void {
  if (json) {
    printJson({ dryRun: true, ...found });
    return;
  }
  for (const line of found.lines ?? []) print(line);
  print(`would request ${found.request}, reuse ${found.reuse} that are there already`);
  if (found.underWay > 0) print(`${found.underWay} are under way and would be followed`);
  if (found.unknown > 0) {
    print(`${found.unknown} have an unknown outcome elsewhere and would stay so`);
  }
  for (const line of problemLines(found.problems)) print(line);
  for (const line of leftLines(found.left ?? {})) print(`  ${line}`);
  print('nothing was sent');
}
