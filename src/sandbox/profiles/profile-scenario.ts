/** The `profiles` section of a scenario. */

import { z } from 'zod';
import { anyObject, milliseconds, section } from '../core/scenario-parts';
import { sectionFields, stepsOver } from '../faults/fault-scenario';

export const profileRoles = { lookup: 'lookup' } as const;
export type ProfileStage = keyof typeof profileRoles;

/** `person` and `company` are the two forms of the document, `null` is neither. */
const ruralForms = ['person', 'company', 'null'] as const;
export type RuralForm = (typeof ruralForms)[number];

const count = z.int().min(0).max(10_000).optional();

const personScript = section({
  /** `empty`: a profile in which nothing was found. */
  answer: z.enum(['profile', 'empty', 'invalid_cpf', 'refused', 'not_found']).default('profile'),
  /** A list is used up answer by answer, its last word stays. */
  rural: z
    .preprocess(
      (form: RuralForm | RuralForm[]) => (Array.isArray(form) ? form : [form]),
      z.array(z.enum(ruralForms)).min(1),
    )
    .optional(),
  /** So long the rural query takes; beyond 5 seconds its value is null. */
  ruralMs: milliseconds.default(0),
  /** How many rows; drawn when left out. */
  vehicles: count,
  properties: count,
  planes: count,
  drones: count,
  patents: count,
  /** Laid over the profile. */
  profile: anyObject.optional(),
  ...stepsOver(profileRoles),
});

export const profileSection = section({
  ...sectionFields(profileRoles),
  /** Whether rows have the oddities of raw data: unknown fields, missing ones, words in numbers. */
  oddRows: z.boolean().default(true),
  /** By CPF, or `*`. */
  people: z
    .record(z.string().regex(/^(\*|\d{11})$/, 'expected 11 digits or "*"'), personScript)
    .default({}),
});

export type PersonScript = z.output<typeof personScript>;
