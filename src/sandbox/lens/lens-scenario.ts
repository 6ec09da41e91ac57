/** The `lens` section of a scenario. */

import { z } from 'zod';
import {
  acceptedStatus,
  milliseconds,
  parameter,
  pollAfterSeconds,
  repeatedKey,
  routePresence,
  section,
  timing,
} from '../core/scenario-parts';
import type { Endings } from '../core/work';
import { sectionFields, workFields } from '../faults/fault-scenario';

export const lensRoles = {
  create: 'create',
  upload: 'upload',
  submit: 'change',
  read: 'read',
  artifact: 'download',
} as const;
export type LensStage = keyof typeof lensRoles;

export type LensStatus =
  'awaiting_upload' | 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'expired';

/** Of analyses of one file. */
export const lensEndings = {
  completed: ['forever', 'completed'],
  failed: ['forever', 'failed'],
  failure_retryable: [1, 'failed'],
  failure_permanent: ['forever', 'failed'],
  cancelled: ['forever', 'cancelled'],
  expired: ['forever', 'expired'],
  no_result: ['forever', 'completed'],
  no_artifacts: ['forever', 'completed'],
  never_settles: ['forever', 'running'],
} as const satisfies Endings<string, LensStatus>;
export type LensEnding = keyof typeof lensEndings;

export const lensModes = ['geo', 'face'] as const;

const fileScript = section({
  ...workFields(lensRoles, lensEndings),
  /** Time for the upload, from the creation; a list is used up analysis by analysis. */
  uploadMs: z.union([milliseconds, z.array(milliseconds).min(1)]).optional(),
});

export const lensSection = section({
  ...sectionFields(lensRoles),
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
});

export type LensScenario = z.output<typeof lensSection>;
export type LensFileScript = z.output<typeof fileScript>;
