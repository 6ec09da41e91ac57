import { z } from 'zod';
import { languages } from '../domain/job';
import { configKeys } from './config-file';
import { retentionTerms } from './retention';
import { isWebAddress, listenAddress, numberWithin, webAddress } from './validators';

const text = z.string().min(1);
const rate = numberWithin(0.01, 100_000);

/** Our environment variables with their meanings. `TEMPORAL_*` belongs to `@temporalio/envconfig`. */
export const variables = z.object({
  INVESTIGATION_BASE_URL: webAddress
    .optional()
    .describe('Base address of the investigation service, path included.'),
  INVESTIGATION_TOKEN: text.optional().describe('Its token.'),
  INVESTIGATION_TOKEN_FILE: text
    .optional()
    .describe('A file with the token instead, read again when the service refuses what we hold.'),
  INVESTIGATION_RPS: rate
    .optional()
    .describe(
      'The most calls a second of all but certificates, for the whole installation; without it, what the service takes.',
    ),
  CERTIFICATES_TOKEN: text
    .optional()
    .describe('Token of the certificate calls; without it, INVESTIGATION_TOKEN.'),
  CERTIFICATES_TOKEN_FILE: text.optional().describe('A file with that token instead.'),
  CERTIFICATES_RPS: rate
    .optional()
    .describe('The same of certificate calls (requests, polls and PDFs).'),
  CREDIT_BASE_URL: webAddress
    .optional()
    .describe('Base address of the credit service; it ends in /api/v1, and the calls add /v1.'),
  CREDIT_TOKEN: text.optional().describe('Its token.'),
  CREDIT_TOKEN_FILE: text.optional().describe('A file with the token instead.'),
  CREDIT_RPS: rate.optional().describe('The same of the credit service.'),
  DILIGENCE_CONFIG: text
    .optional()
    .describe(
      'The configuration file; without it, diligence.config.json of the working directory, where it is.',
    ),
  DILIGENCE_DATA_DIR: text
    .default('./data')
    .describe("Keys, store, logs, and the embedded server's database."),
  DILIGENCE_STORE_URL: text
    .optional()
    .describe(
      'The store: a directory or `file:` (SQLite), or `postgres://`; without it, `store` in the data directory.',
    ),
  DILIGENCE_BLOBS_URL: text
    .optional()
    .describe('Bytes beside PostgreSQL: a directory that all workers and commands share.'),
  DILIGENCE_ID_KEY: z
    .string()
    .regex(
      /^[0-9a-fA-F]{64}$/,
      'expected 64 hex digits (32 bytes), as `openssl rand -hex 32` prints',
    )
    .optional()
    .describe(
      'Makes the names of documents; a store belongs to its key. Without it, one is generated in the data directory.',
    ),
  DILIGENCE_PAYLOAD_KEYS: text
    .optional()
    .describe(
      'Keys that seal store and payloads, separated by commas: the first seals, all open. One list for every worker and command. Needed with TEMPORAL_ADDRESS; the embedded engine generates one in the data directory.',
    ),
  DILIGENCE_ACTOR: text.max(200).optional().describe('Who decides; without it, the system user.'),
  DILIGENCE_LANG: z
    .enum(languages)
    .optional()
    .describe(
      'Language of reports and of the screen, `en` or `pt`; without it, that of the system (LC_ALL, LC_MESSAGES, LANG).',
    ),
  DILIGENCE_RETENTION: retentionTerms
    .prefault('')
    .describe(
      'How long jobs are kept, by kind: `certificate-batch=5y,trace=90d`. Without it, for ever.',
    ),
  DILIGENCE_METRICS_ADDRESS: text
    .refine(
      (value) => value === 'off' || listenAddress(value) !== null,
      'expected host:port, or off',
    )
    .default('127.0.0.1:9464')
    .describe('Where a worker serves /healthz, /readyz and /metrics; off for nowhere.'),
  DILIGENCE_CODEC_TOKEN: z
    .string()
    .min(16, 'expected at least 16 characters')
    .optional()
    .describe('Token of those who may ask `diligence codec-server`.'),
  DILIGENCE_CODEC_TOKEN_FILE: text.optional().describe('A file with that token instead.'),
  DILIGENCE_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe(
      'Hosts, addresses and networks, separated by commas, that are called although they are not public or have an odd port, when a service names them (a file, an upload, a redirect) or the webhook is there.',
    ),
  MONITOR_SINKS: z
    .string()
    .regex(
      /^(?:file|webhook)\??(?:,(?:file|webhook)\??)?$/,
      'expected file, webhook or both, separated by a comma; `?` after one that need not have a change before it is acknowledged',
    )
    .default('file')
    .describe(
      'Where changes go: file, webhook, or both, separated by a comma. A change is acknowledged when all have it, but for one with a `?` after its name.',
    ),
  MONITOR_WEBHOOK_URL: z
    .string()
    .refine(isWebAddress, 'expected an http or https address')
    .refine(isWithoutUser, 'expected no user and no fragment in the address')
    .optional()
    .describe(
      'Gets every change by POST: https at a public address, or a host of DILIGENCE_ALLOWED_HOSTS.',
    ),
  MONITOR_WEBHOOK_SECRET: text
    .optional()
    .describe(
      'What signs it (Standard Webhooks): whsec_ and 24 to 64 bytes in base64. While it is replaced: new,old.',
    ),
});

export type Variables = z.infer<typeof variables>;

/** A variable or a key of the configuration file, for documentation. */
export interface Setting {
  name: string;
  from: 'environment' | 'file';
  /** As the user would write it; null: none. */
  default: string | null;
  meaning: string;
}

/** All settings, in the order of the documentation. */
export const settingsTable: readonly Setting[] = [
  ...Object.entries(variables.shape).map(([name, schema]): Setting => {
    const unset = schema.parse(undefined);
    const value = unset === undefined || Array.isArray(unset) ? null : String(unset);
    return { name, from: 'environment', default: value, meaning: schema.description ?? '' };
  }),
  ...configKeys().map(({ key, value, meaning }): Setting => {
    return { name: key, from: 'file', default: JSON.stringify(value), meaning };
  }),
];

function isWithoutUser(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password, hash } = new URL(address);
  return [username, password, hash].every((part) => part === '');
}
