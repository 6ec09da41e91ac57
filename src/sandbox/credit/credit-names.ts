/**
 * What the specification does not show, and a test may therefore rename: parts of the upload,
 * fields of an operation, words of its status; and how much of it the published document tells.
 */

import { z } from 'zod';
import { readAs, section } from '../core/scenario-parts';

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
}).refine(
  ({ filePart, enginePart, requiredPart }) =>
    new Set([filePart, enginePart, requiredPart, 'xmls']).size === 4,
  'expected parts with different names, none of them xmls',
);

export type CreditNames = z.output<typeof namesSchema>;
export type CreditNamesInput = z.input<typeof namesSchema>;

/** Fills in what is left out. @throws ScenarioError that names what is wrong */
export function parseCreditNames(input: unknown): CreditNames {
  return readAs(namesSchema, input, 'credit names', 'the whole of it');
}
