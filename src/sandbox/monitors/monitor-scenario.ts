/** The `monitors` section of a scenario. */

import { z } from 'zod';
import {
  anyObject,
  listFields,
  milliseconds,
  parameter,
  routePresence,
  section,
  uuidInLowerCase,
} from '../core/scenario-parts';
import { sectionFields, stepsOver } from '../faults/fault-scenario';

export const monitorRoles = {
  list: 'list',
  ack: 'change',
  read: 'read',
  update: 'change',
} as const;
export type MonitorStage = keyof typeof monitorRoles;

export const severityWords = ['info', 'warn', 'critical'] as const;
export const listenWords = ['company', 'debts', 'processes', 'partners'] as const;

export const changeScript = section({
  id: uuidInLowerCase.optional(),
  /** From the start of the sandbox, or from the call that adds the change; negative lies back. */
  afterMs: z.number().default(0),
  severity: z.enum(severityWords).optional(),
  type: z.string().min(1).optional(),
  before: anyObject.optional(),
  after: anyObject.optional(),
  /** Acknowledged by somebody else before it is first listed. */
  acknowledged: z.boolean().default(false),
  /** `no_id`: nobody can read or acknowledge it; `unknown_status`: of status and severity. */
  answer: z.enum(['plain', 'no_id', 'unknown_status']).default('plain'),
  /** The answer to an acknowledgement: done, 409 every time, or 404 every time. */
  ack: z.enum(['accepted', 'refused', 'gone']).default('accepted'),
});

/** What a monitor is, however it came here. */
export const monitorFields = {
  status: z.enum(['active', 'paused', 'cancelled']).optional(),
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

/** Over all monitors. */
export const changeLimit = 1_000_000;

const monitorScript = section({
  ...monitorFields,
  changes: z.array(changeScript).default([]),
  /** Changes beyond the scripted ones, drawn from the seed. */
  seededChanges: z.int().min(0).max(changeLimit).default(0),
  /** The seeded changes appear within this time, from the start of the sandbox. */
  overMs: milliseconds.default(0),
  ...stepsOver(monitorRoles),
});

export const monitorSection = section({
  ...sectionFields(monitorRoles),
  readRoute: routePresence,
  ...listFields,
  severityName: parameter.default('severity'),
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
    changes: z.int().min(0).max(changeLimit).default(0),
    overMs: milliseconds.default(0),
  })
    .refine(
      ({ monitors, changes }) => monitors * changes <= changeLimit,
      `expected at most ${changeLimit} changes over all monitors`,
    )
    .prefault({}),
  held: z.record(uuidInLowerCase, monitorScript).default({}),
});

export type MonitorScenario = z.output<typeof monitorSection>;
/** What a monitor is, without its changes and its faults. */
export type MonitorFields = {
  [Name in keyof typeof monitorFields]?: z.output<(typeof monitorFields)[Name]>;
};
export type ChangeScript = z.output<typeof changeScript>;
export type ChangeScriptInput = z.input<typeof changeScript>;
