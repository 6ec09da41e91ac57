/** The pieces that a scenario is read with, and the error of one that cannot be used. */

import { z } from 'zod';

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

/** @throws ScenarioError that names the source, each path and what was expected there */
export function readAs<Shape extends z.ZodType>(
  schema: Shape,
  value: unknown,
  source: string,
  whole: string,
): z.output<Shape> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ScenarioError(
    source,
    parsed.error.issues.map((issue) => ({
      path: pathInWords(issue.path) || whole,
      expected:
        issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message,
    })),
  );
}

function pathInWords(path: readonly PropertyKey[]): string {
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return words.join('').replace(/^\./, '');
}

/** How often a step strikes. */
export type Times = number | 'forever';

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

export const failureFields = section({
  code: z.string().optional(),
  category: z.string().optional(),
  message: z.string().optional(),
  retryable: z.boolean().optional(),
  retry_after_seconds: z.int().min(0).optional(),
});

export const rateLimitPerSecond = z.number().positive().nullable().default(null);
export const repeatedKey = z.enum(['same', 'refused']).default('same');
export const pollAfterSeconds = z.number().min(0).nullable().default(2);

export function oneOf<const Status extends readonly [number, ...number[]]>(...codes: Status) {
  return z.custom<Status[number]>(
    (value) => codes.some((code) => code === value),
    `expected ${codes.join(', ').replace(/, (\d+)$/, ' or $1')}`,
  );
}
export const acceptedStatus = oneOf(200, 201, 202);

export const parameter = z.string().min(1).max(64);
/** How a list is walked, and the names of its query parameters. */
export const listFields = {
  /** `stable`: behind the last item shown; `shifting`: a number of items. */
  cursors: z.enum(['stable', 'shifting']).default('stable'),
  /** `ignored` lets each and every unknown name pass without effect. */
  pageSizeName: parameter.default('limit'),
  cursorName: parameter.default('cursor'),
  statusName: parameter.default('status'),
  defaultPageSize: z.int().min(1).max(100).default(20),
};

/** Routes that the document does not show: there, unknown (404) or not allowed (405). */
export const routePresence = z.enum(['served', 'unknown', 'not_allowed']).default('served');
export const anyObject = z.record(z.string(), z.unknown());
export const uuidInLowerCase = z
  .uuid('expected a UUID')
  .refine((id) => id === id.toLowerCase(), 'expected a UUID in lower case');
