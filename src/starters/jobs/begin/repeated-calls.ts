import { setTimeout as sleep } from 'node:timers/promises';
import { classifyFailure, isCallFailure } from '../../../apis/http/classify';
import { ContractError, StatusError } from '../../../apis/http/errors';
import type { Words } from '../../../domain/job';
import { CommandError } from '../errors';
import { Service } from '../../../apis/http/service';
import { Token } from '../../../apis/http/token';
import { ConfigError, readEnvironment, type Environment } from '../../../environment';

/** Bounds the calls for one request, and the wait between two, in milliseconds. */
const mostSends = 4;
const pauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * What a failed call means for a retry. `refused`: it would be refused again; `not_done`:
 * it certainly had no effect; `unknown`: it may have taken effect, and the response was lost.
 */
export type CallMeaning = 'refused' | 'not_done' | 'unknown';

export interface RepeatOptions {
  /** Prints progress, one line at a time. */
  print: (...words: Words) => void;
  pause?: (ms: number) => Promise<unknown>;
}

/**
 * Calls of a command, retried where a retry is harmless: those that are safe to repeat, or whose effect `recover` looks
 * up after a lost response. Without it, an accepted call with an unreadable response throws.
 */
export function repeating({ print, pause = sleep }: RepeatOptions) {
  return async <T>(
    call: () => Promise<T>,
    recover?: (lost: unknown) => Promise<T | undefined>,
  ): Promise<T> => {
    for (let send = 1; ; send += 1) {
      try {
        return await call();
      } catch (error) {
        const meaning = meaningOf(error);
        const isOver =
          recover === undefined && (error instanceof ContractError || send >= mostSends);
        if (meaning === 'refused' || isOver) throw error;
        await pause(waitMs(error));
        const found = meaning === 'unknown' ? await recover?.(error) : undefined;
        if (found !== undefined) return found;
        if (send >= mostSends) throw error;
        const why = messageOf(error);
        print(`${why}; sent again`, `${why}; enviado de novo`);
      }
    }
  };
}

/** The service sets the wait after a throttled call; after a lost response, the call may still arrive. */
function waitMs(error: unknown): number {
  const requested = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
  if (requested <= longestPauseMs) return Math.max(pauseMs, requested);
  const seconds = Math.ceil(requested / 1_000);
  throw new CommandError([
    `${messageOf(error)}: the service asks to wait ${seconds} s; try again then`,
    `${messageOf(error)}: o serviço pede para aguardar ${seconds} s; tente de novo depois`,
  ]);
}

export function meaningOf(error: unknown): CallMeaning {
  const failure = isCallFailure(error) ? classifyFailure(error, 'keyless') : 'permanent';
  if (failure === 'unknown') return 'unknown';
  return failure === 'transient' ? 'not_done' : 'refused';
}

export function isMissing(error: unknown): boolean {
  return error instanceof StatusError && (error.status === 404 || error.status === 410);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A command makes few calls: the workers get the rate. */
const commandRps = 5;

/** Calls a service from a command without a workflow, for short reads, and closes the client. */
export async function withService<T>(
  name: 'credit' | 'investigation',
  work: (service: Service, environment: Environment, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment();
  const settings = environment[name];
  if (settings === null) {
    const prefix = name.toUpperCase();
    const service = name === 'credit' ? 'de crédito' : 'de investigação';
    throw new ConfigError(`${prefix}_BASE_URL`, [
      `is not set, nor ${prefix}_TOKEN: no ${name} service (\`diligence dev\` prints those of its sandbox)`,
      `falta definir, e também ${prefix}_TOKEN: não há serviço ${service} (\`diligence dev\` mostra os do seu sandbox)`,
    ]);
  }
  const { baseUrl, rps, timeoutMs, token } = settings;
  const service = new Service({
    baseUrl,
    token: Token.from(token),
    ratePerSecond: commandRps,
    mostPerSecond: rps,
    resendOn503: environment.resendOn503,
    keepsAlive: true,
    connectTimeoutMs: Math.min(10_000, timeoutMs),
  });
  try {
    return await work(service, environment, timeoutMs);
  } finally {
    await service.close();
  }
}
