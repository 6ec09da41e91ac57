import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import type { Store } from '../../store/store';
import { orderEntry } from '../../domain/audit-entries';
import type { EngineClient } from '../../temporal/connection';
import { cancelUpdate } from '../../workflows/messages';
import { workIdOf } from '../../workflows/core/search-attributes';
import { CommandError } from '../jobs/errors';
import { print, printJson } from './terminal';
import {
  refuseAllButCancel,
  type OrderName,
  type ResultOptions,
  type WorkFamily,
} from './work-family';
import { isNotFound, runningUnder, withEngine, type CommandContext } from '../jobs/context';

/** Of an outcome that an erasure by age has left nothing but its end. */
export const erasedLine = `  ${'erased'.padEnd(10)} what the service reported is no longer stored`;

/** What all records of single works say. */
interface SingleRecord {
  /** `<kind>/<name>/<instant>`. */
  workId: string;
  createdAt: string;
  createdBy: string;
}

/** A work for one ask: one search, one lookup, one file, one dossier. */
export interface SingleOnFile<Asked extends SingleRecord, Outcome> {
  folder: string;
  record: Asked;
  /** Null before the end. */
  outcome: Outcome | null;
}

/** What tells one kind of single works from another. */
export interface SingleKind<Asked extends SingleRecord, Outcome extends { settledAt: string }> {
  /** The first word of its ids. */
  kind: string;
  /** One of them, in a sentence: `a search`. */
  what: string;
  /** What stands in an id between kind and instant. */
  name: RegExp;
  shelf: (store: Store) => {
    /** Newest first; without a name, all. */
    all(name?: string): Promise<{ folder: string; record: Asked }[]>;
    outcome(folder: string): Promise<Outcome | null>;
  };
  workflowId: (record: Asked) => string;
  /** What it is about, masked. */
  input: (record: Asked) => string;
  /** Its terms, for `status --json`. */
  terms: (record: Asked) => Record<string, unknown>;
  /** How it stands, in a line; null when nobody can tell. */
  line: (engine: EngineClient, workflowId: string) => Promise<string | null>;
  outcomeLines: (outcome: Outcome) => string[];
}

/**
 * By the id that its command printed, or, without its instant, the last one of that ask.
 *
 * @throws CommandError when there is none
 */
export async function singleOf<Asked extends SingleRecord, Outcome extends { settledAt: string }>(
  { store }: CommandContext,
  { kind, name: wanted, shelf, what }: SingleKind<Asked, Outcome>,
  id: string,
): Promise<SingleOnFile<Asked, Outcome>> {
  const [first, name = '', instant, ...rest] = id.split('/');
  const isInstant = instant === undefined || /^\d{8}T\d+Z$/.test(instant);
  const isId = first === kind && wanted.test(name) && isInstant && rest.length === 0;
  const file = shelf(store);
  const all = isId ? await file.all(name) : [];
  const found = all.find(({ record }) => instant === undefined || record.workId === id);
  if (found === undefined) {
    throw new CommandError(`no ${what.replace(/^an? /, '')} ${id} in this store`);
  }
  return { ...found, outcome: await file.outcome(found.folder) };
}

/** `status`. A workflow that was ended by hand still answers queries: whether it runs is asked first. */
export async function showSingleStatus<
  Asked extends SingleRecord,
  Outcome extends { settledAt: string },
>(
  place: CommandContext,
  kind: SingleKind<Asked, Outcome>,
  { record, outcome }: SingleOnFile<Asked, Outcome>,
  json: boolean,
): Promise<void> {
  const { workId, createdAt, createdBy } = record;
  const running =
    outcome === null
      ? await withEngine(place, (engine) => singleProgress(engine, kind, record))
      : null;
  if (json) {
    const state = outcome !== null ? 'ended' : running === null ? 'broken off' : 'running';
    const about = { kind: kind.kind, input: kind.input(record), ...kind.terms(record) };
    printJson({ id: workId, ...about, createdAt, createdBy, state, progress: running, outcome });
    return;
  }
  if (outcome !== null) {
    print(`${workId}: ended ${outcome.settledAt}`);
    for (const line of kind.outcomeLines(outcome)) print(line);
  } else print(running ?? `${workId}: broken off: the same command goes on with it`);
}

/** Null when it does not run. */
export async function singleProgress<
  Asked extends SingleRecord,
  Outcome extends { settledAt: string },
>(
  engine: EngineClient,
  { kind, line, workflowId }: SingleKind<Asked, Outcome>,
  record: Asked,
): Promise<string | null> {
  const id = workflowId(record);
  if (!(await isAtWork(engine, kind, id, record.workId))) return null;
  return (await line(engine, id)) ?? `${id}: runs; no worker tells how far`;
}

