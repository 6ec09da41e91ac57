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
import { decisionOf, decisionsOf, type FoundJob } from '../../../store/core/jobs/inbox';
import type { EngineClient } from '../../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../../temporal/search-attributes';
import { withEngine, type CommandContext } from '../context';
import { CommandError, UsageError, noteMissing, noJob, stillRuns } from '../errors';

/** Which rows of a batch a person decides about. */
export interface RowSelection {
  /** From 0, in order of the input. */
  rowIndexes?: readonly number[];
  /** Of the input, as people see them. */
  lines?: readonly number[];
  statuses?: readonly string[];
  all?: true;
}

export interface ResolveRequest {
  id: string;
  action: ResolveAction;
  /** Why: it is kept. */
  note: string;
  /** With `adopt`: the id that the service's support has named. */
  externalId: string | null;
  rows: RowSelection | null;
  /** Of what goes on: from its start to its end. */
  deadlineMs: number;
}

/** What goes on after a decision. */
export interface Continuation {
  /** Id of the job that tells how it ends. */
  id: string;
  workflowId: string;
}

/** What resolving means for jobs of one kind: what is done after the decision is on record. */
export interface Resolver {
  /** Which rows are meant. Left out: decisions are about the job as a whole. */
  rows?(ctx: CommandContext, job: FoundJob, request: ResolveRequest): Promise<DecidedRow[]>;
  /** @throws CommandError when it cannot be decided so, before anything is on record */
  check?(
    ctx: CommandContext,
    engine: EngineClient,
    job: FoundJob,
    request: ResolveRequest,
  ): Promise<void>;
  /**
   * Carried out again, it does nothing twice.
   *
   * @returns null when nothing goes on
   * @throws RefusedDecisionError when the job does not take it
   */
  carryOut(
    ctx: CommandContext,
    engine: EngineClient,
    job: FoundJob,
    decision: DecisionRecord,
    deadlineMs: number,
  ): Promise<Continuation | null>;
  /** The end of what goes on ends the decision, and the job again. */
  endsByItself?: true;
}

/** Of what is only acknowledged: its rows are decided about, or nothing is left to do. */
export const nothingGoesOn: Resolver = { carryOut: async () => null };

/** The job takes no decision: it moved on meanwhile. */
export class RefusedDecisionError extends WordedError {
  override readonly name = 'RefusedDecisionError';
}

export interface Resolved {
  decision: DecisionRecord;
  /** Null: nothing goes on. */
  continuation: Continuation | null;
  auditHead: string;
}

/**
 * Puts a person's decision on record, with the audit trail in one transaction, then carries it out. Of two
 * at once the first stands. The same decision given again goes on where it was interrupted.
 *
 * @throws CommandError when there is nothing to decide, or another decision stands
 */
