/** The `traces` section of a scenario. */

import { z } from 'zod';
import type { CallRole } from '../faults/resource-fault-words';
import {
  acceptedStatus,
  anyObject,
  backgroundOver,
  endingsAmong,
  failureFields,
  listFields,
  pollAfterSeconds,
  rateLimitPerSecond,
  repeatedKey,
  routePresence,
  stepsAs,
} from '../resource-scenario';
import { range, section, timing } from '../scenario-parts';

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

const callScripts = { create: stepsAs('create'), read: stepsAs('read') };

const targetScript = section({
  waitingMs: range.optional(),
  processingMs: range.optional(),
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
  successStatus: acceptedStatus(202),
  pollAfterSeconds: pollAfterSeconds.default(2),
  repeatedKey,
  /** `GET /rastro/{id}`, which the document does not show. */
  readRoute: routePresence,
  ...listFields,
  typeName: z.string().min(1).max(64).default('type'),
  /** What a search is told to have when no strategy was sent. */
  defaultStrategy: z.enum(strategyWords).default('all'),
  /** By target as it is sent, or `*`. */
  targets: z.record(z.string().min(1), targetScript).default({}),
  /** Steps of every target without steps of its own, each by itself; those of the list. */
  calls: section({ list: stepsAs('list'), ...callScripts }).prefault({}),
  background: backgroundOver(traceRoles),
});

export type TraceScenario = z.output<typeof traceSection>;
export type TargetScript = z.output<typeof targetScript>;
