/** The `credit` section of a scenario, and what the specification does not show and a test may therefore rename. */

import { z } from 'zod';
import {
  acceptedStatus,
  failureFields,
  oneOf,
  range,
  rateLimitPerSecond,
  readAs,
  section,
  timing,
} from '../core/scenario-parts';
import type { Endings } from '../core/work';
import { backgroundOver, endingsAmong, stepsOver } from '../faults/fault-scenario';

/** Calls about one operation, scripted by its file. */
const operationRoles = { upload: 'form', status: 'poll', result: 'result' } as const;
/** All other calls, scripted by their name. */
const otherRoles = {
  specification: 'open',
  engine_list: 'lookup',
  engine_create: 'order',
  engine_read: 'lookup',
  engine_update: 'lookup',
  engine_delete: 'lookup',
} as const;
export const creditRoles = { ...operationRoles, ...otherRoles };
export type CreditStage = keyof typeof creditRoles;

/** Of operations of one file. */
export const creditEndings = {
  completed: ['forever', 'completed'],
  failed: ['forever', 'failed'],
  never_settles: ['forever', 'processing'],
  no_result: ['forever', 'completed'],
} as const satisfies Endings;
export type CreditEnding = keyof typeof creditEndings;

const fileScript = section({
  ...stepsOver(operationRoles),
  end: endingsAmong<CreditEnding>(creditEndings),
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

const name = z
  .string()
  .regex(/^[A-Za-z][\w-]{0,63}$/, 'expected a letter, then letters and digits');

const namesSchema = section({
  /** The part that carries the CNAB file. */
  filePart: name.default('file'),
  /** The part that chooses the engine by its id. */
  enginePart: name.default('engineId'),
  /** Another part that an upload must have, of any text; null for none. */
  requiredPart: name.nullable().default(null),
  /** Whether an upload without an engine is refused; else the first template judges. */
  engineRequired: z.boolean().default(false),
  idField: name.default('id'),
  statusField: name.default('status'),
  words: section({
    queued: name.default('queued'),
    processing: name.default('processing'),
    completed: name.default('completed'),
    failed: name.default('failed'),
  }).prefault({}),
  /** `bare`: an array; any other word: the field of an object that holds it. */
  engineList: name.default('bare'),
  /** `silent`: paths without bodies; `none`: 404. */
  document: z.enum(['whole', 'silent', 'none']).default('whole'),
});

export type CreditNames = z.output<typeof namesSchema>;
export type CreditNamesInput = z.input<typeof namesSchema>;

/** Fills in what is left out. @throws ScenarioError that names what is wrong */
export function parseCreditNames(input: unknown): CreditNames {
  return readAs(namesSchema, input, 'credit names', 'the whole of it');
}
