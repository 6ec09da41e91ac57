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
import { backgroundOver, endingsAmong, stepsOver } from '../faults/fault-scenario';
import type { CallRole } from '../faults/faults';

export const certificateRoles = {
  request: 'order',
  poll: 'poll',
  pdf: 'pdf',
} as const satisfies Record<string, CallRole>;
export type CertificateStage = keyof typeof certificateRoles;

/** How an issuance ends, and for how many issuances of one document unless the step says. */
export const certificateEndings = {
  completed: 'forever',
  failed: 'forever',
  failure_retryable: 1,
  failure_permanent: 'forever',
  divergente: 'forever',
  no_evidence: 'forever',
  no_sha256: 'forever',
  links_only: 'forever',
  never_settles: 'forever',
} as const;
export type CertificateEnding = keyof typeof certificateEndings;

const documentScript = section({
  ...stepsOver(certificateRoles),
  end: endingsAmong(certificateEndings),
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
