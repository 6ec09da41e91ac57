/** The `credit` section of a scenario. */

import { z } from 'zod';
import { range, section, stepOf, stepOptions, timing, type StepInput } from '../scenario-parts';
import {
  creditEndingKinds,
  creditEndings,
  creditFaultKinds,
  creditFaults,
  creditStages,
  isCreditFault,
  otherStages,
  strikesCreditAt,
  type CreditEndingKind,
  type CreditFaultKind,
  type CreditStage,
  type OtherStage,
} from './credit-fault-words';

function stepsAt(stage: CreditStage) {
  const kinds = creditFaultKinds.filter((kind) => strikesCreditAt(kind, stage));
  return z
    .array(
      stepOf<CreditFaultKind | 'ok'>(['ok', ...kinds], (kind) =>
        kind === 'ok' ? 1 : creditFaults[kind].times,
      ),
    )
    .default([]);
}

const ending = stepOf<CreditEndingKind>(creditEndingKinds, (kind) => creditEndings[kind].times);
type EndingInput = z.input<typeof ending>;

const fileScript = section({
  upload: stepsAt('upload'),
  status: stepsAt('status'),
  result: stepsAt('result'),
  end: z
    .preprocess(
      (end: EndingInput | EndingInput[]) => (Array.isArray(end) ? end : [end]),
      z.array(ending),
    )
    .optional(),
  failure: section({ code: z.string().optional(), message: z.string().optional() }).optional(),
});

type Kind = CreditFaultKind | CreditEndingKind;
/** One entry of `background.kinds` as it is written. */
export interface CreditBackgroundInput extends StepInput<Kind> {
  stages?: CreditStage[] | undefined;
}

const backgroundKind = z.preprocess(
  (kind: Kind | CreditBackgroundInput) => (typeof kind === 'string' ? { kind } : kind),
  section({
    kind: z.enum([...creditFaultKinds, ...creditEndingKinds]),
    ...stepOptions,
    stages: z.array(z.enum(creditStages)).min(1).optional(),
  }).superRefine(({ kind, times, stages }, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (isCreditFault(kind) && times !== undefined) {
      refuse('times', 'expected no times: in the background every call is drawn by itself');
    }
    for (const stage of stages ?? []) {
      if (!isCreditFault(kind)) refuse('stages', `expected no stages: ${kind} is an ending`);
      else if (!strikesCreditAt(kind, stage)) {
        refuse('stages', `expected only ${creditFaults[kind].stages.join(', ')} for ${kind}`);
      }
    }
  }),
);

const oneOf = <const Status extends readonly [number, number, ...number[]]>(...codes: Status) =>
  z.custom<Status[number]>(
    (value) => codes.some((code) => code === value),
    `expected ${codes.join(', ')}`,
  );

const callScripts = Object.fromEntries(
  otherStages.map((stage) => [stage, stepsAt(stage)]),
) as Record<OtherStage, ReturnType<typeof stepsAt>>;

export const creditSection = section({
  analysis: timing.prefault({}),
  /** From the end of an operation to its result. */
  resultDelayMs: range.default([0, 0]),
  successStatus: oneOf(200, 201, 202).default(202),
  /** What a result answers that is not there yet. */
  notReadyStatus: oneOf(202, 204, 404, 409, 425).default(409),
  maxFileBytes: z
    .int()
    .min(1)
    .default(64 * 1024 * 1024),
  rateLimitPerSecond: z.number().positive().nullable().default(null),
  background: section({
    rate: z.number().min(0).max(1).default(0),
    kinds: z.array(backgroundKind).default([]),
  }).prefault({}),
  /** By sha256 of the bytes, by file name, or `*`. */
  files: z.record(z.string().min(1), fileScript).default({}),
  calls: section(callScripts).prefault({}),
});

export type CreditScenario = z.output<typeof creditSection>;
export type FileScript = z.output<typeof fileScript>;
export type CreditStep = FileScript['upload'][number];
export type CreditEndingStep = z.output<typeof ending>;
export type CreditBackgroundKind = CreditScenario['background']['kinds'][number];
