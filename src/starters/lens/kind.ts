import { mkdir } from 'node:fs/promises';
import { largestPicture, shownMediaTypes, type Picture } from '../../report/findings/picture';
import { readLarge } from '../../store/core/large-objects';
import { LensRepository } from '../../store/lens/lens';
import type { Reader } from '../../report/reader';
import type { Say, Words } from '../../domain/job';
import type { StoredArtifact } from '../../domain/core/artifact';
import { lensSubject } from '../../domain/core/service/attempts';
import { billed } from '../../domain/core/service/billing-totals';
import {
  anotherAnalysisCode,
  mostAfterExpiry,
  uploadExpiredCode,
  type LensInput,
  type LensOutcome,
  type LensRecord,
} from '../../domain/lens/analyze';
import { extensionOf } from '../../domain/core/media-type';
import type { CommandContext } from '../jobs/context';
import {
  requestedFor,
  type Charge,
  type EndedJob,
  type Job,
  type JobArtifact,
  type JobKind,
} from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { billingWords, errorWords, factLines } from '../jobs/text';
import { removeOthers, writeArtifact, writeWhole } from '../jobs/written-file';
import { lensFindings } from './findings';

export const lensKind: JobKind<LensRecord, LensOutcome> = {
  kind: 'lens',
  prefix: 'lens/',
  noun: ['analysis of', 'análise de'],
  service: 'investigation',
  workflowId: ({ name }) => `lens/${name}`,
  describe: ({ file }) => inputWords(file),
  terms: ({ deadlineMs, forced, label, rerun }) => ({
    rerun,
    deadline: deadlineMs,
    label,
    acceptFormat: forced,
  }),
  readProgress: progressOfOne,
  lines: ({ input, outcome }, { reader }) => lensLines(outcome, input.forced, reader),
  findings: lensFindings,
  artifacts: ({ outcome }) => [...artifactsOf(outcome).values()].map(({ shown }) => shown),
  cost: ({ outcome }) => billed(chargesOf(outcome).map(({ billing }) => billing)),
  charges: ({ outcome }) => chargesOf(outcome),
  workflow: 'analyzeLens',
  args: async ({ store }, { input: { name } }) => ({
    attempt: (await new LensRepository(store).current(name)).attempt,
    interactive: true,
  }),
  subject: async (store, { input: { name } }) =>
    lensSubject(name, (await new LensRepository(store).current(name)).attempt),
  requests: (job, ctx) => requestedFor(ctx, `lens/${job.input.name}/`, job),
  heeds: ['lang'],
  export: writeFolder,
  picture: shownPicture,
  orders: ['cancel', 'cancel_now'],
};

function chargesOf({ analysisId, billing, replaced }: LensOutcome): Charge[] {
  return [{ analysisId, billing }, ...replaced].map((one) => {
    return { of: `lens/${one.analysisId}`, billing: one.billing };
  });
}

/** A file name may identify a person: type, size and sum are shown instead. */
function inputWords({ bytes, mediaType, sha256 }: LensInput): string {
  return `${mediaType}, ${bytes} bytes, ${sha256.slice(0, 8)}`;
}

const words: Record<LensOutcome['status'], Words> = {
  completed: ['completed', 'concluído'],
  failed: ['failed at the service', 'falhou no serviço'],
  cancelled: ['cancelled', 'cancelado'],
  refused: [
    'refused by the service; the same command tries again',
    'recusado pelo serviço; o mesmo comando tenta de novo',
  ],
  expired: [
    'expired; the same command goes on with it',
    'prazo esgotado; o mesmo comando continua',
  ],
  unknown_outcome: [
    'unknown outcome: a request may have arrived; the same command sends it again with the same key',
    'resultado desconhecido: um pedido pode ter chegado; o mesmo comando pede de novo com a mesma chave',
  ],
};

