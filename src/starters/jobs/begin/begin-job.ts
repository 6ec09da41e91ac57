import type { EngineClient } from '../../../temporal/connection';
import { withEngine, type CommandContext } from '../context';
import { UsageError } from '../errors';
import { findJob, hasWorker } from '../find-job';
import type { Job, JobKind } from '../job-kind';
import { startJob, type StartPlan } from './start-job';

export interface GivenTerm {
  name: string;
  /** As the user typed it: `--deadline`. */
  written: string;
  value: unknown;
}

export interface Beginning<Input, Outcome, T> {
  /** Terms that the user set: an existing job must have the same. */
  given: readonly GivenTerm[];
  /** Called when an ended job is the answer: nothing is sent. */
  ended: (job: Job<Input, Outcome>) => Promise<T>;
  /** Called when the job runs. The client is closed when this resolves. */
  started: (engine: EngineClient, job: Job<Input, Outcome>) => Promise<T>;
}

export function isAnswered<Input, Outcome>({
  existing,
  isAnswer,
}: StartPlan<Input, Outcome>): boolean {
  return existing !== null && existing.outcome !== null && isAnswer;
}

/**
 * The rule of every command that starts a job: an ended job of the same request is the answer, an open
 * one is followed or resumed, and only otherwise a new job is stored and started.
 */
export async function beginJob<Input, Outcome, T>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  plan: StartPlan<Input, Outcome>,
  { given, ended, started }: Beginning<Input, Outcome, T>,
): Promise<T> {
  const { existing } = plan;
  const { formats, say } = ctx.reader;
  const record = async () => findJob<Input, Outcome>(ctx, await plan.record());
  if (existing !== null && isAnswered(plan)) {
    const { id, endedAt } = existing;
    ctx.log(
      say(
        `${id}: ended ${endedAt}, and is shown as it stands; \`--rerun\` orders it anew`,
        `${id}: terminou em ${formats.instant(endedAt ?? '')}, e é mostrado como está; \`--rerun\` pede de novo`,
      ),
    );
    return ended(existing);
  }
  let own = existing?.outcome === null ? existing : null;
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
        const words = say('was interrupted, and goes on', 'foi interrompido, e continua');
        ctx.log(`${own.id}: ${words}`);
      }
    }
    own ??= await record();
    const job = await startJob(ctx, engine, kind, own, plan);
    if (job.id !== own.id) await attach(job);
    return started(engine, job);
  });
}

export function refuseIgnored<Input, Outcome>(
  kind: JobKind<Input, Outcome>,
  { id, input }: Job<Input, Outcome>,
  given: readonly GivenTerm[],
  runs: boolean,
): void {
  const terms = kind.terms(input);
  for (const { name, value, written } of given) {
    const term = terms[name];
    // A job that is resumed gets a new deadline; an open rerun is the one requested.
    const isSame =
      name === 'rerun'
        ? value !== true || term === true
        : !(name in terms) ||
          (name === 'deadline' && !runs) ||
          JSON.stringify(term) === JSON.stringify(value);
    if (isSame) continue;
    const its = name === 'deadline' ? `${Number(term) / 1_000}s` : JSON.stringify(term ?? 'unset');
    const [en, pt] =
      name === 'rerun'
        ? ['has not ended', 'não terminou']
        : [`has ${written} ${its}`, `tem ${written} ${its}`];
    throw new UsageError([
      `${written} would be ignored: ${id} ${en}; leave it out, or cancel that job first`,
      `${written} não teria efeito: ${id} ${pt}; retire a opção, ou cancele antes esse trabalho`,
    ]);
  }
}
