import { allowedHosts, type AddressGuard } from '../protection/address-guard';
import { hideSecret } from '../protection/redaction';
import { ConfigError } from './config-error';
import type { Config } from './config-file';
import type { Variables } from './variables';

/** Settings of the sinks of changes. */
export interface MonitorSinkSettings {
  sinks: readonly SinkChoice[];
  /** Null when no address is set. */
  webhook: {
    url: string;
    secrets: readonly string[];
    guard: AddressGuard;
    /** For one delivery, from connection to response. */
    timeoutMs: number;
  } | null;
}

export interface SinkChoice {
  name: 'file' | 'webhook';
  /** A change is acknowledged only after the webhook has accepted it. */
  required: boolean;
}

/** @throws ConfigError when they contradict each other */
export function monitorSinksOf(
  found: Variables,
  webhook: Config['webhook'],
  guard: AddressGuard,
): MonitorSinkSettings {
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
  const target = webhookOf(found, webhook, guard);
  if (target === null && sinks.some(({ name }) => name === 'webhook')) {
    throw new ConfigError('MONITOR_WEBHOOK_URL', 'is not set, though MONITOR_SINKS has webhook');
  }
  return { sinks, webhook: target };
}

function webhookOf(
  found: Variables,
  { timeoutSeconds }: Config['webhook'],
  guard: AddressGuard,
): MonitorSinkSettings['webhook'] {
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
  return { url, secrets, guard, timeoutMs: timeoutSeconds * 1_000 };
}

function isWebhookSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = base64 === undefined ? 0 : Buffer.from(base64, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}
