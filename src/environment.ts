import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { config as readDotenv } from 'dotenv';
import { z } from 'zod';
import {
  assumptionVariables,
  type CertificateAssumptions,
  type CreditAssumptions,
  type DossierAssumptions,
  type LensAssumptions,
  type ListAssumptions,
  type MonitorAssumptions,
  type TraceAssumptions,
} from './apis/assumptions';
import { AddressGuard, allowedHosts } from './protection/address-guard';
import { lensOf } from './environment/lens';
import { listNamesOf } from './environment/lists';
import {
  monitorNamesOf,
  monitorSinksOf,
  monitorVariables,
  type MonitorSinkSettings,
} from './environment/monitors';
import { retentionTerms } from './environment/retention';
import { ConfigError, isWebAddress, numberWithin, onOff } from './environment/variables';
import type { RetentionTerm } from './domain/core/retention';
import { KeyRing } from './protection/key-ring';

export type { MonitorSinkSettings, SinkChoice } from './environment/monitors';
export { ConfigError } from './environment/variables';

/**
 * The environment, parsed once. `.env` is read; a variable of ours that is unknown or
 * malformed is an error that names it. `TEMPORAL_*` is left to `@temporalio/envconfig`.
 */
export interface Environment {
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
  /** `off`: nothing is encrypted. Null when none are configured. */
  payloadKeys: KeyRing | 'off' | null;
  /** Payloads that we did not encrypt are taken as they are: for a migration. */
  acceptPlaintext: boolean;
  /** Namespace that payloads are bound to, when it is not the one in use: for a move. */
  aadNamespace: string | null;
  codecServer: CodecServerSettings;
  /** Worker processes of the installation: each uses its share of a service's rate. */
  workers: number;
  /** Who decides, for the record. */
  actor: string;
  /** Where a worker serves `/healthz`, `/readyz` and `/metrics`; null for nowhere. */
  metricsAddress: ListenAddress | null;
  /** Where the Temporal SDK of a worker serves figures of its own; null for nowhere. */
  sdkMetricsAddress: ListenAddress | null;
  /** Of addresses that a service names, and of the webhook. */
  guard: AddressGuard;
  resendOn503: boolean;
  certificates: CertificateAssumptions;
  creditNames: CreditAssumptions;
  monitorNames: MonitorAssumptions;
  lens: LensAssumptions;
  traceNames: TraceAssumptions & ListAssumptions;
  dossierNames: DossierAssumptions & ListAssumptions;
  monitorSinks: MonitorSinkSettings;
  /** Sweeps that could not bring a change through after which a person must look. */
  monitorEscalateAfter: number;
  /** How long jobs are kept, by kind; of a kind that is not there, for ever. */
  retention: readonly RetentionTerm[];
}

export interface InvestigationSettings {
  baseUrl: string;
  token: TokenSetting;
  /** Calls a second of all but the certificates, for the whole installation. */
  rps: number;
  /** Total time of one of these calls. */
  timeoutMs: number;
  /** Null: the same token. */
  certificatesToken: TokenSetting | null;
  /** Calls a second of certificates, for the whole installation. */
  certificatesRps: number;
  /** Total time of one certificate call, after which its answer counts as lost. */
  certificatesTimeoutMs: number;
}

export interface CreditSettings {
  /** Ends in /api/v1; the paths of the calls begin with /v1 again, as documented. */
  baseUrl: string;
  token: TokenSetting;
  /** Calls a second, for the whole installation. */
  rps: number;
  /** Total time of one upload or one result, after which it counts as lost. */
  timeoutMs: number;
}

/** Who may decode: holders of the token, or of one that the issuer made for the audience. */
export interface CodecServerSettings {
  token: TokenSetting | null;
  oidc: { issuer: string; audience: string } | null;
}

export interface ListenAddress {
  host: string;
  /** 0: any free one. */
  port: number;
}

export type TokenSetting = { value: string } | { file: string };

const address = z
  .string()
  .refine(isWebAddress, 'expected an http or https address')
  .refine(isPlainAddress, 'expected no user, query or fragment in the address');
const rate = numberWithin(0.01, 100_000);

