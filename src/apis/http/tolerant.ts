import { z } from 'zod';
import { ContractError, type CallName } from './errors';

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

/**
 * Id of a resource: text, or a number that lost no digit; without characters that end a header or a line. An encoded
 * slash stays in its place in a path, but dots alone would mean another resource. The length fits an index.
 */
export const idText = z.preprocess(
  (value) => (Number.isSafeInteger(value) ? String(value) : value),
  z.string().regex(/^(?!\.{1,2}$)\P{C}{1,500}$/u),
);

type Camel<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** An object with our spelling of names: `media_type` becomes `mediaType`. */
export function camel<Shape extends z.ZodRawShape>(shape: Shape) {
  type Ours = {
    [Name in keyof Shape as Camel<Name>]: z.output<Shape[Name]>;
  };
  const ours = (name: string): string =>
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return z
    .object(shape)
    .transform(
      (wire) =>
        Object.fromEntries(
          Object.entries(wire).map(([name, value]) => [ours(name), value]),
        ) as Ours,
    );
}

/**
 * @param at where the value is in the response
 * @throws ContractError with the invalid paths, never the values
 */
export function parseWire<T>(
  schema: z.ZodType<T>,
  call: CallName,
  value: unknown,
  at: readonly PropertyKey[] = [],
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ContractError(call, issuesOf(parsed.error, at));
}

export function issuesOf(error: z.ZodError, at: readonly PropertyKey[] = []) {
  return error.issues.map(({ code, path }) => ({ path: [...at, ...path].join('.'), code }));
}
