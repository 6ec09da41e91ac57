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
} from './faults/fault-words';
import { creditSection } from './credit/credit-scenario';
import { monitorSection } from './monitors/monitor-scenario';
import {
  range,
  ScenarioError,
  section,
  stepOf,
  stepOptions,
  timing,
  type StepInput,
} from './scenario-parts';

export { ScenarioError } from './scenario-parts';

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
  issuance: timing.prefault({}),
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
  credit: creditSection.prefault({}),
  monitors: monitorSection.prefault({}),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioInput = z.input<typeof scenarioSchema>;
export type DocumentScript = z.output<typeof documentScript>;
export type CallStep = DocumentScript['request'][number];
export type EndingStep = z.output<typeof ending>;
export type BackgroundKind = Scenario['background']['kinds'][number];

/** Merged over the scenario in force: sections by key, documents by digits; null drops a document. */
export type ScenarioPatch = Omit<Partial<ScenarioInput>, 'documents' | 'credit' | 'monitors'> & {
  documents?: Record<string, NonNullable<ScenarioInput['documents']>[string] | null> | undefined;
  credit?: CreditPatch | undefined;
  monitors?: MonitorPatch | undefined;
};
type CreditInput = NonNullable<ScenarioInput['credit']>;
export type CreditPatch = Omit<CreditInput, 'files'> & {
  files?: Record<string, NonNullable<CreditInput['files']>[string] | null> | undefined;
};
type MonitorInput = NonNullable<ScenarioInput['monitors']>;
/** Parts by key, monitors by id; null drops one. */
export type MonitorPatch = Omit<MonitorInput, 'held'> & {
  held?: Record<string, NonNullable<MonitorInput['held']>[string] | null> | undefined;
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
  if (isRecord(merged['documents'])) merged['documents'] = withoutNulls(merged['documents']);
  if (isRecord(patch) && isRecord(patch['credit'])) {
    const parts = ['analysis', 'background', 'files', 'calls'];
    merged['credit'] = patchSection(current.credit, patch['credit'], parts);
  }
  if (isRecord(patch) && isRecord(patch['monitors'])) {
    const parts = ['seeded', 'background', 'held', 'calls'];
    merged['monitors'] = patchSection(current.monitors, patch['monitors'], parts);
  }
  return parseScenario(merged, 'scenario patch');
}

/** Its parts by key, and what they hold by name; null drops a name. */
function patchSection(
  current: Record<string, unknown>,
  patch: Record<string, unknown>,
  parts: readonly string[],
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...current, ...patch };
  for (const part of parts) {
    const [held, change] = [current[part], patch[part]];
    if (isRecord(held) && isRecord(change)) merged[part] = withoutNulls({ ...held, ...change });
  }
  return merged;
}

function withoutNulls(scripts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(scripts).filter(([, script]) => script !== null));
}

function isSection(key: string): key is 'issuance' | 'background' | 'documents' {
  return key === 'issuance' || key === 'background' || key === 'documents';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
