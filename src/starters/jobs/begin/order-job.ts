import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, WorkflowUpdateFailedError } from '@temporalio/client';
import { decisionEntry } from '../../../domain/core/audit';
import type { StopWord, Words } from '../../../domain/job';
import { answerWords, orderAnswer, type OrderAnswer } from '../../../domain/order-answers';
import { kindWord } from '../../../report/words';
import { JobBatchRepository } from '../../../store/core/jobs/job-batches';
import { isNotFound, withEngine, type CommandContext } from '../context';
import { CommandError, UsageError } from '../errors';
import { findJob, hasWorker } from '../find-job';
import { giveOrder, type Job, type JobKind, type Order, type OrderOptions } from '../job-kind';

/**
 * Cancels, pauses or resumes a job. A cancel or pause is committed before the workflow receives it: no claim of the
 * job commits after it, whichever process drives the job.
 * @returns the workflow's answer, in the reader's language
 */
export async function orderJob(
  ctx: CommandContext,
  kind: JobKind,
  job: Job,
  order: Order,
  options: OrderOptions,
): Promise<string> {
  const { id, folder } = job;
  const { say } = ctx.reader;
  if (!kind.orders.includes(order)) {
    throw new UsageError([
      `${id}: a job of kind ${kind.kind} does not take \`${order}\``,
      `${id}: um trabalho do tipo ${kindWord(kind.kind, 'pt')} não aceita \`${order}\``,
    ]);
  }
  if (job.outcome !== null) throw hasEnded(id);
  const stops = order === 'resume' ? null : order === 'pause' ? 'paused' : 'cancelled';
  const name = options.remote && stops === 'cancelled' ? 'cancel_remote' : order;
  const entry = decisionEntry(name, { jobId: id, by: ctx.environment.actor });
  const { jobs } = ctx.store;
  const batches = new JobBatchRepository(ctx.store);
  if (stops === null) {
    await releaseAll(ctx, folder, 'paused');
    await ctx.audit.append([entry]);
  } else {
    await jobs.stop(folder, stops, [entry]);
    await batches.stopChildren(folder, stops);
  }
  await ctx.audit.anchor();
  const refused = () => ctx.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
  return withEngine(ctx, async (engine) => {
    try {
      if (await hasWorker(engine, kind, job)) {
        const handle = engine.client.workflow.getHandle(kind.workflowId(job.input, id));
        const answer = giveOrder(handle, order, options);
        const answered = stops === null ? await answer : await within(patienceMs, answer);
        if (answered !== null) return say(...answerWords(answered));
        // The server has stored the update: if no worker takes it, it is lost with this process.
        if (stops === 'cancelled') await handle.cancel();
        if (stops === 'cancelled' || kind.claimsNothing !== true) return say(...notAnswered);
        await releaseAll(ctx, folder, 'paused');
        throw new CommandError([
          `${id}: no worker answers: not paused`,
          `${id}: nenhum worker responde: não foi pausado`,
        ]);
      }
    } catch (error) {
      if (!isNotFound(error)) {
        if (!(error instanceof WorkflowUpdateFailedError)) throw error;
        // A stop may already be stored: then it stays.
        await refused();
        throw refusalOf(id, error);
      }
    }
    const otherwise = await kind.giveOthers?.(engine, job, order);
    if (otherwise != null) return say(...answerWords(otherwise));
    if (stops !== null) await releaseAll(ctx, folder, stops);
    const { outcome, status } = await findJob(ctx, id);
    // The workflow's next step read the stored stop before the update arrived.
    if (stops === 'cancelled' && status === 'cancelled')
      return say('cancelled: nothing more was sent', 'cancelado: nada mais foi enviado');
    await refused();
    if (outcome !== null) throw hasEnded(id);
    const [en, pt] = answerWords(orderAnswer('not_running'));
    throw new CommandError([`${id}: ${en}`, `${id}: ${pt}`]);
  });
}

async function releaseAll(
  { store }: CommandContext,
  folder: string,
  word: StopWord,
): Promise<void> {
  await store.jobs.release(folder, word);
  await new JobBatchRepository(store).releaseChildren(folder, word);
}

export function refusalWords({ cause }: WorkflowUpdateFailedError): Words {
  const [answer] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  return answer == null ? ['refused', 'recusado'] : answerWords(answer as OrderAnswer);
}

export function refusalOf(id: string, error: WorkflowUpdateFailedError): CommandError {
  const [en, pt] = refusalWords(error);
  return new CommandError([`${id}: ${en}`, `${id}: ${pt}`]);
}

function hasEnded(id: string): CommandError {
  const command = `\`diligence result ${id}\``;
  return new CommandError([
    `${id} has ended: ${command} shows how`,
    `${id} já terminou: ${command} mostra como`,
  ]);
}

/** Null on timeout. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T | null> {
  answer.catch(() => undefined);
  return Promise.race([answer, sleep(ms, null, { ref: false })]);
}

/** Without a worker there is no answer: the stop is stored all the same. */
const patienceMs = 5_000;
const notAnswered: Words = [
  'no worker answers; on record: nothing more is requested, and the next worker sees to the rest',
  'nenhum worker responde; registrado: nada mais é pedido, e o próximo worker cuida do resto',
];
