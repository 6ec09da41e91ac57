/** The `dossiers` section of a scenario. */

import { z } from 'zod';
import {
  acceptedStatus,
  anyObject,
  failureFields,
  listFields,
  milliseconds,
  ownTiming,
  pollAfterSeconds,
  range,
  rateLimitPerSecond,
  repeatedKey,
  section,
  timing,
  uuidInLowerCase,
} from '../core/scenario-parts';
import { backgroundOver, endingsAmong, stepsOver } from '../faults/fault-scenario';
import type { CallRole } from '../faults/faults';

export const dossierRoles = {
  list: 'list',
  status: 'read',
  retry: 'retry',
  cancel: 'change',
  pdf: 'download',
} as const satisfies Record<string, CallRole>;
export type DossierStage = keyof typeof dossierRoles;

/** How an attempt ends, and for how many attempts of one dossier unless the step says. */
export const dossierEndings = {
  completed: 'forever',
  needs_review: 1,
  failed: 'forever',
  failure_retryable: 1,
  failure_permanent: 'forever',
  cancelled: 'forever',
  never_settles: 'forever',
} as const;
export type DossierEnding = keyof typeof dossierEndings;

export const dossierStatusWords = [
  'queued',
  'running',
  'completed',
  'needs_review',
  'failed',
  'cancelled',
] as const;
export type DossierStatus = (typeof dossierStatusWords)[number];
const riskForms = ['none', 'classified', 'insufficient_data'] as const;

const { list, ...callScripts } = stepsOver(dossierRoles);

const dossierScript = section({
  subject_type: z.enum(['cpf', 'cnpj']).nullable().optional(),
  mode: z.enum(['standard', 'modular', 'provided_data']).default('standard'),
  kind: z.enum(['basic', 'advanced']).default('basic'),
  ...ownTiming,
  end: endingsAmong(dossierEndings),
  phases: z.array(z.string().min(1)).min(1).optional(),
  /** Phases that could not be collected: coverage is partial. */
  missingPhases: z.array(z.string()).default([]),
  /** `none`: no matrix was supplied. */
  risk: z.enum(riskForms).default('none'),
  /** Laid over the failure, the result. */
  failure: failureFields.optional(),
  result: anyObject.optional(),
  /** Cancelled, taken and yet run to its end, or 409. */
  cancelling: z.enum(['cancelled', 'runs_on', 'refused']).default('cancelled'),
  stale: z.boolean().default(false),
  /** Which reads show artifacts and result. */
  shownIn: z.enum(['both', 'status', 'list', 'none']).default('both'),
  ...callScripts,
});

export const dossierSection = section({
  rateLimitPerSecond,
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
  /** Steps of every dossier without steps of its own, each by itself; those of the list. */
  calls: section({ list, ...callScripts }).prefault({}),
  background: backgroundOver(dossierRoles),
});

export type DossierScenario = z.output<typeof dossierSection>;
export type DossierScript = z.output<typeof dossierScript>;
