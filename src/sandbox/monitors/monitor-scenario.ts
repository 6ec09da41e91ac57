/** The `monitors` section of a scenario. */

import { z } from 'zod';
import { milliseconds, section, stepOf, stepOptions, type StepInput } from '../scenario-parts';
import {
  monitorFaultKinds,
  monitorStages,
  stagesOf,
  timesOf,
  type MonitorFaultKind,
  type MonitorStage,
} from './monitor-fault-words';

function stepsAt(stage: MonitorStage) {
  const kinds = monitorFaultKinds.filter((kind) => stagesOf(kind).includes(stage));
  return z
    .array(stepOf<MonitorFaultKind | 'ok'>(['ok', ...kinds], (kind) => timesOfStep(kind)))
    .default([]);
}

function timesOfStep(kind: MonitorFaultKind | 'ok') {
  return kind === 'ok' ? 1 : timesOf(kind);
}

const callScripts = {
  list: stepsAt('list'),
  ack: stepsAt('ack'),
  read: stepsAt('read'),
  update: stepsAt('update'),
};

export const severityWords = ['info', 'warn', 'critical'] as const;
export type SeverityWord = (typeof severityWords)[number];
export const listenWords = ['company', 'debts', 'processes', 'partners'] as const;
export const statusWords = ['active', 'paused', 'cancelled'] as const;

const uuid = z
  .uuid('expected a UUID')
  .refine((id) => id === id.toLowerCase(), 'expected a UUID in lower case');
const anyObject = z.record(z.string(), z.unknown());

export const changeScript = section({
  id: uuid.optional(),
  /** From the start of the sandbox, or from the call that adds the change; negative lies back. */
  afterMs: z.number().default(0),
  severity: z.enum(severityWords).optional(),
  type: z.string().min(1).optional(),
  before: anyObject.optional(),
  after: anyObject.optional(),
  /** Acknowledged by somebody else before it is first listed. */
  acknowledged: z.boolean().default(false),
  /** `no_id`: nobody can read or acknowledge it; `unknown_words`: of status and severity. */
  answer: z.enum(['plain', 'no_id', 'unknown_words']).default('plain'),
  /** What an acknowledgement is told: done, 409 every time, or 404 every time. */
  ack: z.enum(['accepted', 'refused', 'gone']).default('accepted'),
});

/** What a monitor is, however it came here. */
export const monitorFields = {
  status: z.enum(statusWords).optional(),
  identifier: z
    .string()
    .regex(/^(\d{11}|\d{14})$/, 'expected 11 or 14 digits')
    .optional(),
  name: z.string().optional(),
  listen_items: z.array(z.enum(listenWords)).optional(),
  emails: z.array(z.string()).optional(),
  frequency_hours: z.int().min(1).max(720).optional(),
  /** Null: the monitor is shown without it. */
  health: section({
    status: z.string().optional(),
    consecutive_failures: z.int().min(0).optional(),
    last_cycle_at: z.iso.datetime().optional(),
  })
    .nullable()
    .optional(),
  subscription: section({ status: z.string().optional(), id: z.string().optional() })
    .nullable()
    .optional(),
  /** As the status says unless it is given. */
  execution_allowed: z.boolean().optional(),
  blocking_reason: z
    .enum(['monitor_paused', 'monitor_cancelled', 'payment_required', 'feature_disabled'])
    .optional(),
};

const monitorScript = section({
  ...monitorFields,
  changes: z.array(changeScript).default([]),
  /** Changes beyond the scripted ones, drawn from the seed. */
  seededChanges: z.int().min(0).max(1_000_000).default(0),
  /** The seeded changes appear within this time, from the start of the sandbox. */
  overMs: milliseconds.default(0),
  ...callScripts,
});

export interface MonitorBackgroundInput extends StepInput<MonitorFaultKind> {
  stages?: MonitorStage[] | undefined;
}

const backgroundKind = z.preprocess(
  (kind: MonitorFaultKind | MonitorBackgroundInput) => (typeof kind === 'string' ? { kind } : kind),
  section({
    kind: z.enum(monitorFaultKinds),
    ...stepOptions,
    stages: z.array(z.enum(monitorStages)).min(1).optional(),
  }).superRefine(({ kind, times, stages }, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (times !== undefined) {
      refuse('times', 'expected no times: in the background every call is drawn by itself');
    }
    if (stages?.some((stage) => !stagesOf(kind).includes(stage)) === true) {
      refuse('stages', `expected only ${stagesOf(kind).join(', ')} for ${kind}`);
    }
  }),
);

const parameter = z.string().min(1).max(64);

export const monitorSection = section({
  rateLimitPerSecond: z.number().positive().nullable().default(null),
  /** `stable`: behind the last item shown; `shifting`: a number of items, which acks move. */
  cursors: z.enum(['stable', 'shifting']).default('stable'),
  order: z.enum(['newest', 'oldest']).default('newest'),
  /** Without it, reading a monitor is a route that nobody knows: 404. */
  readRoute: z.boolean().default(true),
  /** Names of query parameters; `ignored` lets each and every unknown name pass without effect. */
  pageSizeName: parameter.default('limit'),
  cursorName: parameter.default('cursor'),
  statusName: parameter.default('status'),
  severityName: parameter.default('severity'),
  defaultPageSize: z.int().min(1).max(100).default(20),
  /** A second acknowledgement: answered like the first, or 409. */
  repeatedAck: z.enum(['same', 'conflict']).default('same'),
  /** Fields that an update is taken for and that keep their value all the same. */
  frozenFields: z.array(z.enum(['name', 'listen_items', 'emails', 'frequency_hours'])).default([]),
  /** Of a cancelled monitor: all of it, all but acknowledgements (409), or nothing (404). */
  cancelled: z.enum(['readable', 'closed', 'gone']).default('readable'),
  /** Monitors drawn from the seed, with the ids that docs/sandbox.md names. */
  seeded: section({
    monitors: z.int().min(0).max(20_000).default(0),
    /** Of each. */
    changes: z.int().min(0).max(1_000_000).default(0),
    overMs: milliseconds.default(0),
  }).prefault({}),
  held: z.record(uuid, monitorScript).default({}),
  /** Steps that every monitor without steps of its own goes through, each by itself. */
  calls: section(callScripts).prefault({}),
  background: section({
    rate: z.number().min(0).max(1).default(0),
    kinds: z.array(backgroundKind).default([]),
  }).prefault({}),
});

export type MonitorScenario = z.output<typeof monitorSection>;
export type MonitorScript = z.output<typeof monitorScript>;
export type ChangeScript = z.output<typeof changeScript>;
export type ChangeScriptInput = z.input<typeof changeScript>;
export type MonitorStep = MonitorScript['list'][number];
export type MonitorBackgroundKind = MonitorScenario['background']['kinds'][number];
