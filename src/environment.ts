import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type {
  CertificateAssumptions,
  CreditAssumptions,
  DossierAssumptions,
  LensAssumptions,
  MonitorAssumptions,
  TraceAssumptions,
} from './apis/assumptions';
import { AddressGuard, allowedHosts } from './protection/address-guard';
import { ConfigError } from './environment/config-error';
import { readConfigFile, type Config } from './environment/config-file';
import { monitorSinksOf, type MonitorSinkSettings } from './environment/monitors';
import { listenAddress, type ListenAddress } from './environment/validators';
import { variables, type Variables } from './environment/variables';
import type { Language } from './domain/job';
import type { RetentionTerm } from './domain/core/retention';
import { KeyRing } from './protection/key-ring';

export type { MonitorSinkSettings, SinkChoice } from './environment/monitors';
export { ConfigError } from './environment/config-error';
export { readConfigFile, valueOf } from './environment/config-file';
export { listenAddress, type ListenAddress } from './environment/validators';

/**
 * Environment and configuration file, parsed once. `.env` is read; a variable of ours, or a key of the file, that is
 * unknown or malformed is an error that names it. `TEMPORAL_*` is left to `@temporalio/envconfig`.
 */
export interface Environment {
  /** As they were read: processes that are started get the same. */
  variables: NodeJS.ProcessEnv;
  /** Null until a service is configured: the sandbox serves then. */
  investigation: InvestigationSettings | null;
  /** Null until the credit service is configured. */
  credit: CreditSettings | null;
  /** Absolute. Embedded server, default store, generated keys, logs. */
  dataDir: string;
  /** Directory of the store, or `postgres://`. */
  storeUrl: string;
  /** Directory of the bytes of a store in PostgreSQL; null where none is set. */
  blobsUrl: string | null;
  /** 64 hex digits, or null when one is to be generated in the data directory. */
  idKey: string | null;
  /** Null when none are configured. */
  payloadKeys: KeyRing | null;
  /** Namespace that payloads are bound to, when it is not the one in use: for a move. */
  aadNamespace: string | null;
  codecServer: CodecServerSettings;
  /** Of reports, where nobody says another. */
  language: Language;
  /** Who decides, for the record. */
  actor: string;
  /** Where a worker serves `/healthz`, `/readyz` and `/metrics`; null for nowhere. */
  metricsAddress: ListenAddress | null;
  /** Of addresses that a service names, and of the webhook. */
  guard: AddressGuard;
  resendOn503: boolean;
  certificates: CertificateAssumptions;
  creditNames: CreditAssumptions;
  monitorNames: MonitorAssumptions;
  lens: LensAssumptions;
  traceNames: TraceAssumptions;
  dossierNames: DossierAssumptions;
  monitorSinks: MonitorSinkSettings;
  /** Sweeps that could not bring a change through after which a person must look. */
  monitorEscalateAfter: number;
  /** How long jobs are kept, by kind; of a kind that is not there, for ever. */
  retention: readonly RetentionTerm[];
}

export interface InvestigationSettings {
  baseUrl: string;
  token: TokenSetting;
  /** The most calls a second of all but the certificates, for the whole installation; null: none is set. */
  rps: number | null;
  /** Total time of one of these calls. */
  timeoutMs: number;
  /** Null: the same token. */
  certificatesToken: TokenSetting | null;
  /** The same of certificates. */
  certificatesRps: number | null;
  /** Total time of one certificate call, after which its answer counts as lost. */
  certificatesTimeoutMs: number;
}

export interface CreditSettings {
  /** Ends in /api/v1; the paths of the calls begin with /v1 again, as documented. */
  baseUrl: string;
  token: TokenSetting;
  /** The most calls a second, for the whole installation; null: none is set. */
  rps: number | null;
  /** Total time of one upload or one result, after which it counts as lost. */
  timeoutMs: number;
}

/** Who may decode: holders of the token, or of one that the issuer made for the audience. */
export interface CodecServerSettings {
  token: TokenSetting | null;
  oidc: { issuer: string; audience: string } | null;
}

export type TokenSetting = { value: string } | { file: string };

/** Names that begin like ours and are not ours are misspellings, and misspellings cost money. */
const ourPrefixes = /^(?:DILIGENCE|INVESTIGATION|CERTIFICATES?|CREDIT|MONITOR_(?:SINK|WEBHOOK))/;

