import { ConfigError } from '../../environment';
import type { BatchSummary } from '../../domain/certificates/certificates';
import { EngineUnreachableError, type EngineClient } from '../../temporal/connection';
import { engineIfRunning, openEngine } from '../../temporal/open-engine';
import { batchEnd } from '../../domain/job-ends';
import { readProgress } from './follow';
import { progressLine, type WorkProgress } from './progress';
import { summaryDocument } from './result-folder';
import { tell } from './terminal';
import { wayOn, workState, type EngineSight, type WorkState } from './work-state';
import { beganAt, engineIdOf, summaryOf, workIdOf, type WorkOnFile } from './works-on-file';
import { isNotFound, type CommandContext } from '../jobs/context';

/** A work as it stands: from the store when it has ended, else from the engine. */
export interface WorkView {
  id: string;
  work: WorkOnFile;
  state: WorkState;
  /** Null before the end. */
  summary: BatchSummary | null;
  /** Null when it does not run, or nobody could tell. */
  progress: WorkProgress | null;
}

/** One work; when it has not ended, the engine is opened (and what waited for it goes on). */
export async function viewOne(place: CommandContext, work: WorkOnFile): Promise<WorkView> {
  const summary = await summaryOf(place, work);
  if (summary !== null) return viewOf(work, summary, 'closed', null);
  const { engine, otherwise } = await reach(() => openOrLook(place));
  if (engine === null) return viewOf(work, null, otherwise, null);
  try {
    return await viewWith(place, engine, work);
  } finally {
    await engine.close();
  }
}

/** As seen by an engine that is open already. */
export async function viewWith(
  place: CommandContext,
  engine: EngineClient,
  work: WorkOnFile,
): Promise<WorkView> {
  const id = engineIdOf(work);
  const sight = await sightOf(engine, id);
  const progress = sight === 'running' ? await readProgress(engine, id) : null;
  // It may have ended since the store was read.
  const summary = sight === 'running' ? null : await summaryOf(place, work);
  return viewOf(work, summary, sight, progress);
}

function viewOf(
  work: WorkOnFile,
  summary: BatchSummary | null,
  sight: EngineSight,
  progress: WorkProgress | null,
): WorkView {
  const state = workState(summary !== null, sight);
  return { id: workIdOf(work), work, state, summary, progress };
}

async function sightOf(engine: EngineClient, id: string): Promise<EngineSight> {
  try {
    const { status } = await engine.client.workflow.getHandle(id).describe();
    return status.name === 'RUNNING' ? 'running' : 'closed';
  } catch (error) {
    if (isNotFound(error)) return 'not known';
    throw error;
  }
}

/** Where none can be started (no service is set, or another one than it works for) one may run. */
async function openOrLook(place: CommandContext): Promise<EngineClient | null> {
  try {
    return await openEngine(place, tell);
  } catch (error) {
    if (error instanceof ConfigError) return engineIfRunning(place, () => undefined);
    throw error;
  }
}

/** Without an engine the store is shown, and what only the engine knows is said to be unknown. */
async function reach(
  open: () => Promise<EngineClient | null>,
): Promise<{ engine: EngineClient | null; otherwise: 'no engine' | 'unreachable' }> {
  try {
    return { engine: await open(), otherwise: 'no engine' };
  } catch (error) {
    if (error instanceof EngineUnreachableError) {
      tell(error.message);
      return { engine: null, otherwise: 'unreachable' };
    }
    throw error;
  }
}

/** The JSON shape of a work, in `list` and `status`. */
export function workDocument({ id, work, state, summary, progress }: WorkView) {
  const { record, decision } = work;
  return {
    id,
    kind: decision === null ? record.kind : 'decision',
    state,
    input: record.inputName,
    items: decision?.rows.length ?? record.items,
    createdAt: beganAt(work),
    createdBy: decision?.by ?? record.createdBy,
    endedAt: summary?.finishedAt ?? null,
    needsAttention: summary !== null && batchEnd(record.kind, summary.counts).needsAttention,
    ...(decision !== null && {
      decision: { action: decision.action, note: decision.note, by: decision.by },
    }),
    counts: summary?.counts ?? null,
    summary: summary === null ? null : summaryDocument(summary),
    progress,
    next: wayOn(work, state),
  };
}

export function statusLines({ id, work, state, summary, progress }: WorkView): string[] {
  const { decision } = work;
  const what = decision === null ? '' : ` (${decision.action} of ${decision.rows.length} row(s))`;
  if (summary !== null) {
    const counts = Object.entries(summary.counts).filter(([, count]) => count > 0);
    return [
      `${id}${what}: ended ${summary.finishedAt}`,
      ...counts.map(([status, count]) => `  ${String(count).padStart(6)}  ${status}`),
    ];
  }
  const lines = [`${id}${what}: ${state}`];
  if (progress !== null) lines.push(`  ${progressLine(progress, null, Date.now())}`);
  const way = wayOn(work, state);
  if (way !== null) lines.push(`  ${way}`);
  return lines;
}
