import { z } from 'zod';

/** A field that is not relied on: missing, null and of another type are the same, null. */
export function tolerant<T>(shape: z.ZodType<T>) {
  return shape
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);
}

export const told = tolerant(z.string());
export const flag = tolerant(z.boolean());
export const number = tolerant(z.number());
