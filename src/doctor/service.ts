import { request } from 'undici';
import { classifyFailure, isCallFailure } from '../apis/http/classify';
import { StatusError } from '../apis/http/errors';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { CertificatesApi } from '../apis/investigation/certificates';
import { MonitorsApi } from '../apis/investigation/monitors';
import type { Environment, TokenSetting } from '../environment';
import { isLoopback } from '../protection/loopback';
import { MonitorListRepository } from '../store/monitors/lists';
import { SinkRepository } from '../store/monitors/sinks';
import type { Store } from '../store/store';
import { runningEngine } from '../temporal/engine-record';
import { fail, messageOf, ok, warn, type Finding } from './finding';

export const timeoutMs = 10_000;
/** A clock difference that people should know of. */
const clockToleranceMs = 30_000;
const absent = '00000000-0000-4000-8000-000000000000';

export async function withService<T>(
  { baseUrl, token }: { baseUrl: string; token: TokenSetting },
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const service = new Service({
    baseUrl,
    token: Token.from(token),
    ratePerSecond: 5,
    keepsAlive: true,
  });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** Address and token, by one free read. @param variables to fix where it fails */
export async function accessFinding(
  check: string,
  baseUrl: string,
  variables: { token: string; address: string },
  read: () => Promise<string>,
): Promise<Finding> {
  const startedAt = Date.now();
  try {
    const told = await onceMore(read);
    return ok(check, `${baseUrl} takes the token (${told}${Date.now() - startedAt} ms)`);
  } catch (error) {
    if (isCallFailure(error) && classifyFailure(error) === 'credentials') {
      const fix = `fix ${variables.token}, then restart the workers`;
      return fail(check, `${baseUrl} refuses the token`, fix);
    }
    const fix = `fix ${variables.address}, or the way there (network, proxy, certificate)`;
    return fail(check, `${baseUrl}: ${messageOf(error)}`, fix);
  }
}

/** A kept connection may have been closed meanwhile, and a single response says little. */
export async function onceMore<T>(read: () => Promise<T>): Promise<T> {
  return read().catch((error: unknown) => {
    if (isCallFailure(error) && classifyFailure(error) === 'transient') return read();
    throw error;
  });
}

export async function examineService(environment: Environment): Promise<Finding[]> {
  const settings = environment.investigation;
  if (settings === null) return [await withoutService(environment)];
  const { baseUrl, certificatesToken } = settings;
  const variables = {
    token: certificatesToken === null ? 'INVESTIGATION_TOKEN' : 'CERTIFICATES_TOKEN',
    address: 'INVESTIGATION_BASE_URL',
  };
  const access = await withService(
    { baseUrl, token: certificatesToken ?? settings.token },
    (service) =>
      accessFinding('service', baseUrl, variables, async () => {
        await new CertificatesApi(service, environment.certificates, timeoutMs).proveAccess();
        return '';
      }),
  );
  return [access, await examineClock(baseUrl)];
}

async function withoutService({ dataDir, credit }: Environment): Promise<Finding> {
  const check = 'service';
  const fix = 'set INVESTIGATION_BASE_URL and INVESTIGATION_TOKEN';
  if (credit !== null) {
    const detail = 'INVESTIGATION_BASE_URL and INVESTIGATION_TOKEN are not set: only credit works';
    return warn(check, detail, `${fix} if certificates are wanted`);
  }
  const engine = await runningEngine(dataDir);
  const detail = 'INVESTIGATION_BASE_URL is not set';
  if (engine === null) return fail(check, detail, `${fix}, or try \`diligence demo\``);
  const { investigationBaseUrl } = engine;
  return warn(check, `${detail}; the running engine works against ${investigationBaseUrl}`, fix);
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
    const theirs = Date.parse(String(answer.headers['date']));
    if (Number.isNaN(theirs)) return warn(check, 'the service names no time to compare with', fix);
    const offMs = clockOffMs(theirs, requestedAt, Date.now());
    const detail = `${Math.round(offMs / 1_000)} s from the service's`;
    return offMs <= clockToleranceMs ? ok(check, detail) : warn(check, detail, fix);
  } catch {
    return warn(check, 'the service could not be asked for its time', fix);
  }
}

/** Distance of an instant from the time of its request. A `Date` has whole seconds. */
export function clockOffMs(theirs: number, requestedAt: number, answeredAt: number): number {
  return Math.max(0, requestedAt - (theirs + 999), theirs - answeredAt);
}

/** Whether changes can be listed: of a watched monitor, if there is one. */
export async function examineMonitors(
  { investigation, monitorNames }: Environment,
  store: Store | null,
): Promise<Finding[]> {
  if (investigation === null) return [];
  const check = 'monitors';
  const watched = store && (await watchedMonitor(store));
  return withService(investigation, async (service) => {
    try {
      const api = new MonitorsApi(service, monitorNames, timeoutMs);
      await onceMore(() => api.listChanges(watched ?? absent, {}, 'interactive'));
      return [ok(check, 'the token is taken, and changes can be listed')];
    } catch (error) {
      if (isCallFailure(error) && classifyFailure(error) === 'credentials') {
        const fix = 'fix INVESTIGATION_TOKEN, then restart the workers';
        return [fail(check, 'the bearer token is refused', fix)];
      }
      if (error instanceof StatusError && (error.status === 404 || error.status === 410)) {
        if (watched === null)
          return [
            ok(check, 'the token is taken; no monitor is watched whose changes could be read'),
          ];
        const fix = 'take it off the list with `diligence monitor schedule`';
        return [warn(check, `the service knows no monitor ${watched}, which is watched`, fix)];
      }
      const fix = 'fix INVESTIGATION_BASE_URL, or the way there; nothing, if monitors are not used';
      return [warn(check, messageOf(error), fix)];
    }
  });
}

/** The first one of any list; null: no lists. */
async function watchedMonitor(store: Store): Promise<string | null> {
  const lists = new MonitorListRepository(store);
  const list = (await lists.all()).find(({ pages }) => pages > 0);
  return list === undefined ? null : ((await lists.page(list, 0))[0] ?? null);
}

/** The sinks: one that answered 410 is disabled, which is reported here only. */
export async function examineSinks(
  { monitorSinks }: Environment,
  store: Store | null,
): Promise<Finding[]> {
  if (store === null) return [];
  const sinks = await new SinkRepository(store).now(monitorSinks);
  return sinks.flatMap(({ name, required, disabled }) => {
    if (disabled === null) return [];
    const fix = `\`diligence monitor sink --enable ${name}\`, once its receiver takes changes again`;
    const since = `${disabled.why} at ${disabled.at}, and is asked no more`;
    return required
      ? [fail(`sink ${name}`, `${since}: changes stay open`, fix)]
      : [warn(`sink ${name}`, `${since}: changes are acknowledged without it`, fix)];
  });
}
