import type { EngineClient } from '../../../temporal/connection';
import { withEngine, type CommandContext } from '../context';
import { UsageError } from '../errors';
import { findJob, hasWorker } from '../find-job';
import type { Job, JobKind } from '../job-kind';
import { startJob, type StartPlan } from './start-job';

/** A term that somebody named, by the name that `JobKind.terms` has for it. */
export interface GivenTerm {
  name: string;
  /** As it was written: `--deadline`. */
  written: string;
  value: unknown;
}

export interface Beginning<Input, Outcome, T> {
  /** Terms that were named: a job that is there already must have them. */
  given: readonly GivenTerm[];
  /** Nothing is sent: how this job ended is the answer. */
  ended: (job: Job<Input, Outcome>) => Promise<T>;
  /** It runs. The engine is closed when this resolves. */
  started: (engine: EngineClient, job: Job<Input, Outcome>) => Promise<T>;
}

/** Whether the end of the job that is there is the answer. */
export function isAnswered<Input, Outcome>({
  existing,
  isAnswer,
}: StartPlan<Input, Outcome>): boolean {
  return existing !== null && existing.outcome !== null && isAnswer;
}

/**
 * One rule for whoever asks for a job: what was asked for alike and has ended is the answer, what has not
 * ended is followed or gone on with, and only else a job is recorded and started.
 *
 * @throws UsageError when a given term is not that of the job which is there
 */
export async function beginJob<Input, Outcome, T>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  plan: StartPlan<Input, Outcome>,
  { given, ended, started }: Beginning<Input, Outcome, T>,
): Promise<T> {
  const { existing } = plan;
  const { formats, say } = ctx.reader;
  if (existing !== null && isAnswered(plan)) {
    ctx.log(
      say(
        `${existing.id}: ended ${existing.endedAt}, and is shown as it stands; \`--rerun\` orders it anew`,
        `${existing.id}: terminou em ${formats.instant(existing.endedAt ?? '')}, e é mostrado como está; \`--rerun\` pede de novo`,
      ),
    );
    return ended(existing);
  }
  let own = existing?.outcome === null ? existing : null;
  const record = async () => findJob<Input, Outcome>(ctx, await plan.record());
  if (own === null && plan.mayEndAtOnce === true) {
    own = await record();
    if (own.outcome !== null) return ended(own);
  }
  return withEngine(ctx, async (engine) => {
    const attach = async (job: Job<Input, Outcome>): Promise<void> => {
      refuseIgnored(kind, job, given, true);
      ctx.log(`${job.id}: ${say('is under way already', 'já está em andamento')}`);
      await plan.attach?.(engine, job);
    };
    if (own !== null && own === existing) {
      if (await hasWorker(engine, kind, own)) await attach(own);
      else if (plan.goesOn?.(own) === false) own = null;
      else {
        refuseIgnored(kind, own, given, false);
        ctx.log(
          `${own.id}: ${say('was interrupted, and goes on', 'foi interrompido, e continua')}`,
        );
      }
    }
    own ??= await record();
    const job = await startJob(ctx, engine, kind, own, plan);
    if (job.id !== own.id) await attach(job);
    return started(engine, job);
  });
}

/** @throws UsageError naming what a job that is there does otherwise than was given */
export function refuseIgnored<Input, Outcome>(
  { terms: termsOf }: Pick<JobKind<Input, Outcome>, 'terms'>,
  { id, input }: Pick<Job<Input, Outcome>, 'id' | 'input'>,
  given: readonly GivenTerm[],
  runs: boolean,
): void {
  const terms = termsOf(input);
  for (const { name, value, written } of given) {
    // The deadline of what does not run begins anew.
    if (name === 'deadline' && !runs) continue;
    // A rerun that has not ended is the one that is asked for.
    const isOrder = name === 'rerun' && value === true && terms['rerun'] !== true;
    const isOther = name !== 'rerun' && name in terms && !isSame(terms[name], value);
    if (isOrder || isOther) {
      const its = `${written} ${wordsOf(name, terms[name])}`;
      throw new UsageError([
        `${written} would be ignored: ${id} has ${isOrder ? 'not ended' : its}; leave it out, or cancel that job first`,
        `${written} não teria efeito: ${id} ${isOrder ? 'não terminou' : `tem ${its}`}; retire a opção, ou cancele antes esse trabalho`,
      ]);
    }
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function wordsOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'unset';
  return name === 'deadline' ? `${Number(value) / 1_000}s` : JSON.stringify(value);
}
