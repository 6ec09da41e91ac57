/** What the scenario sections of profiles, lens, traces and dossiers have in common. */

import { z } from 'zod';
import type { Times } from './faults/fault-words';
import {
  resourceFaultKinds,
  strikesRole,
  timesOfResourceFault,
  type CallRole,
  type ResourceFaultKind,
} from './faults/resource-fault-words';
import { section, stepOf, stepOptions, type StepInput } from './scenario-parts';

/** Steps that the calls of one kind go through. */
export function stepsAs(role: CallRole) {
  const kinds = resourceFaultKinds.filter((kind) => strikesRole(kind, role));
  return z
    .array(
      stepOf<ResourceFaultKind | 'ok'>(['ok', ...kinds], (kind) =>
        kind === 'ok' ? 1 : timesOfResourceFault(kind),
      ),
    )
    .default([]);
}
export type CallSteps = z.output<ReturnType<typeof stepsAs>>;

export interface BackgroundTroubleInput<Stage extends string> extends StepInput<ResourceFaultKind> {
  stages?: Stage[] | undefined;
}

export interface BackgroundInput<Stage extends string> {
  rate?: number | undefined;
  kinds?: (ResourceFaultKind | BackgroundTroubleInput<Stage>)[] | undefined;
}

/** Trouble with a share of the calls. */
export interface BackgroundTrouble<Stage extends string> {
  rate: number;
  kinds: {
    kind: ResourceFaultKind;
    retryAfterSeconds?: number | undefined;
    delayMs?: number | undefined;
    stages?: Stage[] | undefined;
  }[];
}

export function backgroundOver<const Stage extends string>(roles: Record<Stage, CallRole>) {
  const stageNames = Object.keys(roles) as [Stage, ...Stage[]];
  const suits = (kind: ResourceFaultKind) =>
    stageNames.filter((stage) => strikesRole(kind, roles[stage]));
  const kind = z.preprocess(
    (entry: ResourceFaultKind | BackgroundTroubleInput<Stage>) =>
      typeof entry === 'string' ? { kind: entry } : entry,
    z
      .strictObject({
        kind: z.enum(resourceFaultKinds.filter((word) => suits(word).length > 0)),
        retryAfterSeconds: stepOptions.retryAfterSeconds,
        delayMs: stepOptions.delayMs,
        stages: z.array(z.enum(stageNames)).min(1).optional(),
      })
      .superRefine(({ kind: word, stages }, context) => {
        const fitting: readonly string[] = suits(word);
        if (stages?.every((stage) => fitting.includes(stage)) === false) {
          const message = `expected only ${fitting.join(', ')} for ${word}`;
          context.addIssue({ code: 'custom', path: ['stages'], message });
        }
      }),
  );
  // Spelled out: what zod infers from names that are themselves inferred is beyond reading.
  const shape = section({
    rate: z.number().min(0).max(1).default(0),
    kinds: z.array(kind).default([]),
  }) as unknown as z.ZodType<BackgroundTrouble<Stage>, BackgroundInput<Stage>>;
  return shape.prefault({});
}

/** How something ends; the words are used up one by one, and then it completes. */
export function endingsAmong<const Kind extends string>(words: Readonly<Record<Kind, Times>>) {
  const ending = stepOf<Kind>(Object.keys(words) as Kind[], (kind) => words[kind]);
  type EndingInput = z.input<typeof ending>;
  return z
    .preprocess(
      (end: EndingInput | EndingInput[]) => (Array.isArray(end) ? end : [end]),
      z.array(ending),
    )
    .optional();
}

export const failureFields = section({
  code: z.string().optional(),
  message: z.string().optional(),
  retryable: z.boolean().optional(),
  retry_after_seconds: z.int().min(0).optional(),
});

export const rateLimitPerSecond = z.number().positive().nullable().default(null);
export const repeatedKey = z.enum(['same', 'refused']).default('same');
export const pollAfterSeconds = z.number().min(0).nullable();
export const acceptedStatus = (usual: 200 | 201 | 202) =>
  z
    .union([z.literal(200), z.literal(201), z.literal(202)], { error: 'expected 200, 201 or 202' })
    .default(usual);

const parameter = z.string().min(1).max(64);
/** How a list is walked, and the names of its query parameters. */
export const listFields = {
  /** `stable`: behind the last item shown; `shifting`: a number of items. */
  cursors: z.enum(['stable', 'shifting']).default('stable'),
  order: z.enum(['newest', 'oldest']).default('newest'),
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
