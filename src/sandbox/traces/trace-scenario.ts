/** The `traces` section of a scenario. */

import { z } from 'zod';
import {
  acceptedStatus,
  anyObject,
  failureFields,
  listFields,
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

export const traceRoles = {
  create: 'create',
  list: 'list',
  read: 'read',
} as const satisfies Record<string, CallRole>;
export type TraceStage = keyof typeof traceRoles;

/** How a search ends, and for how many searches of one target unless the step says. */
export const traceEndings = {
  completed: 'forever',
  partial: 'forever',
  failed: 'forever',
  failure_retryable: 1,
  failure_permanent: 'forever',
  cancelled: 'forever',
  no_result: 'forever',
  never_settles: 'forever',
} as const;
export type TraceEnding = keyof typeof traceEndings;

export const traceStatusWords = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export const traceTypeWords = ['email', 'phone', 'username', 'wallet'] as const;
export const strategyWords = ['all', 'first_match'] as const;

const { list, ...callScripts } = stepsOver(traceRoles);

const targetScript = section({
  ...ownTiming,
  end: endingsAmong(traceEndings),
  /** Of the target; drawn from its shape when left out. */
  type: z.enum(traceTypeWords).optional(),
  sources: z.array(z.string().min(1)).min(1).optional(),
  /** Sources that do not answer; those of `partial` are drawn. */
  missingSources: z.array(z.string()).default([]),
  failure: failureFields.optional(),
  result: anyObject.optional(),
  artifacts: z.array(anyObject).default([]),
  ...callScripts,
});

export const traceSection = section({
  rateLimitPerSecond,
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
  /** Steps of every target without steps of its own, each by itself; those of the list. */
  calls: section({ list, ...callScripts }).prefault({}),
  background: backgroundOver(traceRoles),
});

export type TargetScript = z.output<typeof targetScript>;