function statusWords({ error, seen, status }: LensOutcome, say: Say): string {
  if (status === 'expired' && seen?.state === 'expired') {
    return say(
      `expired at the service, which had the file: the same command asks for another analysis, unless ${mostAfterExpiry} were asked for in its place before`,
      `expirou no serviço, que tinha o arquivo: o mesmo comando pede outra análise, a menos que ${mostAfterExpiry} já tenham sido pedidas no lugar dela`,
    );
  }
  if (status === 'expired' && error?.code === uploadExpiredCode) {
    return say(
      'expired: no upload arrived in time; the same command asks for another analysis',
      'prazo esgotado: o arquivo não chegou a tempo; o mesmo comando pede outra análise',
    );
  }
  if (error?.code === anotherAnalysisCode) {
    return say(
      'unknown outcome: nothing more is asked for',
      'resultado desconhecido: nada mais é pedido',
    );
  }
  return say(...words[status]);
}

function lensLines(outcome: LensOutcome, forced: string | null, reader: Reader): string[] {
  const { say } = reader;
  const accepted = say('although it is no picture or video', 'embora não seja imagem nem vídeo');
  const isEmpty = seenNothing(outcome);
  const { analysisId, billing, error, files, replaced, seen } = outcome;
  const facts: [string, string | null][] = [
    [say('analysis', 'análise'), analysisId],
    [say('result', 'resultado'), isEmpty ? say('none was told', 'nenhum foi informado') : null],
    ['sha256', seen?.sha256 ?? null],
    [say('accepted', 'aceito'), forced && `${accepted}: ${forced}`],
    [say('billing', 'cobrança'), billingWords(billing, reader)],
    [say('error', 'erro'), errorWords(error, reader)],
    [
      say('artifacts', 'artefatos'),
      files === null && (seen?.artifacts ?? 0) > 0
        ? say('could not be fetched', 'não puderam ser baixados')
        : null,
    ],
  ];
  for (const one of replaced) {
    const cost = one.billing === null ? '' : ` (${billingWords(one.billing, reader)})`;
    const why = say('its upload expired', 'o envio do arquivo expirou');
    facts.push([say('replaced', 'trocada'), `${one.analysisId}: ${why}${cost}`]);
  }
  for (const one of files?.stored ?? []) {
    facts.push([
      say('artifact', 'artefato'),
      `${one.type ?? '-'}, ${one.bytes} bytes, sha256 ${one.sha256}`,
    ]);
  }
  for (const one of files?.notStored ?? []) {
    facts.push([
      say('missing', 'falta'),
      `${one.type ?? '-'} ${one.artifactId}: ${reader.stored(one.why)}`,
    ]);
  }
  return [statusWords(outcome, say), ...factLines(facts)];
}

function seenNothing({ seen }: LensOutcome): boolean {
  return seen?.state === 'completed' && !seen.hasResult;
}

/** By their file names. */
function artifactsOf({ files }: LensOutcome) {
  const found = new Map<string, { stored: StoredArtifact; shown: JobArtifact }>();
  for (const [index, stored] of (files?.stored ?? []).entries()) {
    const { bytes, mediaType, sha256 } = stored;
    const name = `artifact-${index + 1}${extensionOf(mediaType)}`;
    found.set(name, { stored, shown: { name, bytes, sha256, mediaType } });
  }
  return found;
}

/** All files that a lens result folder may have. */
const ours = /^(?:lens\.json|report\.html|artifact-\d+\.\w+)$/;

/** @throws CommandError when an artifact was erased */
async function writeFolder(
  { store }: CommandContext,
  { folder: from, id, outcome }: EndedJob<LensRecord, LensOutcome>,
  folder: string,
): Promise<string[]> {
  const file = new LensRepository(store);
  const answer = await file.answer(from);
  const artifacts = artifactsOf(outcome);
  const names = answer === null ? [] : ['lens.json', ...artifacts.keys()];
  // Files of an earlier result may be about another picture.
  await removeOthers(folder, ours, new Set(names));
  if (answer === null) return names;
  await mkdir(folder, { recursive: true });
  await writeWhole(folder, 'lens.json', answer);
  for (const [name, { stored }] of artifacts) await writeArtifact(store, id, stored, folder, name);
  return names;
}

/** The stored copy, which is sent. */
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
