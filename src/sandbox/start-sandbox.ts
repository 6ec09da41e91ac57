/** Puts the sandbox together: the parts that all share, and the resources that serve with them. */

import { createCertificates } from './certificates/certificates';
import { z } from 'zod';
import { SandboxClock, type ClockMode } from './core/clock';
import { createCredit, creditBasePath } from './credit/credit';
import { parseCreditNames, type CreditNamesInput } from './credit/credit-scenario';
import { createDossiers } from './dossiers/dossiers';
import { storageError, Refusal } from './http/answer';
import { controlPrefix, createControl } from './http/control';
import { Credentials, filesPrefix, signedLinks } from './http/credentials';
import { listen, type Serve } from './http/http-server';
import type { SectionPatch } from './http/service';
import { createLens } from './lens/lens';
import { createMonitors } from './monitors/monitors';
import { createProfiles } from './profiles/profiles';
import { parseScenario, patchScenario } from './scenario';
import type { ScenarioInput, ScenarioPatch } from './scenario';
import { createTraces } from './traces/traces';

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Of the origin of files. Default 0: any free port. */
  filesPort?: number | undefined;
  /** What signed addresses begin with, where clients reach that origin by another name. */
  filesOrigin?: string | undefined;
  /** The token that works. Default `sandbox-token`. */
  token?: string | undefined;
  /** The token that works at the credit service. Default `credit-sandbox-token`. */
  creditToken?: string | undefined;
  /** Names of the credit service that its specification does not show. */
  creditNames?: CreditNamesInput | undefined;
  /** The same seed, scenario and requests give the same answers. Default 1. */
  seed?: number | undefined;
  scenario?: ScenarioInput | undefined;
  /** Default real. */
  clock?: ClockMode | undefined;
  /** Requests in the log; the oldest go first. Default 200,000. */
  receivedCapacity?: number | undefined;
  /** Issuances, searches, analyses, operations held; beyond it 507. Default 200,000. */
  capacity?: number | undefined;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const clockBody = z.union(
  [z.strictObject({ advanceMs: z.number().min(0) }), z.strictObject({ set: z.iso.datetime() })],
  { error: 'expected {"advanceMs": milliseconds} or {"set": "an ISO 8601 instant"}' },
);
const defaultCapacity = 200_000;
export const defaultCreditToken = 'credit-sandbox-token';

/**
 * @throws ScenarioError when the scenario, or the names of the credit service, cannot be used.
 * @throws RangeError when a token is empty.
 * @throws Error of node:net (EADDRINUSE, EACCES) when the address cannot be listened on.
 */
export async function startSandbox(options: SandboxOptions = {}) {
  const { host = '127.0.0.1', seed = 1, token = 'sandbox-token' } = options;
  const { creditToken = defaultCreditToken } = options;
  if (token === '' || creditToken === '') {
    throw new RangeError('sandbox: the token is empty; expected any other text');
  }
  const names = parseCreditNames(options.creditNames ?? {});
  const firstScenario = parseScenario(options.scenario ?? {});
  let scenario = firstScenario;
  let filesOrigin = '';
  const clock = new SandboxClock(options.clock ?? 'real');
  const parts = {
    seed,
    clock,
    scenario: () => scenario,
    links: signedLinks(seed, clock, () => filesOrigin),
    receivedCapacity: options.receivedCapacity ?? defaultCapacity,
    capacity: options.capacity ?? defaultCapacity,
  };

  /** All that is held, as at the start. */
  function begin() {
    const credentials = new Credentials(token);
    const common = { ...parts, credentials };
    const certificates = createCertificates(common);
    const sections = {
      credit: createCredit({ ...parts, names, token: creditToken }),
      monitors: createMonitors(common),
      dossiers: createDossiers(common),
      traces: createTraces(common),
      lens: createLens(common),
      profiles: createProfiles(common),
    };
    const resources = [certificates, ...Object.values(sections)];
    const setToken = (named: string, valid: boolean) => credentials.setValid(named, valid);
    /** Merges into the scenario in force. Documents named in the patch begin their steps again. */
    const configure = (patch: ScenarioPatch) => {
      scenario = patchScenario(scenario, patch);
      certificates.patched(patch);
      for (const [name, section] of Object.entries(sections)) {
        const named = (patch as Record<string, SectionPatch | undefined>)[name];
        if (named !== undefined) section.patched(named);
      }
    };
    const time = () => ({ mode: clock.mode, now: clock.isoNow() });
    const anew = { documents: { '*': null }, seeded: {} };
    const serveControl = createControl(
      {
        'GET health': () => ({ status: 'ok', seed, clock: clock.mode, now: clock.isoNow() }),
        'GET scenario': () => scenario,
        'PUT scenario': (body) => {
          scenario = parseScenario(body.as(z.unknown()));
          for (const resource of resources) resource.patched(anew);
          return scenario;
        },
        'PATCH scenario': (body) => {
          configure(body.as(z.unknown()) as ScenarioPatch);
          return scenario;
        },
        'GET clock': time,
        'POST clock': (body) => {
          const move = body.as(clockBody);
          if ('set' in move) clock.set(move.set);
          else clock.advance(move.advanceMs);
          return time();
        },
        'POST reset': reset,
      },
      { '': { ...certificates, setToken }, ...sections },
    );
    return { certificates, sections, resources, setToken, configure, serveControl };
  }
  let held = begin();

  /** As it was at the start: scenario, clock, tokens; nothing held, nothing received. */
  function reset(): void {
    scenario = firstScenario;
    clock.reset();
    held = begin();
    Object.assign(sandbox, shown());
  }
  const shown = () => {
    const { certificates, configure, sections, setToken } = held;
    const { counts, received, state } = certificates;
    return { ...sections, configure, setToken, counts, received, state };
  };

  const resourceAt = (path: string) =>
    held.resources.find(({ paths }) =>
      paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
    );
  const serve: Serve = (request, response, path, query) => {
    if (path.startsWith(controlPrefix)) return held.serveControl(request, response, path);
    const resource = path.startsWith(filesPrefix) ? undefined : resourceAt(path);
    // What nobody knows is refused, and logged, where certificates are.
    return (resource ?? held.certificates).serve(request, response, path, query);
  };
  const serveFiles: Serve = async (request, response, path, query) => {
    const resource = path.startsWith(filesPrefix) ? resourceAt(path) : undefined;
    if (resource !== undefined) return resource.serve(request, response, path, query);
    const refusal = new Refusal(404, 'NoSuchKey', 'There is no such file.');
    const { status, headers, body } = storageError(refusal, { requestId: '', instance: path });
    response.writeHead(status, headers).end(body);
  };

  const originOf = (port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const server = await listen(host, options.port ?? 0, serve);
  const files = await listen(host, options.filesPort ?? 0, serveFiles).catch(
    async (error: unknown) => {
      await server.close();
      throw error;
    },
  );
  filesOrigin = options.filesOrigin ?? originOf(files.port);
  const origin = originOf(server.port);
  const sandbox = {
    ...shown(),
    /** What INVESTIGATION_BASE_URL is set to. */
    baseUrl: `${origin}/api/v1`,
    /** What CREDIT_BASE_URL is set to. */
    creditBaseUrl: `${origin}${creditBasePath}`,
    origin,
    /** Where lens files are uploaded and artifacts downloaded, by signed addresses. */
    filesOrigin,
    port: server.port,
    clock,
    /** The scenario in force, everything filled in. */
    scenario: parts.scenario,
    reset,
    close: async (): Promise<void> => {
      const closed = Promise.all([server.close(), files.close()]);
      clock.reset();
      await closed;
    },
  };
  return sandbox;
}
