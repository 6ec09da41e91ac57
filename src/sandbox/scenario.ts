/** What the sandbox is told to do: a JSON file that a person can read and write. */

import { z } from 'zod';
import {
  callFaultKinds,
  callFaults,
  callStages,
  endingKinds,
  endings,
  isCallFault,
  isEnding,
  strikesAt,
  type CallFaultKind,
  type CallStage,
  type EndingKind,
  type FaultKind,
  type Times,
} from './faults/fault-words';

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
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown key ${issue.keys.join(', ')}; expected one of ${Object.keys(shape).join(', ')}`
        : undefined,
  });
}

const milliseconds = z.number().min(0);
const range = z
  .tuple([milliseconds, milliseconds])
  .refine(([shortest, longest]) => shortest <= longest, 'expected [shortest, longest]');
const times = z.custom<Times>(
  (value) => value === 'forever' || (Number.isInteger(value) && Number(value) >= 1),
  'expected a whole number from 1, or "forever"',
);
const stepOptions = {
  times: times.optional(),
  retryAfterSeconds: z.int().min(0).optional(),
  delayMs: milliseconds.optional(),
};

interface StepInput<Kind> {
  kind: Kind;
  times?: Times | undefined;
  retryAfterSeconds?: number | undefined;
  delayMs?: number | undefined;
}

function stepOf<Kind extends string>(kinds: readonly Kind[], defaultTimes: (kind: Kind) => Times) {
  return z.preprocess(
    (step: Kind | StepInput<Kind>) => (typeof step === 'string' ? { kind: step } : step),
    section({ kind: z.enum(kinds), ...stepOptions }).transform((step) => ({
      ...step,
      times: step.times ?? defaultTimes(step.kind),
    })),
  );
}

function stepsAt(stage: CallStage) {
  const kinds = callFaultKinds.filter((kind) => strikesAt(kind, stage));
  return z
    .array(
      stepOf<CallFaultKind | 'ok'>(['ok', ...kinds], (kind) =>
        kind === 'ok' ? 1 : callFaults[kind].times,
      ),
    )
    .default([]);
}

const ending = stepOf<EndingKind>(endingKinds, (kind) => endings[kind].times);
type EndingInput = z.input<typeof ending>;

const documentScript = section({
  request: stepsAt('request'),
  poll: stepsAt('poll'),
  pdf: stepsAt('pdf'),
  end: z
    .preprocess(
      (end: EndingInput | EndingInput[]) => (Array.isArray(end) ? end : [end]),
      z.array(ending),
    )
    .optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  failure: section({
    code: z.string().optional(),
    category: z.string().optional(),
    message: z.string().optional(),
    retryable: z.boolean().optional(),
    retry_after_seconds: z.int().min(0).optional(),
  }).optional(),
});

interface BackgroundInput extends StepInput<FaultKind> {
  stages?: CallStage[] | undefined;
}

const backgroundKind = z.preprocess(
  (kind: FaultKind | BackgroundInput) => (typeof kind === 'string' ? { kind } : kind),
  section({
    kind: z.enum([...callFaultKinds, ...endingKinds]),
    ...stepOptions,
    stages: z.array(z.enum(callStages)).min(1).optional(),
  }).superRefine(({ kind, times: given, stages }, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (isCallFault(kind) && given !== undefined) {
      refuse('times', 'expected no times: in the background every call is drawn by itself');
    }
    for (const stage of stages ?? []) {
      if (isEnding(kind)) refuse('stages', `expected no stages: ${kind} is an ending`);
      else if (!strikesAt(kind, stage)) {
        refuse('stages', `expected only ${callFaults[kind].stages.join(', ')} for ${kind}`);
      }
    }
  }),
);

const scenarioSchema = section({
  description: z.string().optional(),
  issuance: section({
    waitingMs: range.default([50, 200]),
    processingMs: range.default([100, 1000]),
    distribution: z.enum(['lognormal', 'uniform']).default('lognormal'),
  }).prefault({}),
  latencyMs: range.default([0, 0]),
  successStatus: z
    .union([z.literal(200), z.literal(201), z.literal(202)], { error: 'expected 200, 201 or 202' })
    .default(202),
  rateLimitPerSecond: z.number().positive().nullable().default(null),
  background: section({
    rate: z.number().min(0).max(1).default(0),
    kinds: z.array(backgroundKind).default([]),
  }).prefault({}),
  documents: z
    .record(
      z.string().regex(/^(\*|\d{11}|\d{14})$/, 'expected 11 digits, 14 digits or "*"'),
      documentScript,
    )
    .default({}),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioInput = z.input<typeof scenarioSchema>;
export type DocumentScript = z.output<typeof documentScript>;
export type CallStep = DocumentScript['request'][number];
export type EndingStep = z.output<typeof ending>;
export type BackgroundKind = Scenario['background']['kinds'][number];

/** Merged over the scenario in force: sections by key, documents by digits; null drops a document. */
export type ScenarioPatch = Omit<Partial<ScenarioInput>, 'documents'> & {
  documents?: Record<string, NonNullable<ScenarioInput['documents']>[string] | null> | undefined;
};

function pathInWords(path: readonly PropertyKey[]): string {
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return words.join('').replace(/^\./, '') || 'the whole scenario';
}

/**
 * Reads a scenario from its JSON text or from an object, and fills in what it leaves out.
 * @param source the name that errors begin with, for instance the file.
 * @throws ScenarioError
 */
export function parseScenario(input: unknown, source = 'scenario'): Scenario {
  let value = input;
  if (typeof input === 'string') {
    try {
      value = JSON.parse(input);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ScenarioError(source, [
        { path: 'the whole scenario', expected: `expected JSON (${reason})` },
      ]);
    }
  }
  const parsed = scenarioSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ScenarioError(
    source,
    parsed.error.issues.map((issue) => ({
      path: pathInWords(issue.path),
      expected:
        issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message,
    })),
  );
}

/** @throws ScenarioError when the merged scenario cannot be used. */
export function patchScenario(current: Scenario, patch: unknown): Scenario {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    return parseScenario(patch, 'scenario patch');
  }
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    merged[key] = isSection(key) && isRecord(value) ? { ...current[key], ...value } : value;
  }
  if (isRecord(merged['documents'])) {
    merged['documents'] = Object.fromEntries(
      Object.entries(merged['documents']).filter(([, script]) => script !== null),
    );
  }
  return parseScenario(merged, 'scenario patch');
}

function isSection(key: string): key is 'issuance' | 'background' | 'documents' {
  return key === 'issuance' || key === 'background' || key === 'documents';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
