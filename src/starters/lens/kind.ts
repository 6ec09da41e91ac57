import { mkdir } from 'node:fs/promises';
import { largestPicture, shownMediaTypes, type Picture } from '../../report/findings/picture';
import { readLarge } from '../../store/core/large-objects';
import { LensRepository } from '../../store/lens/lens';
import type { FiledArtifact } from '../../domain/core/artifact';
import { billed } from '../../domain/core/service/billing-totals';
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
import type { CommandContext } from '../jobs/context';
import {
  askedFor,
  type Charge,
  type EndedJob,
  type Job,
  type JobArtifact,
  type JobKind,
} from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { billingWords, factLines } from '../jobs/text';
import { removeOthers, writeArtifact, writeWhole } from '../jobs/written-file';
import { lensFindings } from './findings';

export const lensKind: JobKind<LensRecord, LensOutcome> = {
  kind: 'lens',
  prefix: 'lens/',
  noun: 'analysis of',
  service: 'investigation',
  workflowId: ({ name }) => lensWorkflowId(name),
  describe: ({ file }) => inputWords(file),
  terms: ({ deadlineMs, forced, label, rerun }) => ({
    rerun,
    deadline: deadlineMs,
    label,
    acceptFormat: forced,
  }),
  readProgress: progressOfOne,
  lines: ({ input, outcome }) => lensLines(outcome, input.forced),
  findings: lensFindings,
  artifacts: ({ outcome }) => [...artifactsOf(outcome).values()].map(({ shown }) => shown),
  cost: ({ outcome }) => billed(chargesOf(outcome).map(({ billing }) => billing)),
  charges: ({ outcome }) => chargesOf(outcome),
  asked: (job, ctx) => askedFor(ctx, `lens/${job.input.name}/`, job),
  heeds: ['lang'],
  export: writeFolder,
  picture: shownPicture,
  resolver: () => (require('./resolve') as typeof import('./resolve')).lensResolver,
  orders: ['cancel', 'cancel_now'],
};

function chargesOf({ analysisId, billing, replaced }: LensOutcome): Charge[] {
  return [{ analysisId, billing }, ...replaced].map((one) => {
    return { of: `lens/${one.analysisId}`, billing: one.billing };
  });
}

/** The name of a file may tell of a person: it is told by what it is. */
function inputWords({ bytes, mediaType, sha256 }: LensInput): string {
  return `${mediaType}, ${bytes} bytes, ${sha256.slice(0, 8)}`;
}

const words = {
  completed: 'completed',
  failed: 'failed at the service',
  cancelled: 'cancelled',
  refused: 'refused by the service; the same command tries again',
  expired: 'expired; the same command goes on with it',
  unknown_outcome:
    'unknown outcome: a request may have arrived; the same command asks again with the same key',
} as const;

function statusWords({ error, seen, status }: LensOutcome): string {
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
  return words[status];
}

function lensLines(outcome: LensOutcome, forced: string | null): string[] {
  const { analysisId, billing, error, files, replaced, seen } = outcome;
  const facts: [string, string | null][] = [
    ['analysis', analysisId],
    ['mode', seen?.mode ?? null],
    ['result', seen?.state === 'completed' && !seen.hasResult ? 'none was told' : null],
    ['sha256', seen?.sha256 ?? null],
    ['accepted', forced && `although it is no picture or video: ${forced}`],
    ['billing', billingWords(billing)],
    ['error', error === null ? null : `${error.code ?? '-'}: ${error.message}`],
    ['artifacts', files === null && (seen?.artifacts ?? 0) > 0 ? 'could not be fetched' : null],
  ];
  for (const one of replaced) {
    const cost = one.billing === null ? '' : ` (${billingWords(one.billing)})`;
    facts.push(['replaced', `${one.analysisId}: its upload expired${cost}`]);
  }
  for (const one of files?.filed ?? []) {
    facts.push(['artifact', `${one.type ?? '-'}, ${one.bytes} bytes, sha256 ${one.sha256}`]);
  }
  for (const one of files?.unfiled ?? []) {
    facts.push(['missing', `${one.type ?? '-'} ${one.artifactId}: ${one.why}`]);
  }
  return [statusWords(outcome), ...factLines(facts)];
}

/** By the names of their files. */
function artifactsOf({ files }: LensOutcome) {
  const found = new Map<string, { filed: FiledArtifact; shown: JobArtifact }>();
  for (const [index, filed] of (files?.filed ?? []).entries()) {
    const { bytes, mediaType, sha256 } = filed;
    const name = `artifact-${index + 1}${extensionOf(mediaType)}`;
    found.set(name, { filed, shown: { name, bytes, sha256, mediaType } });
  }
  return found;
}

/** All files that a folder of an analysis may have. */
const ours = /^(?:lens\.json|report\.html|artifact-\d+\.\w+)$/;

/** @throws CommandError when an artifact is not in the store any more */
async function writeFolder(
  { store }: CommandContext,
  { folder: from, id, outcome }: EndedJob<LensRecord, LensOutcome>,
  folder: string,
): Promise<string[]> {
  const file = new LensRepository(store);
  const answer = await file.answer(from);
  const artifacts = artifactsOf(outcome);
  const names = answer === null ? [] : ['lens.json', ...artifacts.keys()];
  // Of an earlier result that stood here: it may be of another picture.
  await removeOthers(folder, ours, new Set(names));
  if (answer === null) return names;
  await mkdir(folder, { recursive: true });
  await writeWhole(folder, 'lens.json', answer);
  for (const [name, { filed }] of artifacts) await writeArtifact(store, id, filed, folder, name);
  return names;
}

/** Of the copy that is sent. */
async function shownPicture(
  { store }: CommandContext,
  { input }: Pick<Job, 'input'>,
): Promise<Picture | null> {
  const { bytes, key, mediaType } = (input as LensRecord).file;
  if (!shownMediaTypes.includes(mediaType) || bytes > largestPicture) return null;
  const parts: Buffer[] = [];
  try {
    for await (const part of readLarge(store, key)) parts.push(part);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
  return { mediaType, bytes: Buffer.concat(parts) };
}
