/** The `credit` section of a scenario. */

import { z } from 'zod';
import {
  acceptedStatus,
  failureFields,
  oneOf,
  range,
  rateLimitPerSecond,
  section,
  timing,
} from '../core/scenario-parts';
import { backgroundOver, endingsAmong, stepsOver } from '../faults/fault-scenario';
import type { CallRole } from '../faults/fault-words';

/** Calls about one operation, scripted by its file. */
const operationRoles = {
  upload: 'form',
  status: 'poll',
  result: 'result',
} as const satisfies Record<string, CallRole>;
/** All other calls, scripted by their name. */
const otherRoles = {
  specification: 'open',
  engine_list: 'lookup',
  engine_create: 'order',
  engine_read: 'lookup',
  engine_update: 'lookup',
  engine_delete: 'lookup',
} as const satisfies Record<string, CallRole>;
export const creditRoles = { ...operationRoles, ...otherRoles };
type OperationStage = keyof typeof operationRoles;
export type CreditStage = keyof typeof creditRoles;

export function isOfOperation(stage: CreditStage): stage is OperationStage {
  return Object.hasOwn(operationRoles, stage);
}

/** How an operation ends, and for how many operations of one file unless the step says. */
export const creditEndings = {
  completed: 'forever',
  failed: 'forever',
  never_settles: 'forever',
  no_result: 'forever',
} as const;
export type CreditEnding = keyof typeof creditEndings;

const fileScript = section({
  ...stepsOver(operationRoles),
  end: endingsAmong(creditEndings),
  failure: failureFields.optional(),
});

export const creditSection = section({
  analysis: timing.prefault({}),
  /** From the end of an operation to its result. */
  resultDelayMs: range.default([0, 0]),
  successStatus: acceptedStatus.default(202),
  /** What a result answers that is not there yet. */
  notReadyStatus: oneOf(202, 204, 404, 409, 425).default(409),
  maxFileBytes: z
    .int()
    .min(1)
    .default(64 * 1024 * 1024),
  rateLimitPerSecond,
  background: backgroundOver(creditRoles, Object.keys(creditEndings) as CreditEnding[]),
  /** By sha256 of the bytes, by file name, or `*`. */
  files: z.record(z.string().min(1), fileScript).default({}),
  calls: section(stepsOver(otherRoles)).prefault({}),
});

export type CreditScenario = z.output<typeof creditSection>;
