/** The `traces` section of a scenario. */

import { z } from 'zod';
import {
  acceptedStatus,
  anyObject,
  listFields,
  parameter,
  pollAfterSeconds,
  repeatedKey,
  routePresence,
  section,
  timing,
} from '../core/scenario-parts';
import type { Endings } from '../core/work';
import { sectionFields, workFields } from '../faults/fault-scenario';

export const traceRoles = { create: 'create', list: 'list', read: 'read' } as const;
export type TraceStage = keyof typeof traceRoles;

export const traceStatusWords = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type TraceStatus = (typeof traceStatusWords)[number];
export const traceTypeWords = ['email', 'phone', 'username', 'wallet'] as const;
export const strategyWords = ['all', 'first_match'] as const;

/** Of searches of one target. */
export const traceEndings = {
  completed: ['forever', 'completed'],
  partial: ['forever', 'completed'],
  failed: ['forever', 'failed'],
  failure_retryable: [1, 'failed'],
  failure_permanent: ['forever', 'failed'],
  cancelled: ['forever', 'cancelled'],
  no_result: ['forever', 'completed'],
  never_settles: ['forever', 'running'],
} as const satisfies Endings<string, TraceStatus>;
export type TraceEnding = keyof typeof traceEndings;

const targetScript = section({
  ...workFields(traceRoles, traceEndings),
  /** Of the target; drawn from its shape when left out. */
  type: z.enum(traceTypeWords).optional(),
  sources: z.array(z.string().min(1)).min(1).optional(),
  /** Sources that do not answer; those of `partial` are drawn. */
  missingSources: z.array(z.string()).default([]),
  artifacts: z.array(anyObject).default([]),
});

export const traceSection = section({
  ...sectionFields(traceRoles),
  timing: timing.prefault({}),
  successStatus: acceptedStatus.default(202),
  pollAfterSeconds,
  repeatedKey,
  /** `GET /rastro/{id}`, which the document does not show. */
  readRoute: routePresence,
  ...listFields,
  typeName: parameter.default('type'),
  /** By target as it is sent, or `*`. */
  targets: z.record(z.string().min(1), targetScript).default({}),
});

export type TargetScript = z.output<typeof targetScript>;
