import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { TraceFile } from '../archive/traces';
import { orderEntry } from '../domain/audit-entries';
import {
  traceWorkflowId,
  type TraceOutcome,
  type TraceRecord,
  type TraceSeen,
} from '../domain/traces/search';
import { maskTarget } from '../domain/traces/target';
import type { EngineClient } from '../temporal/connection';
import { cancelUpdate, traceProgressQuery } from '../workflows/messages';
import { defaultFolder } from './certificate-flags';
import { CommandError, exitCodes, print, printable, printJson, tell } from './terminal';
import { refuseAllButCancel, type ListedWork, type WorkFamily } from './work-family';
import { isNotFound, withEngine, type Workplace } from './workplace';
import { writeWhole } from './written-file';

export interface TraceOnFile {
  folder: string;
  record: TraceRecord;
  /** Null before the end. */
  outcome: TraceOutcome | null;
}

export interface TraceOutput {
  out?: string;
  json?: true;
}

/**
 * By the id that its command printed, or, without its instant, the last one of that ask.
 *
 * @throws CommandError when there is none
 */
async function traceOf({ archive }: Workplace, id: string): Promise<TraceOnFile> {
  const [, name, instant] = /^trace\/([0-9a-f]{32})(?:\/(\d{8}T\d+Z))?$/.exec(id) ?? [];
  const file = new TraceFile(archive);
  const all = name === undefined ? [] : await file.all(name);
  const found = all.find(({ record }) => instant === undefined || record.workId === id);
  if (found === undefined) throw new CommandError(`no search ${id} in this archive`);
  return { ...found, outcome: await file.outcome(found.folder) };
}

/** A partial search is done: the service says which sources did not answer. */
export function traceExitCode({ status }: TraceOutcome): number {
  if (status === 'completed' || status === 'cancelled') return exitCodes.done;
  return status === 'failed' || status === 'refused' ? exitCodes.failed : exitCodes.needsAPerson;
}

/** Writes what the service told of a search, and tells how it ended. Returns the exit code. */
export async function showTrace(
  place: Workplace,
  { folder: filedIn, record, outcome }: TraceOnFile,
  { out, json }: TraceOutput,
): Promise<number> {
  const { workId } = record;
  if (outcome === null) {
    throw new CommandError(`${workId} has not ended: \`diligence status ${workId}\``);
  }
  const exitCode = traceExitCode(outcome);
  const target = resolve(out ?? defaultFolder(workId));
  const folder = (await writeAnswer(place, filedIn, target)) ? target : null;
  if (json === true) {
    printJson({ id: workId, exitCode, folder, outcome });
    return exitCode;
  }
  for (const line of outcomeLines(outcome)) print(line);
  if (folder !== null) print(`result: ${folder}/trace.json (an export, in the clear)`);
  return exitCode;
}

/** @returns whether there was anything to write */
export async function writeAnswer(
  { archive }: Workplace,
  filedIn: string,
  folder: string,
): Promise<boolean> {
  const answer = await new TraceFile(archive).answer(filedIn);
  if (answer === null) return false;
  const text = `${JSON.stringify(JSON.parse(answer.toString('utf8')), null, 2)}\n`;
  await mkdir(folder, { recursive: true });
  await writeWhole(folder, 'trace.json', text);
  return true;
}

const sayings = {
  completed: 'completed',
  failed: 'failed at the service',
  cancelled: 'cancelled',
  refused: 'refused by the service',
  expired: 'expired: it had not settled at the deadline; the same command goes on with it',
  unknown_outcome:
    'unknown outcome: a request may have arrived; the same command asks again with the same key, and buys nothing twice',
} as const;

