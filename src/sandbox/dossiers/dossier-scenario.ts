/** The `dossiers` section of a scenario. */

import { z } from 'zod';
import {
  acceptedStatus,
  listFields,
  milliseconds,
  pollAfterSeconds,
  range,
  repeatedKey,
  section,
  timing,
  uuidInLowerCase,
} from '../core/scenario-parts';
import type { Endings } from '../core/work';
import { sectionFields, workFields } from '../faults/fault-scenario';

export const dossierRoles = {
  list: 'list',
  status: 'read',
  retry: 'retry',
  cancel: 'change',
  pdf: 'download',
} as const;
export type DossierStage = keyof typeof dossierRoles;

export const dossierStatusWords = [
  'queued',
  'running',
  'completed',
  'needs_review',
  'failed',
  'cancelled',
] as const;
export type DossierStatus = (typeof dossierStatusWords)[number];

/** Of attempts of one dossier. */
export const dossierEndings = {
  completed: ['forever', 'completed'],
  needs_review: [1, 'needs_review'],
  failed: ['forever', 'failed'],
  failure_retryable: [1, 'failed'],
  failure_permanent: ['forever', 'failed'],
  cancelled: ['forever', 'cancelled'],
  never_settles: ['forever', 'running'],
} as const satisfies Endings<string, DossierStatus>;
export type DossierEnding = keyof typeof dossierEndings;

const dossierScript = section({
  ...workFields(dossierRoles, dossierEndings),
  subject_type: z.enum(['cpf', 'cnpj']).nullable().optional(),
  mode: z.enum(['standard', 'modular', 'provided_data']).default('standard'),
  kind: z.enum(['basic', 'advanced']).default('basic'),
  phases: z.array(z.string().min(1)).min(1).optional(),
  /** Phases that could not be collected: coverage is partial. */
  missingPhases: z.array(z.string()).default([]),
  /** `none`: no matrix was supplied. */
  risk: z.enum(['none', 'classified', 'insufficient_data']).default('none'),
  /** Cancelled, taken and yet run to its end, or 409. */
  cancelling: z.enum(['cancelled', 'runs_on', 'refused']).default('cancelled'),
  stale: z.boolean().default(false),
  /** Which reads show artifacts and result. */
  shownIn: z.enum(['both', 'status', 'list', 'none']).default('both'),
});

export const dossierSection = section({
  ...sectionFields(dossierRoles),
  timing: timing.prefault({}),
  /** From an accepted cancellation to its state. */
  cancelMs: range.default([0, 0]),
  successStatus: acceptedStatus.default(202),
  /** Null leaves it out. */
  pollAfterSeconds,
  repeatedKey,
  /** `signed`: on the origin of files; `bearer`: a path of the service, with its token. */
  links: z.enum(['signed', 'bearer']).default('signed'),
  linkMs: milliseconds.default(300_000),
  /** From the end of the attempt; then the artifact is gone. */
  availableMs: milliseconds.default(30 * 86_400_000),
  ...listFields,
  /** Dossiers drawn from the seed, with the ids that docs/sandbox.md names. */
  seeded: section({ dossiers: z.int().min(0).max(20_000).default(0) }).prefault({}),
  /** What every seeded dossier is. */
  pattern: dossierScript.prefault({}),
  held: z.record(uuidInLowerCase, dossierScript).default({}),
});

export type DossierScenario = z.output<typeof dossierSection>;
export type DossierScript = z.output<typeof dossierScript>;
