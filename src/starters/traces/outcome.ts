import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TraceRepository } from '../../store/traces/traces';
import { attentionOf } from '../../domain/attention';
import {
  traceWorkflowId,
  type TraceOutcome,
  type TraceRecord,
  type TraceSeen,
} from '../../domain/traces/search';
import { maskTarget } from '../../domain/traces/target';
import { defaultFolder } from '../cli/flags';
import { erasedLine, singleWorks, type SingleKind, type SingleOnFile } from '../cli/single-work';
import { jobLine } from '../cli/job-line';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { print, printJson } from '../cli/terminal';
import type { WorkFamily } from '../cli/work-family';
import type { CommandContext } from '../jobs/context';
import { writeWhole } from '../cli/written-file';

export type TraceOnFile = SingleOnFile<TraceRecord, TraceOutcome>;

export interface TraceOutput {
  out?: string;
  json?: true;
}

/** Writes what the service told of a search, and tells how it ended. Returns the exit code. */
export async function showTrace(
  place: CommandContext,
  { folder: filedIn, record, outcome }: TraceOnFile,
  { out, json }: TraceOutput,
): Promise<number> {
  const { workId } = record;
  if (outcome === null) {
    throw new CommandError(`${workId} has not ended: \`diligence status ${workId}\``);
  }
  const exitCode = attentionOf('trace', outcome.status).exitCode;
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
  { store }: CommandContext,
  filedIn: string,
  folder: string,
): Promise<boolean> {
  const answer = await new TraceRepository(store).answer(filedIn);
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

function outcomeLines({ status, seen, traceId, error, erased }: TraceOutcome): string[] {
  const lines: string[] = [
    `${sayings[status]}${seen?.partial === true ? ' (partial: some sources did not answer)' : ''}`,
  ];
  if (erased === true) lines.push(erasedLine);
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

export const traces: SingleKind<TraceRecord, TraceOutcome> = {
  kind: 'trace',
  what: 'a search',
  name: /^[0-9a-f]{32}$/,
  shelf: (store) => new TraceRepository(store),
  workflowId: ({ name }) => traceWorkflowId(name),
  input: ({ target }) => maskTarget(target),
  terms: ({ strategy, label }) => ({ strategy, label }),
  line: jobLine,
  outcomeLines,
};

export const traceWorks: WorkFamily = singleWorks(traces, (place, work, { out, json }) =>
  showTrace(place, work, { ...(out !== undefined && { out }), ...(json === true && { json }) }),
);
