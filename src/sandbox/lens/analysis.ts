/**
 * One analysis, and how the service shows it (section Lens analysis): what it will be is fixed when it is created;
 * uploads and the clock reveal it. Absent means no value.
 */

import { draw, seededUuid } from '../core/chance';
import { billingOf, failureOf, instantsOf, latest, pollHint, statusOf } from '../core/work';
import type { Work } from '../core/work';
import { iso, type JsonObject } from '../http/answer';
import { lensEndings, type LensEnding, type LensFileScript } from './lens-scenario';
import type { LensScenario, LensStatus } from './lens-scenario';

export interface LensAnalysis {
  id: string;
  mode: 'geo' | 'face';
  file: { sizeBytes: number; sha256: string };
  ending: LensEnding;
  script: LensFileScript | undefined;
  /** Instants, in milliseconds. */
  createdAt: number;
  uploadUntil: number;
  /** The file as it arrived; null before that. `bytes` is null when it is too large to keep. */
  arrived: { at: number; mediaType: string; bytes: Buffer | null } | null;
  /** Null before it was asked for: with the file, or by a submission. */
  work: Work<LensEnding> | null;
}

export interface LensView {
  seed: number;
  now: number;
  scenario: LensScenario;
  /** Signed address below `lente/`, good until the instant. */
  link: (path: string, expiresAt: number) => string;
}

export function analysisStatusAt({ uploadUntil, work }: LensAnalysis, now: number): LensStatus {
  if (work === null) return now >= uploadUntil ? 'expired' : 'awaiting_upload';
  return statusOf<LensEnding, LensStatus>(work, now, ['queued', 'running'], lensEndings);
}

/** The instant it settled or will settle. */
const settlesAt = ({ uploadUntil, work }: LensAnalysis): number => work?.endsAt ?? uploadUntil;

/** The two things stored: what was sent in, when it is small enough to keep, and a report. */
const artifactTypes = ['input_image', 'analysis_report'] as const;
type ArtifactType = (typeof artifactTypes)[number];

export const artifactIdOf = ({ id }: LensAnalysis, type: ArtifactType): string =>
  seededUuid(`artifact|${id}|${type}`);

export function artifactsThere(
  analysis: LensAnalysis,
  scenario: LensScenario,
  now: number,
): ArtifactType[] {
  const until = settlesAt(analysis) + scenario.availableMs;
  const status = analysisStatusAt(analysis, now);
  if (status !== 'completed' || analysis.ending === 'no_artifacts' || now >= until) return [];
  return artifactTypes.filter((type) => type !== 'input_image' || analysis.arrived?.bytes);
}

const failureWords = {
  codes: ['motor_indisponivel', 'imagem_ilegivel'],
  message: 'A analise falhou (simulada).',
} as const;

export function analysisOnWire(analysis: LensAnalysis, view: LensView): JsonObject {
  const { now, scenario, seed } = view;
  const { arrived, createdAt, ending, file, mode, script, uploadUntil, work } = analysis;
  const status = analysisStatusAt(analysis, now);
  const startsAt = work?.startsAt ?? Number.POSITIVE_INFINITY;
  const endsAt = settlesAt(analysis);
  const completed = status === 'completed';
  const missing = now >= uploadUntil ? 'expired' : 'pending';
  return {
    id: analysis.id,
    object: 'lente_analysis',
    mode,
    status,
    file: {
      media_type: arrived?.mediaType ?? 'application/octet-stream',
      size_bytes: file.sizeBytes,
      sha256: file.sha256,
      upload_status: arrived === null ? missing : 'uploaded',
    },
    billing: billingOf(completed, mode === 'geo' ? 12 : 20),
    artifacts: artifactsThere(analysis, scenario, now).map((type) =>
      artifactOnWire(analysis, type, view),
    ),
    ...(status === 'awaiting_upload' && arrived === null
      ? { upload: instructionsOf(analysis, view) }
      : {}),
    ...(completed && ending !== 'no_result' ? { result: resultOf(analysis, seed) } : {}),
    ...(status === 'failed' ? { failure: failureOf(ending, failureWords, script?.failure) } : {}),
    ...pollHint(scenario.pollAfterSeconds, now >= endsAt),
    ...(work === null || work.createdAt > now ? {} : { submitted_at: iso(work.createdAt) }),
    ...instantsOf({ createdAt, startsAt, endsAt }, now),
    updated_at: latest(now, createdAt, arrived?.at ?? createdAt, startsAt, endsAt),
  };
}

/** Headers that the upload must carry with exactly these values. */
export const uploadHeadersOf = ({ file }: LensAnalysis): Record<string, string> => ({
  'content-type': 'application/octet-stream',
  'x-checksum-sha256': Buffer.from(file.sha256, 'hex').toString('base64'),
});

const instructionsOf = (analysis: LensAnalysis, { link }: LensView): JsonObject => ({
  method: 'PUT',
  url: link(`uploads/${analysis.id}`, analysis.uploadUntil),
  headers: uploadHeadersOf(analysis),
  expires_at: iso(analysis.uploadUntil),
});

/** Its address is made anew at every read. */
function artifactOnWire(analysis: LensAnalysis, type: ArtifactType, view: LensView): JsonObject {
  const { link, now, scenario } = view;
  const id = artifactIdOf(analysis, type);
  const expiresAt = now + scenario.linkMs;
  return {
    id,
    type,
    status: 'available',
    url: link(`artifacts/${analysis.id}/${id}`, expiresAt),
    url_expires_at: iso(expiresAt),
    available_until: iso(settlesAt(analysis) + scenario.availableMs),
  };
}

function resultOf({ id, mode, script }: LensAnalysis, seed: number): JsonObject {
  const confidence = (index: number) => Math.round((0.95 - index * 0.2) * 100) / 100;
  const hypotheses = [0, 1].map((index) =>
    mode === 'geo'
      ? {
          local: `Local simulado ${index + 1}`,
          latitude: -23.5 - draw(seed, id, 'latitude', index),
          longitude: -46.6 + draw(seed, id, 'longitude', index),
          confianca: confidence(index),
        }
      : { rotulo: `Rosto simulado ${index + 1}`, semelhanca: confidence(index) },
  );
  const evidence = [{ tipo: mode === 'geo' ? 'placa_de_rua' : 'pontos_faciais', peso: 0.7 }];
  return { hypotheses, evidence, ...script?.result };
}

/** The media type that the bytes begin like. */
const beginnings: readonly [string, string][] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['', 'application/octet-stream'],
];
export function mediaTypeOf(bytes: Buffer): string {
  const start = bytes.subarray(0, 16).toString('hex');
  return beginnings.find(([beginning]) => start.startsWith(beginning))?.[1] ?? '';
}
