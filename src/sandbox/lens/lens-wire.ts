/** Analyses as the service shows them (section Lens analysis). Absent means no value. */

import { draw, seededUuid } from '../core/chance';
import { failureOf } from '../core/work';
import { iso, type JsonObject } from '../http/answer';
import { analysisSettlesAt, analysisStatusAt, type LensAnalysis } from './analysis';
import type { LensScenario } from './lens-scenario';
import { uploadHeadersOf } from './lens-upload';

export interface LensView {
  seed: number;
  now: number;
  scenario: LensScenario;
  /** Signed address below `lente/`, good until the instant. */
  link: (path: string, expiresAt: number) => string;
}

/** The two things kept: what was sent in, when it is small enough to keep, and a report. */
const artifactTypes = ['input_image', 'analysis_report'] as const;
type ArtifactType = (typeof artifactTypes)[number];

export function artifactIdOf({ id }: LensAnalysis, type: ArtifactType): string {
  return seededUuid(`artifact|${id}|${type}`);
}

export function artifactsThere(
  analysis: LensAnalysis,
  scenario: LensScenario,
  now: number,
): ArtifactType[] {
  const until = analysisSettlesAt(analysis) + scenario.availableMs;
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
  const { arrived, createdAt, ending, file, work } = analysis;
  const status = analysisStatusAt(analysis, now);
  const startsAt = work?.startsAt ?? Number.POSITIVE_INFINITY;
  const settlesAt = analysisSettlesAt(analysis);
  const waits = now < settlesAt && scenario.pollAfterSeconds !== null;
  const completed = status === 'completed';
  const moments = [arrived?.at ?? createdAt, startsAt, settlesAt].filter((at) => at <= now);
  return {
    id: analysis.id,
    object: 'lente_analysis',
    mode: analysis.mode,
    status,
    file: {
      media_type: arrived?.mediaType ?? 'application/octet-stream',
      size_bytes: file.sizeBytes,
      sha256: file.sha256,
      upload_status: uploadStatus(analysis, now),
    },
    billing: completed
      ? { status: 'charged', amount: analysis.mode === 'geo' ? 12 : 20, unit: 'tokens' }
      : { status: 'not_charged', amount: 0, unit: 'tokens' },
    artifacts: artifactsThere(analysis, scenario, now).map((type) =>
      artifactOnWire(analysis, type, view),
    ),
    created_at: iso(createdAt),
    updated_at: iso(Math.max(createdAt, ...moments)),
    ...(status === 'awaiting_upload' && arrived === null
      ? { upload: instructionsOf(analysis, view) }
      : {}),
    ...(completed && ending !== 'no_result' ? { result: resultOf(analysis, seed) } : {}),
    ...(status === 'failed'
      ? { failure: failureOf(ending, failureWords, analysis.script?.failure) }
      : {}),
    ...(waits ? { poll_after_seconds: scenario.pollAfterSeconds } : {}),
    ...(work === null || work.createdAt > now ? {} : { submitted_at: iso(work.createdAt) }),
    ...(now >= startsAt ? { started_at: iso(startsAt) } : {}),
    ...(now >= settlesAt ? { completed_at: iso(settlesAt) } : {}),
  };
}

function uploadStatus({ arrived, uploadUntil }: LensAnalysis, now: number): string {
  if (arrived !== null) return 'uploaded';
  return now >= uploadUntil ? 'expired' : 'pending';
}

function instructionsOf(analysis: LensAnalysis, { link }: LensView): JsonObject {
  return {
    method: 'PUT',
    url: link(`uploads/${analysis.id}`, analysis.uploadUntil),
    headers: uploadHeadersOf(analysis),
    expires_at: iso(analysis.uploadUntil),
  };
}

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
    available_until: iso(analysisSettlesAt(analysis) + scenario.availableMs),
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