/** Another work of the same ask goes by the same workflow id, and says which it is. */
async function isAtWork(
  engine: EngineClient,
  kind: string,
  workflowId: string,
  workId: string,
): Promise<boolean> {
  const running = await runningUnder(engine, workflowId);
  if (running === null) return false;
  const { startedFor } = running;
  return startedFor?.startsWith(`${kind}/`) !== true || startedFor === workId;
}

/** The work that runs: somebody else may have begun the same a moment before. */
export async function recordAtWork<
  Asked extends SingleRecord,
  Outcome extends { settledAt: string },
>(
  place: CommandContext,
  kind: SingleKind<Asked, Outcome>,
  handle: Pick<WorkflowHandle, 'describe'>,
  own: { folder: string; record: Asked },
): Promise<{ folder: string; record: Asked }> {
  const startedFor = workIdOf((await handle.describe()).typedSearchAttributes);
  const isOne = startedFor?.startsWith(`${kind.kind}/`) === true;
  return isOne ? ranInstead(place, kind, own, startedFor) : own;
}

/** The work that an outcome is of: theirs, where what was followed was begun by somebody else. */
export async function workOfOutcome<
  Asked extends SingleRecord,
  Outcome extends { settledAt: string; workId: string },
>(
  place: CommandContext,
  kind: SingleKind<Asked, Outcome>,
  own: { folder: string; record: Asked },
  outcome: Outcome,
): Promise<SingleOnFile<Asked, Outcome>> {
  return { ...(await ranInstead(place, kind, own, outcome.workId)), outcome };
}

/** Of one's own nothing began then, and it goes: else it would be taken for one that was broken off. */
async function ranInstead<Asked extends SingleRecord, Outcome extends { settledAt: string }>(
  place: CommandContext,
  kind: SingleKind<Asked, Outcome>,
  own: { folder: string; record: Asked },
  workId: string,
): Promise<{ folder: string; record: Asked }> {
  if (workId === own.record.workId) return own;
  const { folder, record } = await singleOf(place, kind, workId);
  const keys = await place.store.records.list(`${own.folder}/`);
  if (keys.length === 0) await place.store.jobs.remove(own.folder);
  return { folder, record };
}

const doesNotRun = ' does not run: the same command goes on with it';

/**
 * `cancel`, where the service shows no way to call one off: it is waited for no longer.
 *
 * @throws CommandError when it does not run, or refuses
 */
async function cancelSingle<Asked extends SingleRecord, Outcome extends { settledAt: string }>(
  place: CommandContext,
  { kind, workflowId }: SingleKind<Asked, Outcome>,
  { folder, record, outcome }: SingleOnFile<Asked, Outcome>,
): Promise<void> {
  const { workId } = record;
  if (outcome !== null) {
    throw new CommandError(`${workId} has ended: \`diligence result ${workId}\``);
  }
  const entry = orderEntry('cancel', { workId, by: place.environment.actor }, Date.now());
  const { jobs } = place.store;
  await jobs.stop(folder, 'cancelled', [entry]);
  await place.audit.anchor();
  const refuse = async (why: string): Promise<never> => {
    await jobs.release(folder);
    await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
    throw new CommandError(`${workId}${why}`);
  };
  await withEngine(place, async (engine) => {
    const id = workflowId(record);
    if (!(await isAtWork(engine, kind, id, workId))) return refuse(doesNotRun);
    const handle = engine.client.workflow.getHandle(id);
    try {
      print(await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] }));
    } catch (error) {
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !isNotFound(error)) throw error;
      return refuse(isRefused ? `: ${error.cause?.message ?? 'refused'}` : doesNotRun);
    }
  });
}

/** Works of one kind that can be cancelled and nothing else. */
export function singleWorks<
  Asked extends SingleRecord,
  Outcome extends { settledAt: string; status: string },
>(
  kind: SingleKind<Asked, Outcome>,
  show: (
    place: CommandContext,
    work: SingleOnFile<Asked, Outcome>,
    options: ResultOptions,
  ) => Promise<number>,
): WorkFamily {
  return {
    owns: (id) => id.startsWith(`${kind.kind}/`),
    status: async (place, id, json) =>
      showSingleStatus(place, kind, await singleOf(place, kind, id), json),
    result: async (place, id, options) => show(place, await singleOf(place, kind, id), options),
    order: async (place, id, name: OrderName) => {
      refuseAllButCancel(id, name, kind.what);
      await cancelSingle(place, kind, await singleOf(place, kind, id));
    },
  };
}
