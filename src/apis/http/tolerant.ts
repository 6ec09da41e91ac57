import { z } from 'zod';

/** A field that is not relied on: missing, null and of another type are the same, null. */
export function tolerant<T>(shape: z.ZodType<T>) {
  return shape
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);
}

/** A number in the rowIndex of a word is that word. */
export const reported = tolerant(z.union([z.string(), z.number().transform(String)]));
/** In quotes it says the same. */
export const flag = tolerant(
  z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]),
);
/** In quotes it is the same number. */
export const number = tolerant(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,15}(\.\d{1,15})?$/)
      .transform(Number),
  ]),
);
