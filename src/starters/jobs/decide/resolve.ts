import { stateWord } from '../../../report/words';
import { WordedError } from '../../../domain/core/worded-error';
import { inboxEntry } from '../../../domain/attention';
import type { ResolveAction } from '../../../domain/core/kind';
import { resolveEntry } from '../../../domain/audit-entries';
import {
  decisionFolder,
  type DecidedRow,
  type DecisionRecord,
} from '../../../domain/core/decision';
import { decisionOf, decisionsOf } from '../../../store/core/jobs/inbox';
import type { JobRow } from '../../../store/core/jobs/job-rows';
import type { EngineClient } from '../../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../../temporal/search-attributes';
import { withEngine, type CommandContext } from '../context';
import { CommandError, UsageError, noteMissing, noJob, stillRuns } from '../errors';

export interface RowSelection {
  /** From 0, in input order. */
  rowIndexes?: readonly number[];
  /** Line numbers of the input, as people see them. */
  lines?: readonly number[];
  statuses?: readonly string[];
  all?: true;
}

export interface ResolveRequest {
  id: string;
  action: ResolveAction;
  /** The reason, stored with the resolution. */
  note: string;
  /** With `adopt`: the id that the service's support gave. */
  externalId: string | null;
  rows: RowSelection | null;
  /** Of the continuation: from its start to its end. */
  deadlineMs: number;
}

export interface Continuation {
  /** Id of the job whose outcome counts. */
  id: string;
  workflowId: string;
}

/** How jobs of one kind are resolved, once the resolution is stored. */
export interface Resolver {
  /** The selected rows. Left out: a resolution is about the whole job. */
  rows?(ctx: CommandContext, job: JobRow, request: ResolveRequest): Promise<DecidedRow[]>;
  check?(
    ctx: CommandContext,
    engine: EngineClient,
    job: JobRow,
    request: ResolveRequest,
  ): Promise<void>;
  /** Safe to run again. @returns null when nothing continues @throws RefusedDecisionError when the job refuses it */
  carryOut(
    ctx: CommandContext,
    engine: EngineClient,
    job: JobRow,
    decision: DecisionRecord,
    deadlineMs: number,
  ): Promise<Continuation | null>;
  /** The end of the continuation ends the resolution, and the job again. */
  endsByItself?: true;
}

/** For kinds that can only be acknowledged, or have nothing left to do. */
export const nothingGoesOn: Resolver = { carryOut: async () => null };

/** The job refuses the resolution: its state changed meanwhile. */
export class RefusedDecisionError extends WordedError {
  override readonly name = 'RefusedDecisionError';
}

export interface Resolved {
  decision: DecisionRecord;
  /** Null: nothing continues. */
  continuation: Continuation | null;
  auditHead: string;
}

/**
 * Stores a person's resolution and its audit event in one transaction, then carries it out. Of two
 * at once the first wins. The same resolution given again resumes where it was interrupted.
 */
export async function resolveJob(
  ctx: CommandContext,
  resolver: Resolver,
  request: ResolveRequest,
): Promise<Resolved> {
  refuseUsage(resolver, request);
  const job = await ctx.store.jobs.get(request.id);
  if (job === null) throw new CommandError(noJob(request.id));
  const { number, open, last } = await decisionToTake(ctx, job, request);
  if (open === null) refuseAction(job, request.action, last);
  const due = { job, request, number, rows: open?.rows ?? null };
  if (request.action === 'acknowledge') return record(ctx, resolver, due, null);
  return withEngine(ctx, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    if (open === null)
      await resolver.check?.(ctx, engine, job, request).catch(async (error: unknown) => {
        // Another process resolved it meanwhile, and its continuation is in the way.
        await decisionToTake(ctx, job, request);
        throw error;
      });
    return record(ctx, resolver, due, engine);
  });
}

function refuseUsage(resolver: Resolver, { action, externalId, note, rows }: ResolveRequest): void {
  if (note.trim() === '') throw new UsageError(noteMissing);
  if ((action === 'adopt') !== (externalId !== null))
    throw new UsageError([
      '--external-id goes with --action adopt, and adopt needs it',
      '--external-id vale com --action adopt, que precisa dele',
    ]);
  if (rows !== null && action === 'acknowledge')
    throw new UsageError([
      '--action acknowledge is about the whole job: leave out which rows',
      '--action acknowledge vale para o trabalho inteiro: não indique linhas',
    ]);
  if (rows !== null && resolver.rows === undefined)
    throw new UsageError([
      'rows are chosen in batches of certificates: resolve the job itself',
      'linhas são escolhidas em lotes de certidões: resolva o próprio trabalho',
    ]);
}

/** @param last of the resolutions before */
function refuseAction(job: JobRow, action: string, last: DecisionRecord | undefined) {
  const { id, status, waitsFor, needsAttention } = job;
  if (status === null && waitsFor === null) throw new CommandError(stillRuns(id));
  const { actions } = inboxEntry(job, needsAttention);
  if (actions.some((one) => one.action === action)) return;
  if (actions.length === 0 && last !== undefined) throw alreadyDecided(id, last);
  const words = actions.map((one) => one.action).join(', ');
  const how = status ?? `waiting: ${waitsFor}`;
  const state = stateWord(status ?? waitsFor ?? 'waiting', 'pt');
  throw new CommandError([
    `${id} is ${how}: \`--action ${action}\` does not apply (${words || 'nothing'} does)`,
    `${id}: ${state}; \`--action ${action}\` não se aplica (possíveis: ${words || 'nenhuma'})`,
  ]);
}

