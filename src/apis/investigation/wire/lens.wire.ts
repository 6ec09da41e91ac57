import { z } from 'zod';
import type { Artifact } from '../../../domain/core/artifact';
import { lensStates } from '../../../domain/lens/analyze';
import { parseJson } from '../../http/problem';
import { camel, idText, tolerant } from '../../http/tolerant';
import {
  artifacts,
  asItCame,
  billing,
  failure,
  pollAfterMs,
  reported,
  stateOf,
} from './wire-fields';

/** The service's shape of a lens analysis (specification: "Lens analysis"), and ours. */

/** An unusable one counts as missing: another method or kind of address. */
const upload = tolerant(
  camel({
    method: z
      .string()
      .regex(/^PUT$/i)
      .transform((method) => method.toUpperCase())
      .default('PUT'),
    url: z.string().min(1),
    headers: z
      .record(z.string(), z.coerce.string())
      .nullish()
      .transform((headers) => headers ?? {}),
    expires_at: reported,
  }),
);

export const lensWire = camel({
  id: idText,
  mode: reported,
  status: reported,
  billing,
  artifacts,
  upload,
  result: asItCame,
  failure,
  poll_after_seconds: pollAfterMs,
}).transform(({ id: analysisId, pollAfterSeconds, status, ...wire }) => ({
  ...wire,
  analysisId,
  ...stateOf(lensStates, status),
  artifacts: wire.artifacts ?? [],
  pollAfterMs: pollAfterSeconds,
}));

export type LensAnalysis = z.infer<typeof lensWire>;
/** Where to upload. The address is a credential: never logged, never in a history. */
export type LensUpload = NonNullable<LensAnalysis['upload']>;

/** Artifacts of a stored response; empty when unreadable. */
export function artifactsInAnswer(answer: Buffer): readonly Artifact[] {
  return lensWire.safeParse(parseJson(answer)).data?.artifacts ?? [];
}
