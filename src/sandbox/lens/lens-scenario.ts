/** The `lens` section of a scenario. */

import { z } from 'zod';
import {
  acceptedStatus,
  anyObject,
  failureFields,
  milliseconds,
  ownTiming,
  parameter,
  pollAfterSeconds,
  rateLimitPerSecond,
  repeatedKey,
  routePresence,
  section,
  timing,
} from '../core/scenario-parts';
import { backgroundOver, endingsAmong, stepsOver } from '../faults/fault-scenario';
import type { CallRole } from '../faults/faults';

export const lensRoles = {
  create: 'create',
  upload: 'upload',
  submit: 'change',
  read: 'read',
  artifact: 'download',
} as const satisfies Record<string, CallRole>;
export type LensStage = keyof typeof lensRoles;

/** How an analysis ends, and for how many analyses of one file unless the step says. */
export const lensEndings = {
  completed: 'forever',
  failed: 'forever',
  failure_retryable: 1,
  failure_permanent: 'forever',
  cancelled: 'forever',
  expired: 'forever',
  no_result: 'forever',
  no_artifacts: 'forever',
  never_settles: 'forever',
} as const;
export type LensEnding = keyof typeof lensEndings;

export const lensModes = ['geo', 'face'] as const;

const callScripts = stepsOver(lensRoles);

const fileScript = section({
  ...ownTiming,
  /** Time for the upload, from the creation; a list is used up analysis by analysis. */
  uploadMs: z.union([milliseconds, z.array(milliseconds).min(1)]).optional(),
  end: endingsAmong(lensEndings),
  failure: failureFields.optional(),
  result: anyObject.optional(),
  ...callScripts,
});

export const lensSection = section({
  rateLimitPerSecond,
  /** From the arrival of the file, or from its submission. */
  timing: timing.prefault({}),
  successStatus: acceptedStatus.default(201),
  pollAfterSeconds,
  repeatedKey,
  maxFileBytes: z
    .int()
    .min(1)
    .default(50 * 1024 * 1024),
  uploadMs: milliseconds.default(900_000),
  /** Field of the body that chooses the mode; null: no such field. */
  modeField: parameter.nullable().default('mode'),
  /** `GET /lente/analyses/{id}`, which the document does not show. */
  readRoute: routePresence,
  /** Whether the analysis waits for `POST /lente/analyses/{id}/submit` after the upload. */
  submit: z.boolean().default(false),
  linkMs: milliseconds.default(300_000),
  /** From the end of the analysis; then the artifacts are gone. */
  availableMs: milliseconds.default(30 * 86_400_000),
  /** By sha256 of the file, or `*`. */
  files: z
    .record(
      z.string().regex(/^(\*|[0-9a-f]{64})$/, 'expected 64 hexadecimal digits or "*"'),
      fileScript,
    )
    .default({}),
  /** Steps of every file without steps of its own, each by itself. */
  calls: section(callScripts).prefault({}),
  background: backgroundOver(lensRoles),
});

export type LensScenario = z.output<typeof lensSection>;
export type LensFileScript = z.output<typeof fileScript>;
