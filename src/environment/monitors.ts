import { z } from 'zod';
import type { MonitorAssumptions } from '../apis/assumptions';
import { allowedHosts, type AddressGuard } from '../protection/address-guard';
import { hideSecret } from '../protection/redaction';
import { refuseSameNames } from './lists';
import { ConfigError, isWebAddress, numberWithin } from './variables';

/** The variables of monitors: where changes go, and by which names they are listed. */

/** Where changes of monitors go. */
export interface MonitorSinkSettings {
  sinks: readonly SinkChoice[];
  /** Null when no address is set. */
  webhook: {
    url: string;
    secrets: readonly string[];
    guard: AddressGuard;
    /** Of one delivery, connection to answer. */
    timeoutMs: number;
  } | null;
}

export interface SinkChoice {
  name: 'file' | 'webhook';
  /** A change is acknowledged when it has taken it. */
  required: boolean;
}

export const monitorVariables = {
  MONITOR_SINKS: z
    .string()
    .regex(
      /^(?:file|webhook)\??(?:,(?:file|webhook)\??)?$/,
      'expected file, webhook or both, separated by a comma; `?` after one that need not have a change before it is acknowledged',
    )
    .default('file'),
  MONITOR_WEBHOOK_URL: z
    .string()
    .refine(isWebAddress, 'expected an http or https address')
    .refine(isWithoutUser, 'expected no user and no fragment in the address')
    .optional(),
  MONITOR_WEBHOOK_SECRET: z.string().min(1).optional(),
  MONITOR_WEBHOOK_TIMEOUT_SECONDS: numberWithin(1, 120).default(15),
  MONITOR_ESCALATE_AFTER: numberWithin(1, 1_000).int('expected a whole number').default(5),
} as const;

type Found = z.infer<z.ZodObject<typeof monitorVariables>>;

/** @throws ConfigError when they do not go together */
export function monitorSinksOf(found: Found, guard: AddressGuard): MonitorSinkSettings {
  const sinks = found.MONITOR_SINKS.split(',').map((word): SinkChoice => ({
    name: word.replace('?', '') as SinkChoice['name'],
    required: !word.endsWith('?'),
  }));
  if (sinks.length === 2 && sinks[0]?.name === sinks[1]?.name) {
    throw new ConfigError('MONITOR_SINKS', 'expected each sink once');
  }
  if (!sinks.some(({ required }) => required)) {
    throw new ConfigError('MONITOR_SINKS', 'expected one without `?`: nothing may be lost');
  }
  const webhook = webhookOf(found, guard);
  if (webhook === null && sinks.some(({ name }) => name === 'webhook')) {
    throw new ConfigError('MONITOR_WEBHOOK_URL', 'is not set, though MONITOR_SINKS has webhook');
  }
  return { sinks, webhook };
}

function webhookOf(found: Found, guard: AddressGuard): MonitorSinkSettings['webhook'] {
  const { MONITOR_WEBHOOK_URL: url, MONITOR_WEBHOOK_SECRET: secret } = found;
  if (url === undefined) return null;
  const { hostname, protocol } = new URL(url);
  if (protocol !== 'https:' && !guard.allows(hostname)) {
    const why = `expected an https address, or a host of ${allowedHosts}: changes tell of people`;
    throw new ConfigError('MONITOR_WEBHOOK_URL', why);
  }
  if (secret === undefined) {
    throw new ConfigError('MONITOR_WEBHOOK_SECRET', 'is not set, though MONITOR_WEBHOOK_URL is');
  }
  const secrets = secret.split(',').map((one) => one.trim());
  if (!secrets.every(isWebhookSecret)) {
    const expected = 'expected whsec_ and 24 to 64 bytes in base64; several separated by commas';
    throw new ConfigError('MONITOR_WEBHOOK_SECRET', expected);
  }
  // Receivers put secrets into paths, too.
  hideSecret(url);
  const timeoutMs = found.MONITOR_WEBHOOK_TIMEOUT_SECONDS * 1_000;
  return { url, secrets, guard, timeoutMs };
}

function isWebhookSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = base64 === undefined ? 0 : Buffer.from(base64, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}

const parameters = ['PAGE_SIZE_PARAM', 'CURSOR_PARAM', 'STATUS_PARAM', 'SEVERITY_PARAM'] as const;
type FoundNames = Record<(typeof parameters)[number] | 'MONITOR_READ_PATH', string>;

/** @throws ConfigError as `refuseSameNames` */
export function monitorNamesOf(found: FoundNames): MonitorAssumptions {
  refuseSameNames(found, parameters);
  return {
    pageSizeParam: found.PAGE_SIZE_PARAM,
    cursorParam: found.CURSOR_PARAM,
    statusParam: found.STATUS_PARAM,
    severityParam: found.SEVERITY_PARAM,
    readPath: found.MONITOR_READ_PATH,
  };
}

function isWithoutUser(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return [username, password, hash].every((part) => part === '');
}