const variables = z.object({
  INVESTIGATION_BASE_URL: address.optional(),
  INVESTIGATION_TOKEN: z.string().min(1).optional(),
  INVESTIGATION_TOKEN_FILE: z.string().min(1).optional(),
  INVESTIGATION_RPS: rate.default(20),
  INVESTIGATION_TIMEOUT_SECONDS: numberWithin(1, 120).default(30),
  CERTIFICATES_TOKEN: z.string().min(1).optional(),
  CERTIFICATES_TOKEN_FILE: z.string().min(1).optional(),
  CERTIFICATES_RPS: rate.default(20),
  // Below the grace time of a worker's shutdown: no POST may be cut off.
  CERTIFICATES_TIMEOUT_SECONDS: numberWithin(1, 35).default(30),
  CREDIT_BASE_URL: address.optional(),
  CREDIT_TOKEN: z.string().min(1).optional(),
  CREDIT_TOKEN_FILE: z.string().min(1).optional(),
  CREDIT_RPS: rate.default(10),
  CREDIT_TIMEOUT_SECONDS: numberWithin(1, 600).default(120),
  DILIGENCE_DATA_DIR: z.string().min(1).default('./data'),
  DILIGENCE_STORE_URL: z.string().min(1).optional(),
  DILIGENCE_BLOBS_URL: z.string().min(1).optional(),
  DILIGENCE_ID_KEY: z
    .string()
    .regex(
      /^[0-9a-fA-F]{64}$/,
      'expected 64 hex digits (32 bytes), as `openssl rand -hex 32` prints',
    )
    .optional(),
  DILIGENCE_PAYLOAD_KEYS: z.string().optional(),
  DILIGENCE_ACCEPT_PLAINTEXT: onOff.default('off'),
  DILIGENCE_AAD_NAMESPACE: z.string().min(1).optional(),
  DILIGENCE_CODEC_TOKEN: z.string().min(16, 'expected at least 16 characters').optional(),
  DILIGENCE_CODEC_TOKEN_FILE: z.string().min(1).optional(),
  DILIGENCE_CODEC_ISSUER: address.optional(),
  DILIGENCE_CODEC_AUDIENCE: z.string().min(1).optional(),
  DILIGENCE_WORKERS: numberWithin(1, 1_000).int('expected a whole number').default(1),
  DILIGENCE_ACTOR: z.string().min(1).max(200).optional(),
  DILIGENCE_RETENTION: retentionTerms.default([]),
  DILIGENCE_METRICS_ADDRESS: z
    .string()
    .refine(isListenAddress, 'expected host:port, or off')
    .default('127.0.0.1:9464'),
  DILIGENCE_SDK_METRICS_ADDRESS: z
    .string()
    .refine(isListenAddress, 'expected host:port, or off')
    .default('off'),
  DILIGENCE_ALLOWED_HOSTS: z.string().default(''),
  ...monitorVariables,
  ...assumptionVariables,
});

type Found = z.infer<typeof variables>;

/** Names that begin like ours and are not ours are misspellings, and misspellings cost money. */
const ourPrefixes =
  /^(?:(?:DILIGENCE|INVESTIGATION|CERTIFICATES?|CREDIT)_|MONITOR_(?:SINK|WEBHOOK|ESCALATE)|LENS_(?:READ|MODE|SUBMIT|MAX)|(?:DOSSIER|TRACE)_READ)/;