/** @throws ConfigError that names the variable or key, what was expected, and never a secret's value */
export function readEnvironment(
  source: NodeJS.ProcessEnv = process.env,
  config: Config = readConfigFile(source['DILIGENCE_CONFIG'] || undefined).config,
): Environment {
  const own = withoutEmpty(source);
  const known = Object.keys(variables.shape);
  for (const name of Object.keys(own)) {
    if (!ourPrefixes.test(name) || known.includes(name)) continue;
    const alike = known.filter((one) => one.startsWith(name.split('_')[0] ?? ''));
    throw new ConfigError(name, `no such variable: expected one of ${alike.join(', ')}`);
  }
  const parsed = variables.safeParse(own);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(String(issue?.path[0] ?? 'environment'), issue?.message ?? 'malformed');
  }
  const found = parsed.data;
  const dataDir = resolve(found.DILIGENCE_DATA_DIR);
  const guard = guardOf(found);
  const { lists, certificates, credit, lens, monitors, traces, dossiers } = config;
  return {
    variables: source,
    investigation: investigationOf(found, config),
    credit: creditOf(found, config),
    dataDir,
    storeUrl: found.DILIGENCE_STORE_URL ?? resolve(dataDir, 'store'),
    blobsUrl: found.DILIGENCE_BLOBS_URL ?? null,
    idKey: found.DILIGENCE_ID_KEY ?? null,
    payloadKeys: payloadKeysOf(found.DILIGENCE_PAYLOAD_KEYS),
    aadNamespace: config.payloads.namespace,
    codecServer: {
      token: tokenSetting('DILIGENCE_CODEC_TOKEN', found),
      oidc: config.codecServer.oidc,
    },
    language: languageIn(own),
    actor: found.DILIGENCE_ACTOR ?? own['USER'] ?? own['LOGNAME'] ?? systemUser(),
    metricsAddress: listenAddress(found.DILIGENCE_METRICS_ADDRESS),
    guard,
    resendOn503: config.services.resendOn503,
    certificates,
    creditNames: credit,
    monitorNames: { ...lists, ...monitors },
    lens,
    traceNames: { ...lists, ...traces },
    dossierNames: { ...lists, ...dossiers },
    monitorSinks: monitorSinksOf(found, config.webhook, guard),
    monitorEscalateAfter: monitors.escalateAfter,
    retention: found.DILIGENCE_RETENTION,
  };
}

/** Of the process, where no variable tells: in a container, under cron. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/**
 * Reads `.env` of the working directory; what the process has already stands.
 *
 * @throws ConfigError when it is there and cannot be read
 */
export function loadDotenv(): void {
  try {
    const text = readFileSync('.env', 'utf8').replace(/^\uFEFF/, '');
    for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new ConfigError('.env', `cannot be read (${code ?? 'error'})`);
  }
}

function investigationOf(
  found: Variables,
  { investigation, certificates }: Config,
): InvestigationSettings | null {
  const service = serviceOf('INVESTIGATION', found);
  return service === null
    ? null
    : {
        ...service,
        rps: found.INVESTIGATION_RPS ?? null,
        timeoutMs: investigation.timeoutSeconds * 1_000,
        certificatesToken: tokenSetting('CERTIFICATES_TOKEN', found),
        certificatesRps: found.CERTIFICATES_RPS ?? null,
        certificatesTimeoutMs: certificates.timeoutSeconds * 1_000,
      };
}

function creditOf(found: Variables, { credit }: Config): CreditSettings | null {
  const service = serviceOf('CREDIT', found);
  return service === null
    ? null
    : { ...service, rps: found.CREDIT_RPS ?? null, timeoutMs: credit.timeoutSeconds * 1_000 };
}

/** Address and token: both or neither. */
function serviceOf(
  service: 'INVESTIGATION' | 'CREDIT',
  found: Variables,
): { baseUrl: string; token: TokenSetting } | null {
  const names = { address: `${service}_BASE_URL`, token: `${service}_TOKEN` } as const;
  const baseUrl = found[names.address];
  const token = tokenSetting(names.token, found);
  if (baseUrl === undefined && token === null) return null;
  if (baseUrl === undefined) {
    throw new ConfigError(names.address, [
      `is not set, though ${names.token} is`,
      `falta definir, embora ${names.token} esteja definido`,
    ]);
  }
  if (token !== null) return { baseUrl, token };
  throw new ConfigError(names.token, [
    `is not set, though ${names.address} is (${names.token}_FILE serves too)`,
    `falta definir, embora ${names.address} esteja definido (${names.token}_FILE também serve)`,
  ]);
}

function guardOf(found: Variables): AddressGuard {
  const entries = found[allowedHosts].split(',').map((entry) => entry.trim());
  try {
    return new AddressGuard(entries.filter((entry) => entry !== ''));
  } catch (error) {
    throw new ConfigError(allowedHosts, (error as RangeError).message);
  }
}

function payloadKeysOf(text: string | undefined): KeyRing | null {
  if (text === undefined) return null;
  try {
    return KeyRing.parse(text);
  } catch (error) {
    throw new ConfigError('DILIGENCE_PAYLOAD_KEYS', (error as RangeError).message);
  }
}

function tokenSetting(
  name: 'INVESTIGATION_TOKEN' | 'CERTIFICATES_TOKEN' | 'CREDIT_TOKEN' | 'DILIGENCE_CODEC_TOKEN',
  found: Variables,
): TokenSetting | null {
  const value = found[name];
  const file = found[`${name}_FILE`];
  if (value !== undefined && file !== undefined) {
    throw new ConfigError(name, `and ${name}_FILE are both set: expected one`);
  }
  if (file !== undefined) return { file: resolve(file) };
  return value === undefined ? null : { value };
}

function withoutEmpty(source: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(source).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return Object.fromEntries(entries);
}

/** Of a command line, also of one that is wrong. */
export function screenLanguage(
  words: readonly string[],
  source: NodeJS.ProcessEnv = process.env,
): Language {
  const at = words.findIndex((word) => /^--lang(?:=|$)/.test(word));
  const given = words[at]?.slice('--lang='.length) || words[at + 1];
  if (at !== -1 && (given === 'en' || given === 'pt')) return given;
  return languageIn(source);
}

/** As of the locale, where nobody says another: the first of these that is set counts. */
function languageIn(own: NodeJS.ProcessEnv): Language {
  const locale = own['DILIGENCE_LANG'] ?? own['LC_ALL'] ?? own['LC_MESSAGES'] ?? own['LANG'] ?? '';
  return /^pt(?:[_.@-]|$)/i.test(locale) ? 'pt' : 'en';
}
