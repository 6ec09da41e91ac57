import { z } from 'zod';
import type { Artifact } from '../../../domain/core/artifact';
import {
  lensStates,
  type LensAnalysis,
  type LensRepository,
  type LensUpload,
} from '../../../domain/lens/lens-analysis';
import { ContractError, type CallName } from '../../http/errors';
import { parseJson } from '../../http/problem';
import {
  artifacts,
  asItCame,
  billing,
  failure,
  id,
  isSameId,
  jsonApiResource,
  number,
  parseWire,
  pollAfterMs,
  stateOf,
  reported,
} from './wire-fields';

/** The service's shape of a lens analysis (specification: "Lens analysis"), and ours. */

const file = z
  .object({ media_type: reported, size_bytes: number, sha256: reported, upload_status: reported })
  .nullish()
  .catch(null)
  .transform((wire): LensRepository | null =>
    wire == null
      ? null
      : {
          mediaType: wire.media_type,
          sizeBytes: wire.size_bytes,
          sha256: wire.sha256?.toLowerCase() ?? null,
          uploadStatus: wire.upload_status,
        },
  );

/** An unusable one counts as missing: another method or kind of address. */
const upload = z
  .object({
    method: z
      .string()
      .transform((method) => method.toUpperCase())
      .pipe(z.literal('PUT'))
      .default('PUT'),
    url: z.string().min(1),
    headers: z.record(z.string(), z.coerce.string()).nullish(),
    expires_at: reported,
  })
  .nullish()
  .catch(null)
  .transform((wire): LensUpload | null =>
    wire == null
      ? null
      : {
          method: wire.method,
          url: wire.url,
          headers: wire.headers ?? {},
          expiresAt: wire.expires_at,
        },
  );

export const lensWire = z
  .object({
    id,
    mode: reported,
    status: reported,
    file,
    billing,
    artifacts,
    upload,
    result: asItCame,
    failure,
    poll_after_seconds: pollAfterMs,
    created_at: reported,
    updated_at: reported,
    submitted_at: reported,
    started_at: reported,
    completed_at: reported,
  })
  .transform((wire): LensAnalysis => ({
    analysisId: wire.id,
    state: stateOf(lensStates, wire.status),
    statusWord: wire.status,
    mode: wire.mode,
    file: wire.file,
    billing: wire.billing,
    artifacts: wire.artifacts ?? [],
    upload: wire.upload,
    result: wire.result,
    failure: wire.failure,
    pollAfterMs: wire.poll_after_seconds,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    submittedAt: wire.submitted_at,
    startedAt: wire.started_at,
    completedAt: wire.completed_at,
  }));

/** Artifacts of a stored response; empty when unreadable. */
export function artifactsInAnswer(answer: Buffer): readonly Artifact[] {
  return lensWire.safeParse(parseJson(answer)).data?.artifacts ?? [];
}

/**
 * @param analysisId the requested analysis; null: just created
 * @throws ContractError when the body is not JSON, lacks a required field, or is about another one
 */
export function lensFromWire(
  call: CallName,
  analysisId: string | null,
  body: Buffer,
): LensAnalysis {
  const answer = parseJson(body);
  // An id in hand is never thrown away.
  const created = analysisId === null ? jsonApiResource(answer) : null;
  const analysis = parseWire(lensWire, call, created ?? answer);
  if (analysisId === null || isSameId(analysis.analysisId, analysisId)) return analysis;
  throw new ContractError(call, [{ path: 'id', code: 'another_analysis' }]);
}
