/** How a scenario asks for faults: steps, endings and a background. */

import { z } from 'zod';
import {
  anyObject,
  failureFields,
  range,
  rateLimitPerSecond,
  section,
  stepOf,
  stepOptions,
  type StepInput,
  type Times,
} from '../core/scenario-parts';
import type { Endings } from '../core/work';
import {
  faultKinds,
  faults,
  strikesRole,
  type CallRole,
  type Fault,
  type FaultKind,
} from './faults';

/** Steps that the calls of one kind go through. */
function stepsAs(role: CallRole) {
  const kinds = faultKinds.filter((kind) => strikesRole(kind, role));
  return z
    .array(
      stepOf<FaultKind | 'ok'>(['ok', ...kinds], (kind) =>
        kind === 'ok' ? 1 : timesOf(faults[kind]),
      ),
    )
    .default([]);
}
const timesOf = ({ times = 1 }: Fault) => times;
export type CallSteps = z.output<ReturnType<typeof stepsAs>>;

/** The steps of each of the stages. */
export function stepsOver<Stage extends string>(roles: Readonly<Record<Stage, CallRole>>) {
  const stages = Object.entries<CallRole>(roles);
  return Object.fromEntries(stages.map(([stage, role]) => [stage, stepsAs(role)])) as Record<
    Stage,
    ReturnType<typeof stepsAs>
  >;
}

/** How something ends; the words are used up one by one, and then it completes. */
export function endingsAmong<Kind extends string>(endings: Endings<Kind>) {
  const ending = stepOf<Kind>(Object.keys(endings) as Kind[], (kind) => endings[kind][0]);
  type EndingInput = z.input<typeof ending>;
  return z
    .preprocess(
      (end: EndingInput | EndingInput[]) => (Array.isArray(end) ? end : [end]),
      z.array(ending),
    )
    .optional();
}
export type EndSteps<Kind extends string> = readonly {
  kind: Kind;
  times: Times;
  retryAfterSeconds?: number | undefined;
}[];

/** Of one script of paid work: its times, its ending and the words for it, and its steps. */
export function workFields<Stage extends string, Kind extends string>(
  roles: Readonly<Record<Stage, CallRole>>,
  endings: Endings<Kind>,
) {
  const { list: _, ...steps } = stepsOver<Stage | 'list'>({ ...roles, list: 'list' });
  return {
    waitingMs: range.optional(),
    processingMs: range.optional(),
    end: endingsAmong(endings),
    failure: failureFields.optional(),
    result: anyObject.optional(),
    ...steps,
  };
}

/** Of every section: its rate, the steps of what has none of its own, each by itself, and the background. */
export function sectionFields<Stage extends string>(roles: Readonly<Record<Stage, CallRole>>) {
  return {
    rateLimitPerSecond,
    calls: section(stepsOver(roles)).prefault({} as never),
    background: backgroundOver(roles),
  };
}

interface BackgroundKind<Kind extends string> extends StepInput<Kind> {
  stages?: string[] | undefined;
}

/** Trouble with a share of the calls. */
export interface Background<Kind extends string = string> {
  rate: number;
  kinds: BackgroundKind<Kind>[];
}

export interface BackgroundInput<Kind extends string> {
  rate?: number | undefined;
  kinds?: readonly (Kind | BackgroundKind<Kind>)[] | undefined;
}

/** @param endings words of endings that the background draws too */
export function backgroundOver<Stage extends string, Ending extends string = never>(
  roles: Readonly<Record<Stage, CallRole>>,
  endings: readonly Ending[] = [],
) {
  const stageNames = Object.keys(roles) as [Stage, ...Stage[]];
  const strikes = (kind: FaultKind) => stageNames.some((stage) => strikesRole(kind, roles[stage]));
  const kind = z.preprocess(
    (entry) => (typeof entry === 'string' ? { kind: entry } : entry),
    section({
      kind: z.enum([...faultKinds.filter(strikes), ...endings]),
      ...stepOptions,
      stages: z.array(z.enum(stageNames)).min(1).optional(),
    }),
  );
  const shape = section({
    rate: z.number().min(0).max(1).default(0),
    kinds: z.array(kind).default([]),
  });
  // Spelled out: what zod infers from names that are themselves inferred is beyond reading.
  const typed = shape as unknown as z.ZodType<
    Background<FaultKind | Ending>,
    BackgroundInput<FaultKind | Ending>
  >;
  return typed.prefault({});
}

/** The first list that says anything; undefined where none does. */
export function firstSteps(...lists: readonly (CallSteps | undefined)[]): CallSteps | undefined {
  return lists.find((steps) => steps !== undefined && steps.length > 0);
}
