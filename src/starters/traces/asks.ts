import { indexDocuments } from '../../store/core/subject-index';
import { documentsIn } from '../../domain/core/held-documents';
import { TraceRepository } from '../../store/traces/traces';
import {
  standsForGood,
  traceFolder,
  traceManifest,
  traceWorkflowId,
  type TraceRecord,
} from '../../domain/traces/search';
import type { TraceStrategy } from '../../domain/traces/trace';
import type { TraceOnFile } from './outcome';
import type { CommandContext } from '../jobs/context';

/** What makes a search: the same ask is the same search. */
export interface TraceAsk {
  target: string;
  strategy: TraceStrategy | null;
  label: string | null;
  /** Makes it another search on purpose; null: it is the one that was made. */
  rerun: string | null;
}

function traceName(
  { idKey }: CommandContext,
  { target, strategy, label, rerun }: TraceAsk,
): string {
  return idKey.nameOf('manifest', traceManifest(target, strategy, rerun ?? label));
}

/**
 * The newest work of the same ask, unless asking again could bring something else: one that has not
 * ended is gone on with, one that stands for good is shown.
 */
export async function standingTrace(
  place: CommandContext,
  ask: TraceAsk,
): Promise<TraceOnFile | null> {
  const file = new TraceRepository(place.store);
  const [newest] = await file.all(traceName(place, ask));
  if (newest === undefined) return null;
  const outcome = await file.outcome(newest.folder);
  return outcome === null || standsForGood(outcome) ? { ...newest, outcome } : null;
}

/** Puts on file what is asked for: it can be started then. */
export async function putTrace(place: CommandContext, ask: TraceAsk): Promise<TraceRecord> {
  const { store, environment, idKey } = place;
  const { label, strategy, target } = ask;
  const now = new Date();
  const name = traceName(place, ask);
  const workId = `${traceWorkflowId(name)}/${now.toISOString().replace(/[-:.]/g, '')}`;
  const folder = traceFolder(workId);
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const record: TraceRecord = {
    workId,
    name,
    targetName: nameOf(target),
    target,
    strategy,
    label,
    createdAt: now.toISOString(),
    createdBy: environment.actor,
  };
  // The target by its own name too: it is whom an erasure asks for.
  const held = [target, ...documentsIn(`${target} ${label ?? ''}`)];
  await indexDocuments(store, folder, nameOf, held);
  await new TraceRepository(store).putRecord(folder, record, label && nameOf(label));
  return record;
}
