import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LensRepository } from '../../store/lens/lens';
import { exitCodeOf } from '../../domain/attention';
import { lensEnd } from '../../domain/job-ends';
import type { Billing } from '../../domain/core/billing';
import {
  anotherAnalysisCode,
  lensWorkflowId,
  mostAfterExpiry,
  uploadExpiredCode,
  type LensInput,
  type LensOutcome,
  type LensRecord,
} from '../../domain/lens/analyze';
import { extensionOf } from '../../domain/core/media-type';
import { defaultFolder } from '../cli/flags';
import { erasedLine, singleWorks, type SingleKind, type SingleOnFile } from '../cli/single-work';
import { jobLine } from '../cli/job-line';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { print, printJson } from '../cli/terminal';
import type { WorkFamily } from '../cli/work-family';
import type { CommandContext } from '../jobs/context';
import { removeOthers, writeArtifact, writeWhole } from '../cli/written-file';

export type LensOnFile = SingleOnFile<LensRecord, LensOutcome>;

export interface LensOutput {
  out?: string;
  json?: true;
}

/** Writes what the service found, and tells how it ended. Returns the exit code. */
export async function showLens(
  place: CommandContext,
  { folder: filedIn, record, outcome }: LensOnFile,
  { out, json }: LensOutput,
): Promise<number> {
  const { workId } = record;
  if (outcome === null) {
    throw new CommandError(`${workId} has not ended: \`diligence status ${workId}\``);
  }
  const exitCode = exitCodeOf('lens', lensEnd(outcome));
  const target = resolve(out ?? defaultFolder(workId));
  const files = await writeLensFolder(place, filedIn, outcome, target);
  const folder = files.length > 0 ? target : null;
  if (json === true) {
    printJson({ id: workId, exitCode, folder, files, outcome });
    return exitCode;
  }
  for (const line of outcomeLines(outcome)) print(line);
  if (folder !== null) print(`result: ${folder} (${files.join(', ')}: an export, in the clear)`);
  return exitCode;
}

/** All files that a folder of an analysis may have. */
const ours = /^(?:lens\.json|artifact-\d+\.\w+)$/;

/**
 * @returns names of the files; none when the service told nothing
 * @throws CommandError when an artifact is not in the store any more
 */
async function writeLensFolder(
  { store }: CommandContext,
  filedIn: string,
  { files, workId }: LensOutcome,
  folder: string,
): Promise<string[]> {
  const file = new LensRepository(store);
  const answer = await file.answer(filedIn);
  const artifacts = new Map(
    (answer === null ? [] : (files?.filed ?? [])).map((artifact, place) => [
      `artifact-${place + 1}${extensionOf(artifact.mediaType)}`,
      artifact,
    ]),
  );
  // Of an earlier result that stood here: it may be of another picture.
  const names = answer === null ? [] : ['lens.json', ...artifacts.keys()];
  await removeOthers(folder, ours, new Set(names));
  if (answer === null) return names;
  const text = `${JSON.stringify(JSON.parse(answer.toString('utf8')), null, 2)}\n`;
  await mkdir(folder, { recursive: true });
  await writeWhole(folder, 'lens.json', text);
  for (const [name, artifact] of artifacts) {
    await writeArtifact(store, workId, artifact, folder, name);
  }
  return names;
}

const sayings = {
  completed: 'completed',
  failed: 'failed at the service',
  cancelled: 'cancelled',
  refused: 'refused by the service; the same command tries again',
  expired: 'expired; the same command goes on with it',
  unknown_outcome:
    'unknown outcome: a request may have arrived; the same command asks again with the same key',
} as const;

function sayingOf({ error, seen, status }: LensOutcome): string {
  if (status === 'expired' && seen?.state === 'expired') {
    return (
      'expired at the service, which had the file: the same command asks for another analysis, ' +
      `unless ${mostAfterExpiry} were asked for in its place before`
    );
  }
  if (status === 'expired' && error?.code === uploadExpiredCode) {
    return 'expired: no upload arrived in time; the same command asks for another analysis';
  }
  if (error?.code === anotherAnalysisCode) return 'unknown outcome: nothing more is asked for';
  return sayings[status];
}

function outcomeLines(outcome: LensOutcome): string[] {
  const { analysisId, billing, error, files, erased, replaced, seen } = outcome;
  const lines: string[] = [sayingOf(outcome)];
  if (erased === true) lines.push(erasedLine);
  const told: [string, string | null][] = [
    ['analysis', analysisId],
    ['mode', seen?.mode ?? null],
    ['result', seen?.state === 'completed' && !seen.hasResult ? 'none was told' : null],
    ['sha256', seen?.sha256 ?? null],
    ['billing', billingWords(billing)],
    ['error', error === null ? null : `${error.code ?? '-'}: ${error.message}`],
    ['artifacts', files === null && (seen?.artifacts ?? 0) > 0 ? 'could not be fetched' : null],
  ];
  for (const one of replaced) {
    const cost = one.billing === null ? '' : ` (${billingWords(one.billing)})`;
    told.push(['replaced', `${one.analysisId}: its upload expired${cost}`]);
  }
  for (const one of files?.filed ?? []) {
    told.push(['artifact', `${one.type ?? '-'}, ${one.bytes} bytes, sha256 ${one.sha256}`]);
  }
  for (const one of files?.unfiled ?? []) {
    told.push(['missing', `${one.type ?? '-'} ${one.artifactId}: ${one.why}`]);
  }
  for (const [name, value] of told) {
    if (value !== null) lines.push(`  ${name.padEnd(10)} ${printable(value)}`);
  }
  return lines;
}

function billingWords(billing: Billing | null): string | null {
  if (billing === null) return null;
  const { status, amount, unit } = billing;
  return [status ?? '-', amount ?? '-', unit ?? ''].join(' ').trim();
}

/** The name of a file may tell of a person: it is told by what it is. */
export function inputWords({ bytes, mediaType, sha256 }: LensInput): string {
  return `${mediaType}, ${bytes} bytes, ${sha256.slice(0, 8)}`;
}

export const analyses: SingleKind<LensRecord, LensOutcome> = {
  kind: 'lens',
  what: 'an analysis',
  name: /^[0-9a-f]{32}$/,
  shelf: (store) => new LensRepository(store),
  workflowId: ({ name }) => lensWorkflowId(name),
  input: ({ file }) => inputWords(file),
  terms: ({ mode, label }) => ({ mode, label }),
  line: jobLine,
  outcomeLines,
};

export const lensWorks: WorkFamily = singleWorks(analyses, (place, work, { out, json }) =>
  showLens(place, work, { ...(out !== undefined && { out }), ...(json === true && { json }) }),
);
