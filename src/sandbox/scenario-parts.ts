/** The pieces that a scenario is read with, and the error of one that cannot be used. */

import { z } from 'zod';
import type { Times } from './faults/fault-words';

/** A scenario that cannot be used. `issues` names each path and what was expected there. */
export class ScenarioError extends Error {
  readonly code = 'SCENARIO_INVALID';
  readonly issues: readonly { path: string; expected: string }[];

  constructor(source: string, issues: readonly { path: string; expected: string }[]) {
    super(issues.map(({ path, expected }) => `${source}: ${path}: ${expected}`).join('\n'));
    this.name = 'ScenarioError';
    this.issues = issues;
  }
}

/** An object that refuses keys it does not know, and says which it knows. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown key ${issue.keys.join(', ')}; expected one of ${Object.keys(shape).join(', ')}`
        : undefined,
  });
}

export const milliseconds = z.number().min(0);
export const range = z
  .tuple([milliseconds, milliseconds])
  .refine(([shortest, longest]) => shortest <= longest, 'expected [shortest, longest]');
const times = z.custom<Times>(
  (value) => value === 'forever' || (Number.isInteger(value) && Number(value) >= 1),
  'expected a whole number from 1, or "forever"',
);
export const stepOptions = {
  times: times.optional(),
  retryAfterSeconds: z.int().min(0).optional(),
  delayMs: milliseconds.optional(),
};

export interface StepInput<Kind> {
  kind: Kind;
  times?: Times | undefined;
  retryAfterSeconds?: number | undefined;
  delayMs?: number | undefined;
}

export function stepOf<Kind extends string>(
  kinds: readonly Kind[],
  defaultTimes: (kind: Kind) => Times,
) {
  return z.preprocess(
    (step: Kind | StepInput<Kind>) => (typeof step === 'string' ? { kind: step } : step),
    section({ kind: z.enum(kinds), ...stepOptions }).transform((step) => ({
      ...step,
      times: step.times ?? defaultTimes(step.kind),
    })),
  );
}

export const timing = section({
  waitingMs: range.default([50, 200]),
  processingMs: range.default([100, 1000]),
  distribution: z.enum(['lognormal', 'uniform']).default('lognormal'),
});