/** @throws ConfigError that names the variable, what was expected, and never a secret's value */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const own = withoutEmpty(source);
  for (const name of Object.keys(own)) {
    if (ourPrefixes.test(name) && !(name in variables.shape)) {
      throw new ConfigError(name, `no such variable${suggestion(name)}`);
    }
  }
  const parsed = variables.safeParse(own);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(String(issue?.path[0] ?? 'environment'), issue?.message ?? 'malformed');
  }
  const found = parsed.data;
  const dataDir = resolve(found.DILIGENCE_DATA_DIR);
  const listNames = listNamesOf(found);
  const guard = guardOf(found);
  return {
    investigation: investigationOf(found),
    credit: creditOf(found),
    dataDir,
    storeUrl: found.DILIGENCE_STORE_URL ?? resolve(dataDir, 'store'),
    blobsUrl: found.DILIGENCE_BLOBS_URL ?? null,
    idKey: found.DILIGENCE_ID_KEY ?? null,
    payloadKeys: payloadKeysOf(found.DILIGENCE_PAYLOAD_KEYS),
    acceptPlaintext: found.DILIGENCE_ACCEPT_PLAINTEXT === 'on',
    aadNamespace: found.DILIGENCE_AAD_NAMESPACE ?? null,
    codecServer: { token: tokenSetting('DILIGENCE_CODEC_TOKEN', found), oidc: oidcOf(found) },
    workers: found.DILIGENCE_WORKERS,
    actor: found.DILIGENCE_ACTOR ?? own['USER'] ?? own['LOGNAME'] ?? systemUser(),
    metricsAddress: listenAddress(found.DILIGENCE_METRICS_ADDRESS),
    sdkMetricsAddress: listenAddress(found.DILIGENCE_SDK_METRICS_ADDRESS),
    guard,
    resendOn503: found.RESEND_ON_503 === 'on',
    certificates: { pdf: found.CERTIFICATE_PDF, pdfAuth: found.CERTIFICATE_PDF_AUTH },
    creditNames: {
      filePart: found.CREDIT_FILE_PART ?? null,
      enginePart: found.CREDIT_ENGINE_PART ?? null,
      idField: found.CREDIT_ID_FIELD ?? null,
      statusField: found.CREDIT_STATUS_FIELD ?? null,
      failedStatuses: found.CREDIT_FAILED_STATUSES ?? null,
    },
    monitorNames: monitorNamesOf(found),
    lens: lensOf(found),
    traceNames: { ...listNames, traceRead: found.TRACE_READ },
    dossierNames: { ...listNames, dossierReadPath: found.DOSSIER_READ_PATH ?? null },
    monitorSinks: monitorSinksOf(found, guard),
    monitorEscalateAfter: found.MONITOR_ESCALATE_AFTER,
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

/** Reads `.env` of the working directory; what the process has already stands. */
export function loadDotenv(): void {
  readDotenv({ quiet: true });
}

function investigationOf(found: Found): InvestigationSettings | null {
  const service = serviceOf('INVESTIGATION', found);
  return service === null
    ? null
    : {
        ...service,
        rps: found.INVESTIGATION_RPS,
        timeoutMs: found.INVESTIGATION_TIMEOUT_SECONDS * 1_000,
        certificatesToken: tokenSetting('CERTIFICATES_TOKEN', found),
        certificatesRps: found.CERTIFICATES_RPS,
        certificatesTimeoutMs: found.CERTIFICATES_TIMEOUT_SECONDS * 1_000,
      };
}

function creditOf(found: Found): CreditSettings | null {
  const service = serviceOf('CREDIT', found);
  return service === null
    ? null
    : { ...service, rps: found.CREDIT_RPS, timeoutMs: found.CREDIT_TIMEOUT_SECONDS * 1_000 };
}

/** Address and token: both or neither. */
function serviceOf(
  service: 'INVESTIGATION' | 'CREDIT',
  found: Found,
): { baseUrl: string; token: TokenSetting } | null {
  const names = { address: `${service}_BASE_URL`, token: `${service}_TOKEN` } as const;
  const baseUrl = found[names.address];
  const token = tokenSetting(names.token, found);
  if (baseUrl === undefined && token === null) return null;
  if (baseUrl === undefined) {
    throw new ConfigError(names.address, `is not set, though ${names.token} is`);
  }
  if (token !== null) return { baseUrl, token };
  throw new ConfigError(
    names.token,
    `is not set, though ${names.address} is (${names.token}_FILE serves too)`,
  );
}

function guardOf(found: Found): AddressGuard {
  const entries = found[allowedHosts].split(',').map((entry) => entry.trim());
  try {
    return new AddressGuard(entries.filter((entry) => entry !== ''));
  } catch (error) {
    throw new ConfigError(allowedHosts, (error as RangeError).message);
  }
}

function payloadKeysOf(text: string | undefined): KeyRing | 'off' | null {
  if (text === undefined) return null;
  if (text === 'off') return 'off';
  try {
    return KeyRing.parse(text);
  } catch (error) {
    throw new ConfigError('DILIGENCE_PAYLOAD_KEYS', (error as RangeError).message);
  }
}

function oidcOf(found: Found): CodecServerSettings['oidc'] {
  const { DILIGENCE_CODEC_ISSUER: issuer, DILIGENCE_CODEC_AUDIENCE: audience } = found;
  if (issuer !== undefined && audience !== undefined) return { issuer, audience };
  if (issuer === undefined && audience === undefined) return null;
  const missing = issuer === undefined ? 'DILIGENCE_CODEC_ISSUER' : 'DILIGENCE_CODEC_AUDIENCE';
  throw new ConfigError(missing, 'is not set: issuer and audience are expected together');
}

function tokenSetting(
  name: 'INVESTIGATION_TOKEN' | 'CERTIFICATES_TOKEN' | 'CREDIT_TOKEN' | 'DILIGENCE_CODEC_TOKEN',
  found: Found,
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

function isListenAddress(text: string): boolean {
  return text === 'off' || listenAddress(text) !== null;
}

/** Null for `off`, and for what is not an address. */
export function listenAddress(text: string): ListenAddress | null {
  const [, host, port] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) return null;
  return { host: host.replace(/[[\]]/g, ''), port: Number(port) };
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}

function suggestion(name: string): string {
  const [nearest] = Object.keys(variables.shape)
    .map((known) => ({ known, far: distance(known, name) }))
    .sort((a, b) => a.far - b.far);
  return nearest !== undefined && nearest.far <= 3 ? ` (did you mean ${nearest.known}?)` : '';
}

/** Levenshtein distance of two short words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
