import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { assumptionSections } from '../apis/assumptions';
import { ConfigError } from './config-error';
import { seconds, webAddress } from './validators';

export const configFileName = 'diligence.config.json';

const { certificates, credit, monitors, ...otherAssumptions } = assumptionSections;

/** Settings that rarely change, and assumptions about the services. No secrets. */
const sections = {
  investigation: z.strictObject({
    timeoutSeconds: seconds(1, 120).default(30).describe('Total time of one call.'),
  }),
  certificates: certificates.extend({
    // Below the grace time of a worker's shutdown: no POST may be interrupted.
    timeoutSeconds: seconds(1, 35)
      .default(30)
      .describe('Total time of one certificate call. A PDF may take four times as long.'),
  }),
  credit: credit.extend({
    timeoutSeconds: seconds(1, 600)
      .default(120)
      .describe('Total time of one upload or one result. Other calls take 30 seconds at most.'),
  }),
  monitors: monitors.extend({
    escalateAfter: z
      .int('expected a whole number')
      .min(1, 'expected a number from 1 to 1000')
      .max(1_000, 'expected a number from 1 to 1000')
      .default(5)
      .describe('Sweeps that could not deliver a change, after which a person must look.'),
  }),
  ...otherAssumptions,
  webhook: z.strictObject({
    timeoutSeconds: seconds(1, 120).default(15).describe('Total time of one delivery.'),
  }),
  codecServer: z.strictObject({
    oidc: z
      .strictObject({ issuer: webAddress, audience: z.string().min(1, 'expected an audience') })
      .nullable()
      .default(null)
      .describe('Issuer and audience of the JWTs that may decode; null: none may.'),
  }),
  payloads: z.strictObject({
    namespace: z
      .string()
      .min(1, 'expected the name of a namespace')
      .nullable()
      .default(null)
      .describe(
        'Namespace that payloads are bound to when it is not the one in use: after a move.',
      ),
  }),
};

type Sections = typeof sections;

/** Sections and their keys are optional: each has a default. */
const configSchema = z.strictObject({
  $schema: z.string().optional(),
  ...(Object.fromEntries(
    Object.entries<z.ZodType>(sections).map(([name, section]) => [name, z.prefault(section, {})]),
  ) as { [Name in keyof Sections]: z.ZodPrefault<Sections[Name]> }),
});

export type Config = z.output<typeof configSchema>;

/** For `dist/schemas/config.json`. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input' });
}

/** Keys of a section, `section.key`, with default and meaning. */
export function configKeys(): { key: string; value: unknown; meaning: string }[] {
  const defaults = configSchema.parse({});
  return Object.entries(sections).flatMap(([section, { shape }]) =>
    Object.entries(shape as Record<string, z.ZodType>).map(([key, { description = '' }]) => ({
      key: `${section}.${key}`,
      value: valueOf(defaults, `${section}.${key}`),
      meaning: description,
    })),
  );
}

/** @param key `section.key` */
export function valueOf(config: object, key: string): unknown {
  const [section = '', name = ''] = key.split('.');
  return (config as Record<string, Record<string, unknown> | undefined>)[section]?.[name];
}

export interface ConfigFile {
  config: Config;
  /** Absolute; null without a file. */
  path: string | null;
  /** Content of the file: the rest of `config` are defaults. */
  given: object;
}

/**
 * The file of `DILIGENCE_CONFIG`, else `diligence.config.json` of the working directory, if it exists.
 *
 * @throws ConfigError with the key, the expected value, and the file
 */
export function readConfigFile(named: string | undefined): ConfigFile {
  const path = resolve(named ?? configFileName);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (named === undefined && code === 'ENOENT') {
      return { config: parseConfig({}, path), path: null, given: {} };
    }
    throw new ConfigError('DILIGENCE_CONFIG', `${path} cannot be read (${code})`);
  }
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new ConfigError('DILIGENCE_CONFIG', `${path} is not JSON`);
  }
  return { config: parseConfig(given, path), path, given: given as object };
}

/** @throws ConfigError like `readConfigFile` */
export function parseConfig(given: unknown, path: string = configFileName): Config {
  const parsed = configSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const unknown = issue.keys[0] ?? '';
    const within = issue.path.map(String);
    const known = keysWithin(within);
    throw new ConfigError(
      [...within, unknown].join('.'),
      `no such key: expected one of ${known.join(', ')} (in ${path})`,
    );
  }
  const key = issue?.path.map(String).join('.') || 'DILIGENCE_CONFIG';
  throw new ConfigError(key, `${issue?.message ?? 'malformed'} (in ${path})`);
}

function keysWithin([section, ...deeper]: readonly string[]): string[] {
  if (section === undefined) return Object.keys(configSchema.shape);
  if (deeper.length > 0) return ['issuer', 'audience'];
  return Object.keys(sections[section as keyof Sections].shape);
}