export async function resolveJob(
  ctx: CommandContext,
  resolver: Resolver,
  request: ResolveRequest,
): Promise<Resolved> {
  refuseUsage(resolver, request);
  const job = await findJob(ctx, request.id);
  const { number, open } = await decisionToTake(ctx, job, request);
  if (open === null) refuseAction(job, request.action);
  const due = { job, request, number, rows: open?.rows ?? null };
  if (request.action === 'acknowledge') return record(ctx, resolver, due, null);
  return withEngine(ctx, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    if (open === null)
      await resolver.check?.(ctx, engine, job, request).catch(async (error: unknown) => {
        // Another window has decided meanwhile, and what goes on stands in the way.
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
  if (rows !== null && resolver.rows === undefined)
    throw new UsageError([
      'rows are chosen in batches of certificates: resolve the job itself',
      'linhas são escolhidas em lotes de certidões: resolva o próprio trabalho',
    ]);
}

/** @throws CommandError when there is none */
export async function findJob({ store }: CommandContext, id: string): Promise<FoundJob> {
  const job = await store.inbox.find(id);
  if (job === null) throw new CommandError(noJob(id));
  return job;
}

function refuseAction(job: FoundJob, action: string) {
  const { id, status, waitsFor, needsAttention } = job;
  if (status === null && waitsFor === null) throw new CommandError(stillRuns(id));
  const { actions } = inboxEntry(job, needsAttention);
  if (actions.some((one) => one.action === action)) return;
  const words = actions.map((one) => one.action).join(', ');
  const how = status ?? `waiting: ${waitsFor}`;
  const state = stateWord(status ?? waitsFor ?? 'waiting', 'pt');
  throw new CommandError([
    `${id} is ${how}: \`--action ${action}\` does not apply (${words || 'nothing'} does)`,
    `${id}: ${state}; \`--action ${action}\` não se aplica (possíveis: ${words || 'nenhuma'})`,
  ]);
}

/**
 * @returns its number; `open`: it was given before, and was interrupted
 * @throws CommandError when another decision stands
 */
async function decisionToTake(
  { store, environment }: CommandContext,
  { endedAt, folder, id, kind }: FoundJob,
  request: ResolveRequest,
): Promise<{ number: number; open: DecisionRecord | null }> {
  const last = (await decisionsOf(store, folder)).at(-1);
  if (last === undefined) return { number: 1, open: null };
  const isOpen = (await store.jobs.outcome(decisionFolder(folder, last.number))) === null;
  // A batch of certificates, or one of them, ends again after each decision.
  const isAboutThisEnd = endedAt !== null && last.at > endedAt && !kind.startsWith('certificate');
  if (!isOpen && !isAboutThisEnd) return { number: last.number + 1, open: null };
  if (isOpen && isSame(last, request, environment.actor))
    return { number: last.number, open: last };
  throw alreadyDecided(id, last);
}

function alreadyDecided(id: string, { action, at, by }: DecisionRecord): CommandError {
  return new CommandError([
    `${id}: ${by} has resolved it already: ${action}, at ${at}`,
    `${id}: ${by} já resolveu: ${action}, em ${at}`,
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
  job: FoundJob;
  request: ResolveRequest;
  number: number;
  /** Null: they are still to be chosen. */
  rows: DecidedRow[] | null;
}

/** @param engine null: nothing goes on */
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
  const isNew = await store.jobs.start(own, start, decision, [resolveEntry(id, decision)]);
  await store.jobs.inheritOutput(decisionId, id);
  const first = isNew ? decision : ((await decisionOf(store, folder, number)) ?? decision);
  if (!isNew && !isSame(first, request, by)) throw alreadyDecided(id, first);
  const auditHead = await audit.anchor();
  const carriesOn = engine !== null && action !== 'acknowledge';
  const continuation = carriesOn
    ? await carriedOut(ctx, resolver, engine, job, first, request.deadlineMs)
    : null;
  if (continuation === null || resolver.endsByItself !== true) {
    await store.inbox.settle(folder);
    await endDecision(ctx, own, 'completed', continuation);
  }
  return { decision: first, continuation, auditHead };
}

async function rowsOf(
  ctx: CommandContext,
  resolver: Resolver,
  job: FoundJob,
  request: ResolveRequest,
): Promise<DecidedRow[]> {
  if (resolver.rows === undefined || request.action === 'acknowledge') return [];
  const rows = await resolver.rows(ctx, job, request);
  if (rows.length === 0)
    throw new CommandError([`${job.id}: no row to resolve`, `${job.id}: nenhuma linha a resolver`]);
  return rows;
}

async function carriedOut(
  ctx: CommandContext,
  resolver: Resolver,
  engine: EngineClient,
  job: FoundJob,
  decision: DecisionRecord,
  deadlineMs: number,
): Promise<Continuation | null> {
  try {
    return await resolver.carryOut(ctx, engine, job, decision, deadlineMs);
  } catch (error) {
    if (!(error instanceof RefusedDecisionError)) throw error;
    const { folder, id } = job;
    const entry = { ...resolveEntry(id, decision), result: 'refused' };
    await ctx.audit.appendAndAnchor([entry]);
    await endDecision(ctx, decisionFolder(folder, decision.number), 'refused', null);
    throw new CommandError([`${id}: ${error.words[0]}`, `${id}: ${error.words[1]}`]);
  }
}

async function endDecision(
  { store }: CommandContext,
  folder: string,
  status: 'completed' | 'refused',
  continuation: Continuation | null,
): Promise<void> {
  const ending = { status, needsAttention: false, endedAt: new Date().toISOString() };
  await store.jobs.end(folder, ending, { continuation: continuation?.id ?? null });
}
