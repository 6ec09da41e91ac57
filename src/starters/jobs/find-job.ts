import { rateWords } from '../../domain/core/service/rates';
import type { Words } from '../../domain/job';
import type { Reader } from '../../report/reader';
import type { Meant } from '../../store/core/jobs/job-rows';
import { EngineUnreachableError, type EngineClient } from '../../temporal/connection';
import { runningUnder, type CommandContext } from './context';
import { CommandError } from './errors';
import { isOfKind, type EndedJob, type Job, type JobKind } from './job-kind';
import { namedJob } from './named-job';
import type { Progress } from './progress';

export async function findJob<Input = unknown, Outcome = unknown>(
  { store }: CommandContext,
  id: string,
  meant?: Meant,
): Promise<Job<Input, Outcome>> {
  return (await namedJob(store, id, meant)) as Job<Input, Outcome>;
}

export function endedJob<Input, Outcome>(job: Job<Input, Outcome>): EndedJob<Input, Outcome> {
  const { id, outcome } = job;
  if (outcome !== null) return { ...job, outcome };
  throw new CommandError([
    `${id} has not ended: \`diligence show ${id}\` shows its progress`,
    `${id} não terminou: \`diligence show ${id}\` mostra o andamento`,
  ]);
}

/**
 * State of an open job. `interrupted`: the server ended its workflow without results, or does not know it. `stands
 * still`: its workflow task fails repeatedly. `waiting`: no server runs. `unknown`: the server cannot be reached.
 */
export type OpenState = 'running' | 'stands still' | 'interrupted' | 'waiting' | 'unknown';

export interface JobView {
  /** Read again: the job may have ended since it was found. */
  job: Job;
  /** Null: the job has ended. */
  state: OpenState | null;
  progress: Progress | null;
}

/** Queries the server about an open job, and starts none. */
export async function viewJob(ctx: CommandContext, kind: JobKind, job: Job): Promise<JobView> {
  if (job.outcome !== null) return { job, state: null, progress: null };
  const { engineIfRunning } =
    require('../../temporal/open-engine') as typeof import('../../temporal/open-engine');
  let engine: EngineClient | null;
  try {
    engine = await engineIfRunning(ctx, () => undefined);
  } catch (error) {
    if (!(error instanceof EngineUnreachableError)) throw error;
    ctx.log(error.message);
    return { job, state: 'unknown', progress: null };
  }
  const stored = async () => (await kind.storedProgress?.(ctx, job)) ?? null;
  if (engine === null) return { job, state: 'waiting', progress: await stored() };
  try {
    if (await hasWorker(engine, kind, job)) {
      if (job.waitsFor === 'stands_still')
        return { job, state: 'stands still', progress: await stored() };
      const workflowId = kind.workflowId(job.input, job.id);
      const progress =
        (await kind.readProgress(engine, workflowId, ctx.reader)) ?? (await stored());
      const details = [...(progress?.details ?? []), ...(await rateOf(ctx, kind))];
      return { job, state: 'running', progress: progress && { ...progress, details } };
    }
  } finally {
    await engine.close();
  }
  const now = await findJob(ctx, job.id);
  if (now.outcome !== null) return { job: now, state: null, progress: null };
  return { job: now, state: 'interrupted', progress: await stored() };
}

/** The request rate of the service; empty when there was no request within a day. */
async function rateOf({ reader, store }: CommandContext, { service }: JobKind): Promise<string[]> {
  const name = service === 'monitors' ? 'investigation' : service;
  const rates = (await store.rateShares.all(Date.now())).filter((one) => one.service === name);
  return rates.length === 0 ? [] : [rateWords(rates, Date.now(), reader.say)];
}

/** Jobs of the same request share a workflow id; its memo names the job, or the batch. */
export async function hasWorker(engine: EngineClient, kind: JobKind, job: Job): Promise<boolean> {
  const running = await runningUnder(engine, kind.workflowId(job.input, job.id));
  if (running === null) return false;
  const { startedFor } = running;
  // A workflow of a schedule names the schedule.
  return (
    !isOfKind(kind, startedFor) || startedFor === job.id || job.id.startsWith(`${startedFor}/`)
  );
}

const nextSteps: Record<OpenState, Words | null> = {
  running: null,
  'stands still': [
    'its workflow fails again and again (`diligence logs` says why): run the version of diligence that started it, or cancel it',
    'o workflow falha repetidamente (`diligence logs` diz o motivo): use a versão do diligence que o iniciou, ou cancele-o',
  ],
  interrupted: [
    'it was interrupted: start the same command again to go on',
    'foi interrompido: o mesmo comando continua o trabalho',
  ],
  waiting: [
    'no engine runs: it goes on with the next command that starts one, or `diligence dev --background`',
    'nenhum servidor Temporal está ativo: continua com o próximo comando que iniciar um, ou com `diligence dev --background`',
  ],
  unknown: [
    'the Temporal server does not answer: whether it runs cannot be told',
    'o servidor Temporal não responde: não se sabe se está em andamento',
  ],
};

/** What a person can do about a job that does not continue by itself; null: nothing. */
export function nextStep(state: OpenState, { say }: Reader): string | null {
  const words = nextSteps[state];
  return words && say(...words);
}
