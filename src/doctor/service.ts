import { request } from 'undici';
import { classifyFailure, isCallFailure } from '../apis/http/classify';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { CertificatesApi } from '../apis/investigation/certificates';
import type { Environment } from '../environment';
import { isLoopback } from '../protection/loopback';
import { runningEngine } from '../temporal/engine-record';
import { fail, messageOf, ok, warn, type Finding } from './finding';

const timeoutMs = 10_000;
/** A clock difference that people should know of. */
const clockToleranceMs = 30_000;

/** Address and token, by one free read; and the clock. */
export async function examineService(environment: Environment): Promise<Finding[]> {
  const settings = environment.investigation;
  if (settings === null) return [await withoutService(environment)];
  const token = settings.certificatesToken ?? settings.token;
  const service = new Service({
    baseUrl: settings.baseUrl,
    token: Token.from(token),
    ratePerSecond: 5,
    keepsAlive: true,
  });
  const check = 'service';
  const startedAt = Date.now();
  try {
    await new CertificatesApi(service, environment.certificates, timeoutMs).proveAccess();
    const detail = `${settings.baseUrl} takes the token (${Date.now() - startedAt} ms)`;
    return [ok(check, detail), await examineClock(settings.baseUrl)];
  } catch (error) {
    const isRefused = isCallFailure(error) && classifyFailure(error) === 'credentials';
    const finding = isRefused
      ? fail(
          check,
          `${settings.baseUrl} refuses the token`,
          `fix ${settings.certificatesToken === null ? 'INVESTIGATION_TOKEN' : 'CERTIFICATES_TOKEN'}, then restart the workers (\`diligence stop\`)`,
        )
      : fail(
          check,
          `${settings.baseUrl}: ${messageOf(error)}`,
          'fix INVESTIGATION_BASE_URL, or the way there (network, proxy, certificate)',
        );
    return [finding, await examineClock(settings.baseUrl)];
  } finally {
    await service.close();
  }
}

async function withoutService({ dataDir, credit }: Environment): Promise<Finding> {
  if (credit !== null) {
    return warn(
      'service',
      'INVESTIGATION_BASE_URL and INVESTIGATION_TOKEN are not set: no certificates, only the credit service',
      'set both if certificates are wanted',
    );
  }
  const engine = await runningEngine(dataDir);
  const fix = 'set INVESTIGATION_BASE_URL and INVESTIGATION_TOKEN';
  return engine === null
    ? fail('service', 'INVESTIGATION_BASE_URL is not set', `${fix}, or try \`diligence demo\``)
    : warn(
        'service',
        `INVESTIGATION_BASE_URL is not set; the running engine works against ${engine.investigationBaseUrl}`,
        `${fix} for a service of your own`,
      );
}

/** Base addresses that send token, documents and results in clear text over a network. */
export function examineTransport({ investigation, credit }: Environment): Finding[] {
  const addresses = [
    ['INVESTIGATION_BASE_URL', investigation?.baseUrl],
    ['CREDIT_BASE_URL', credit?.baseUrl],
  ] as const;
  return addresses.flatMap(([variable, baseUrl]) => {
    if (baseUrl === undefined) return [];
    const { protocol, hostname } = new URL(baseUrl);
    if (protocol === 'https:' || isLoopback(hostname)) return [];
    const detail = `${baseUrl} is http: token, documents and results cross the network in the clear`;
    return [warn(variable, detail, 'use the https address of the service')];
  });
}

/** Deadlines and `--max-age` depend on the clock: compares with the service's. */
async function examineClock(baseUrl: string): Promise<Finding> {
  const check = 'clock';
  const fix = 'let the system keep its clock by NTP';
  try {
    const requestedAt = Date.now();
    const { origin } = new URL(baseUrl);
    const answer = await request(origin, { method: 'HEAD', headersTimeout: 5_000 });
    await answer.body.dump();
    const theirs = dateOf(answer.headers['date']);
    if (theirs === null) return warn(check, 'the service names no time to compare with', fix);
    const offMs = clockOffMs(theirs, requestedAt, Date.now());
    const detail = `${Math.round(offMs / 1_000)} s from the service's`;
    return offMs <= clockToleranceMs ? ok(check, detail) : warn(check, detail, fix);
  } catch {
    return warn(check, 'the service could not be asked for its time', fix);
  }
}

function dateOf(header: string | string[] | undefined): number | null {
  const at = Date.parse(Array.isArray(header) ? (header[0] ?? '') : (header ?? ''));
  return Number.isNaN(at) ? null : at;
}

/** Distance of an instant from the time of its request. A `Date` has whole seconds. */
export function clockOffMs(theirs: number, requestedAt: number, answeredAt: number): number {
  return Math.max(0, requestedAt - (theirs + 999), theirs - answeredAt);
}
