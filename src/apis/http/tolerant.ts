import { z } from 'zod';

/** An optional field: missing, null and another type are all null. */
export function tolerant<T>(shape: z.ZodType<T>) {
  return shape
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);
}

/** Also a number instead of a word. */
export const reported = tolerant(z.union([z.string(), z.number().transform(String)]));
/** Also in quotes. */
export const flag = tolerant(
  z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]),
);
/** Also in quotes. */
export const number = tolerant(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,15}(\.\d{1,15})?$/)
      .transform(Number),
  ]),
);