/** @returns its number; `open`: it was given before, and was interrupted; `last` before it */
async function decisionToTake(
  { store, environment }: CommandContext,
  { endedAt, folder, id, kind }: JobRow,
  request: ResolveRequest,
): Promise<{ number: number; open: DecisionRecord | null; last?: DecisionRecord }> {
  const last = (await decisionsOf(store, folder)).at(-1);
  if (last === undefined) return { number: 1, open: null };
  const isOpen = (await store.jobs.outcome(decisionFolder(folder, last.number))) === null;
  // A batch of certificates, or one certificate, ends again after each resolution.
  const isAboutThisEnd = endedAt !== null && last.at > endedAt && !kind.startsWith('certificate');
  if (!isOpen && !isAboutThisEnd) return { number: last.number + 1, open: null, last };
  if (isOpen && isSame(last, request, environment.actor))
    return { number: last.number, open: last };
  throw alreadyDecided(id, last, isOpen && kind.startsWith('certificate'));
}

/** @param isOpen its rows are being carried out */
function alreadyDecided(
  id: string,
  { action, at, by, number }: DecisionRecord,
  isOpen = false,
): CommandError {
  const cancel = `\`diligence cancel ${id}/decision-${number}\``;
  return new CommandError([
    `${id}: ${by} has resolved it already: ${action}, at ${at}${isOpen ? `, not ended yet (${cancel})` : ''}`,
    `${id}: ${by} já resolveu: ${action}, em ${at}${isOpen ? `, ainda não terminou (${cancel})` : ''}`,
  ]);
}

function isSame(
  decision: DecisionRecord,
  { action, externalId, note }: ResolveRequest,
  by: string,
): boolean {
  const { action: stood, externalId: named, note: why, by: who } = decision;
  return stood === action && named === externalId && why === note && who === by;
}

interface Due {
  job: JobRow;
  request: ResolveRequest;
  number: number;
  /** Null: not selected yet. */
  rows: DecidedRow[] | null;
}

/** @param engine null: nothing continues */
async function record(
  ctx: CommandContext,
  resolver: Resolver,
  { job, request, number, rows: given }: Due,
  engine: EngineClient | null,
): Promise<Resolved> {
  const { store, audit, environment } = ctx;
  const { action, externalId, note } = request;
  const { folder, id } = job;
  const rows = given ?? (await rowsOf(ctx, resolver, job, request));
  const at = new Date().toISOString();
  const by = environment.actor;
  const decision: DecisionRecord = { number, action, externalId, note, by, at, rows };
  const decisionId = `${id}/decision-${number}`;
  const start = { id: decisionId, kind: 'decision', createdAt: at, label: null } as const;
  const own = decisionFolder(folder, number);
  const end = (status: 'completed' | 'refused', continuation: Continuation | null) => {
    const ending = { status, needsAttention: false, endedAt: new Date().toISOString() };
    return store.jobs.end(own, ending, { continuation: continuation?.id ?? null });
  };
  const isNew = await store.jobs.start(own, start, decision, [resolveEntry(id, decision)]);
  await store.jobs.inheritOutput(decisionId, id);
  const first = isNew ? decision : ((await decisionOf(store, folder, number)) ?? decision);
  if (!isNew && !isSame(first, request, by)) throw alreadyDecided(id, first);
  const auditHead = await audit.anchor();
  let continuation: Continuation | null = null;
  if (engine !== null)
    try {
      continuation = await resolver.carryOut(ctx, engine, job, first, request.deadlineMs);
    } catch (error) {
      if (!(error instanceof RefusedDecisionError)) throw error;
      await audit.appendAndAnchor([{ ...resolveEntry(id, first), result: 'refused' }]);
      await end('refused', null);
      throw new CommandError([`${id}: ${error.words[0]}`, `${id}: ${error.words[1]}`]);
    }
  if (continuation === null || resolver.endsByItself !== true) {
    await store.inbox.settle(folder);
    await end('completed', continuation);
  }
  return { decision: first, continuation, auditHead };
}

async function rowsOf(
  ctx: CommandContext,
  resolver: Resolver,
  job: JobRow,
  request: ResolveRequest,
): Promise<DecidedRow[]> {
  if (resolver.rows === undefined || request.action === 'acknowledge') return [];
  const rows = await resolver.rows(ctx, job, request);
  if (rows.length > 0) return rows;
  // Of two at once the second may come when the first is carried out.
  const last = (await decisionsOf(ctx.store, job.folder)).at(-1);
  const isOver = (await ctx.store.jobs.get(job.id))?.needsAttention === false;
  if (last !== undefined && isOver) throw alreadyDecided(job.id, last);
  throw new CommandError([`${job.id}: no row to resolve`, `${job.id}: nenhuma linha a resolver`]);
}