function outcomeLines({ status, seen, traceId, error }: TraceOutcome): string[] {
  const lines: string[] = [
    `${sayings[status]}${seen?.partial === true ? ' (partial: some sources did not answer)' : ''}`,
  ];
  const told: [string, string | null][] = [
    ['search', traceId],
    ['type', seen?.type ?? null],
    ['sha256', seen?.sha256 ?? null],
    ['billing', seen === null ? null : billingWords(seen)],
    ['error', error === null ? null : `${error.code ?? '-'}: ${error.message}`],
  ];
  for (const [name, value] of told) {
    if (value !== null) lines.push(`  ${name.padEnd(10)} ${printable(value)}`);
  }
  for (const [source, word] of Object.entries(seen?.sources ?? {})) {
    lines.push(`  ${'source'.padEnd(10)} ${printable(`${source}: ${word}`)}`);
  }
  return lines;
}

function billingWords({ billing }: TraceSeen): string | null {
  if (billing === null) return null;
  const { status, amount, unit } = billing;
  return [status ?? '-', amount ?? '-', unit ?? ''].join(' ').trim();
}

/** How a search stands, in a line; null when nobody can tell. */
export async function traceLine(engine: EngineClient, workflowId: string): Promise<string | null> {
  const handle = engine.client.workflow.getHandle(workflowId);
  const progress = await handle.query(traceProgressQuery).catch(() => null);
  if (progress === null) return null;
  const { stage, waiting, traceId } = progress;
  const of = traceId === null ? '' : `, search ${traceId}`;
  return printable(`${workflowId}: ${stage}${of}${waiting === null ? '' : ` (${waiting})`}`);
}

async function tracesOnFile({ archive }: Workplace): Promise<ListedWork[]> {
  const file = new TraceFile(archive);
  return Promise.all(
    (await file.all()).map(async ({ folder, record }) => {
      const { workId: id, target, createdAt, createdBy } = record;
      const status = (await file.outcome(folder))?.status ?? null;
      return { id, kind: 'trace', input: maskTarget(target), createdAt, createdBy, status };
    }),
  );
}

async function showTraceStatus(
  place: Workplace,
  { record, outcome }: TraceOnFile,
  json: boolean,
): Promise<void> {
  const { workId, name, target, strategy, label, createdAt, createdBy } = record;
  const running =
    outcome === null
      ? await withEngine(place, (engine) => traceLine(engine, traceWorkflowId(name)))
      : null;
  if (json) {
    const state = outcome !== null ? 'ended' : running === null ? 'broken off' : 'running';
    const about = { kind: 'trace', input: maskTarget(target), strategy, label };
    printJson({ id: workId, ...about, createdAt, createdBy, state, progress: running, outcome });
    return;
  }
  if (outcome !== null) {
    print(`${workId}: ended ${outcome.settledAt}`);
    for (const line of outcomeLines(outcome)) print(line);
  } else print(running ?? `${workId}: does not run: start the same command again to go on`);
}

/** The service shows no way to call a search off: it is waited for no longer. */
async function cancelTrace(place: Workplace, { record, outcome }: TraceOnFile): Promise<void> {
  const { workId, name } = record;
  if (outcome !== null) {
    throw new CommandError(`${workId} has ended: \`diligence result ${workId}\``);
  }
  const entry = orderEntry('cancel', { workId, by: place.environment.actor }, Date.now());
  await place.audit.appendAndAnchor([entry]);
  await withEngine(place, async (engine) => {
    const handle = engine.client.workflow.getHandle(traceWorkflowId(name));
    try {
      print(await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] }));
    } catch (error) {
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !isNotFound(error)) throw error;
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      if (isRefused) throw new CommandError(`${workId}: ${error.cause?.message ?? 'refused'}`);
      tell(`${workId} does not run`);
    }
  });
}

export const traceWorks: WorkFamily = {
  listed: 'traces',
  owns: (id) => id.startsWith('trace/'),
  onFile: tracesOnFile,
  status: async (place, id, json) => showTraceStatus(place, await traceOf(place, id), json),
  result: async (place, id, { out, json }) =>
    showTrace(place, await traceOf(place, id), {
      ...(out !== undefined && { out }),
      ...(json === true && { json }),
    }),
  order: async (place, id, name) => {
    refuseAllButCancel(id, name, 'a search');
    await cancelTrace(place, await traceOf(place, id));
  },
};
