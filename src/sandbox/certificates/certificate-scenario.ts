/** What a scenario says of certificates: it stands at the top of the scenario, not in a section. */

import { z } from 'zod';
import {
  acceptedStatus,
  anyObject,
  failureFields,
  range,
  rateLimitPerSecond,
  section,
  timing,
} from '../core/scenario-parts';
import type { Endings } from '../core/work';
import { backgroundOver, endingsAmong, stepsOver } from '../faults/fault-scenario';

export const certificateRoles = { request: 'order', poll: 'poll', pdf: 'pdf' } as const;
export type CertificateStage = keyof typeof certificateRoles;

/** Of issuances of one document. */
export const certificateEndings = {
  completed: ['forever', 'completed'],
  failed: ['forever', 'failed'],
  failure_retryable: [1, 'failed'],
  failure_permanent: ['forever', 'failed'],
  divergente: ['forever', 'completed'],
  no_evidence: ['forever', 'completed'],
  no_sha256: ['forever', 'completed'],
  links_only: ['forever', 'completed'],
  never_settles: ['forever', 'processing'],
} as const satisfies Endings;
export type CertificateEnding = keyof typeof certificateEndings;

const documentScript = section({
  ...stepsOver(certificateRoles),
  end: endingsAmong<CertificateEnding>(certificateEndings),
  result: anyObject.optional(),
  failure: failureFields.optional(),
});

export const certificateFields = {
  issuance: timing.prefault({}),
  /** Of both services. */
  latencyMs: range.default([0, 0]),
  successStatus: acceptedStatus.default(202),
  rateLimitPerSecond,
  background: backgroundOver(
    certificateRoles,
    Object.keys(certificateEndings) as CertificateEnding[],
  ),
  documents: z
    .record(
      z.string().regex(/^(\*|\d{11}|\d{14})$/, 'expected 11 digits, 14 digits or "*"'),
      documentScript,
    )
    .default({}),
};
