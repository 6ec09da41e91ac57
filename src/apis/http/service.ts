import type { Readable } from 'node:stream';
import { Agent, Pool, type FormData } from 'undici';
import { AddressGuard } from './address-guard';
import { CallEnd } from './call-end';
import { classifyFailure } from './classify';
import {
  ConnectionError,
  RefusedAddressError,
  StatusError,
  TimeoutError,
  isHttpError,
  safeCause,
  type CallName,
  type Sent,
} from './errors';
import {
  readWhole,
  streamedAnswer,
  wholeAnswer,
  type Exchange,
  type HttpAnswer,
  type HttpStream,
} from './exchange';
import { Limiter, type CallPriority } from './limiter';
import type { CallEnding, CallObserver } from './observer';
import { decodeProblem, retryAfterMs } from './problem';
import { Token } from './token';

/** How the credential travels: bearer header, `token` in the query, or not at all. */
export type TokenPlace = 'bearer' | 'query' | 'none';

export interface HttpCall extends CallName {
  /** Path below the base address, or a whole URL that `follow` gave. Values already encoded. */
  path: string;
  token: TokenPlace;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  json?: unknown;
  /** The same as text, which is sent as it is. */
  jsonText?: string;
  /** A multipart body, instead of `json`. Blobs of files are read while they are sent. */
  form?: FormData;
  /** Bytes that are read while they are sent, instead of `json`. */
  stream?: Readable;
  /** `headers` are sent and no others of ours: signed addresses count them. */
  exactHeaders?: boolean;
  /** Total time of the call, connection to last byte, in milliseconds. */
  timeoutMs: number;
  /** Bytes after which the answer is refused. */
  maxBytes: number;
  /**
   * A POST without an idempotency key, to the service itself: a connection of its own, so that a stale
   * keep-alive socket cannot turn "never sent" into "unknown" (domain notes 4.4).
   */
  keyless?: boolean;
  /**
   * The signal ends the wait for a permit and stops what has not left yet; what has left is never
   * broken off, since what it came to is worth more than the time.
   */
  seenThrough?: boolean;
  /**
   * Awaited once the permit and the credential are there, before the request leaves: what is stored
   * by then was about to be sent. What it resolves to runs synchronously just before the request is
   * handed over. What either throws stops the call.
   */
  beforeSend?: BeforeSend | undefined;
}

export type BeforeSend = () => Promise<(() => void) | void>;

export interface ServiceOptions {
  /** Base address with its path prefix, as configured. */
  baseUrl: string;
  token: Token;
  ratePerSecond: number;
  /** Whether a 503 with Retry-After or a problem body was surely not processed. */
  resendOn503?: boolean;
  /** Default 10,000. A call queued behind a connect is not interrupted by its own time-out. */
  connectTimeoutMs?: number;
  /** As of the limiter: true for a command. */
  keepsAlive?: boolean;
  /** Of what the service names; default: public addresses alone. */
  guard?: AddressGuard;
  observer?: CallObserver;
  now?: () => number;
}

/**
 * One HTTP service: its address, credential, limiter and connections. One call is one undici
 * request: no retries, no redirects.
 */
export class Service {
  readonly limiter: Limiter;
  readonly baseUrl: string;
  readonly origin: string;
  readonly token: Token;
  readonly #resendOn503: boolean;
  readonly #observer: CallObserver | undefined;
  readonly #now: () => number;
  readonly #guard: AddressGuard;
  readonly #pooled: Agent;
  readonly #fresh: Pool;
  readonly #elsewhere: Agent;

  constructor({
    baseUrl,
    token,
    ratePerSecond,
    resendOn503 = true,
    connectTimeoutMs = 10_000,
    keepsAlive = false,
    guard = new AddressGuard(),
    observer,
    now = Date.now,
  }: ServiceOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.origin = new URL(baseUrl).origin;
    this.token = token;
    this.limiter = new Limiter({
      ratePerSecond,
      now,
      keepsAlive,
      onWaited: (priority, waitedMs) => observer?.permitAwaited(priority, waitedMs),
    });
    this.#observer = observer;
    this.#resendOn503 = resendOn503;
    this.#now = now;
    this.#guard = guard;
    const connect = { timeout: connectTimeoutMs };
    const limits = { connect, allowH2: false, connections: null } as const;
    const kept = { ...limits, keepAliveTimeout: 4_000, pipelining: 1 };
    this.#pooled = new Agent(kept);
    // An agent would be rid of its pool, and make another, whenever nothing is connected.
    this.#fresh = new Pool(this.origin, { ...limits, pipelining: 0 });
    this.#elsewhere = new Agent({ ...kept, connect: guard.connector(connectTimeoutMs) });
  }

  /** Waits for a permit, then sends. */
  async call(call: HttpCall, priority: CallPriority, signal?: AbortSignal): Promise<HttpAnswer> {
    await this.#permit(call, priority, signal);
    return this.dispatch(call, signal);
  }

  /**
   * Sends at once, without asking the limiter: for the caller that holds a permit already.
   *
   * @throws ConnectionError, TimeoutError with `sent`, StatusError for anything but 2xx
   */
  async dispatch(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer> {
    return this.#observed(call, signal, wholeAnswer, async (answer) => answer);
  }

  /**
   * Waits for a permit, then sends, and hands a 2xx answer on as it comes: for answers too large to
   * hold. The call lasts until `take` is done; what `take` throws passes through.
   *
   * @throws as `dispatch`
   */
  async streamed<T>(
    call: HttpCall,
    take: (answer: HttpStream) => Promise<T>,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<T> {
    await this.#permit(call, priority, signal);
    return this.#observed(call, signal, streamedAnswer, take);
  }

  async close(): Promise<void> {
    const all = [this.#pooled, this.#fresh, this.#elsewhere];
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  /**
   * Where the service sends us: to itself, or to what the guard lets through.
   *
   * @param from the address that leads there; default: the service's own
   * @throws RefusedAddressError
   */
  follow(address: string, from: URL = new URL(this.origin)): URL {
    return this.#guard.follow(address, from, this.origin);
  }

  #report(
    { method, pathTemplate }: HttpCall,
    startedAt: number,
    ending: CallEnding,
    status: number | null,
    error?: unknown,
  ): void {
    this.#observer?.callEnded({
      method,
      pathTemplate,
      ending,
      status,
      error: error === undefined ? null : safeCause(error).name,
      durationMs: this.#now() - startedAt,
      credentialsRefused: error instanceof StatusError && classifyFailure(error) === 'credentials',
    });
  }

  async #permit(call: HttpCall, priority: CallPriority, signal?: AbortSignal): Promise<void> {
    const granted = await this.limiter.acquire(priority, { signal });
    if (!granted) throw calledOff(call);
  }

  async #observed<Answer extends HttpAnswer | HttpStream, T>(
    call: HttpCall,
    signal: AbortSignal | undefined,
    ask: (exchange: Exchange) => Promise<Answer>,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const startedAt = this.#now();
    this.#observer?.callStarted();
    let status: number | null = null;
    const broken = breaking(call, signal);
    const end = new CallEnd(broken);
    try {
      const answer = await this.#send(call, signal, end, ask);
      if (answer.status < 200 || answer.status >= 300) {
        throw this.#statusError(call, await readWhole(answer));
      }
      status = answer.status;
      const taken = await take(answer);
      this.#report(call, startedAt, 'answered', status);
      return taken;
    } catch (error) {
      end.abandon();
      const refused = error instanceof StatusError ? error.status : null;
      // What `take` itself throws (a full disk, an unreadable body) is no fault of the call.
      if (status !== null && !isHttpError(error)) {
        this.#report(call, startedAt, 'answered', status, error);
      } else this.#report(call, startedAt, endingOf(error, broken), refused, error);
      throw error;
    } finally {
      end.release();
    }
  }

  async #send<Answer>(
    call: HttpCall,
    signal: AbortSignal | undefined,
    end: CallEnd,
    ask: (exchange: Exchange) => Promise<Answer>,
  ): Promise<Answer> {
    const url = await this.#url(call);
    const headers = await this.#headers(call, url);
    const beforeDispatch = await call.beforeSend?.();
    const json = call.json === undefined ? null : JSON.stringify(call.json);
    let starts = 0;
    const told = (error: unknown): Error => {
      const sent: Sent = starts === 0 ? 'no' : 'maybe';
      if (error instanceof ConnectionError || error instanceof RefusedAddressError) return error;
      if (end.isLate) return new TimeoutError(call, sent, call.timeoutMs);
      return new ConnectionError(call, sent, safeCause(error));
    };
    if (signal?.aborted === true) throw calledOff(call);
    // From here to the dispatch nothing is awaited: what this checks still holds when bytes leave.
    beforeDispatch?.();
    const own = call.keyless === true ? this.#fresh : this.#pooled;
    return ask({
      dispatcher: url.origin === this.origin ? own : this.#elsewhere,
      request: {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: call.method,
        headers,
        body: call.form ?? call.stream ?? call.jsonText ?? json,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      call,
      end,
      onStart: () => (starts += 1),
      told,
    });
  }

  async #url(call: HttpCall): Promise<URL> {
    const url = /^https?:\/\//.test(call.path)
      ? new URL(call.path)
      : new URL(`${this.baseUrl}${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
    if (call.token === 'query' && url.origin === this.origin) {
      url.searchParams.set('token', await this.token.current());
    }
    return url;
  }

  async #headers(call: HttpCall, url: URL): Promise<Record<string, string>> {
    if (call.exactHeaders === true) return { ...call.headers };
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json, application/pdf;q=0.9, */*;q=0.1',
      // Whoever packs an answer all the same is unpacked within the byte limit.
      'accept-encoding': 'identity',
      'user-agent': 'diligence',
      ...call.headers,
    };
    if ((call.jsonText ?? call.json) !== undefined) headers['content-type'] = 'application/json';
    if (call.token === 'bearer' && url.origin === this.origin) {
      headers['authorization'] = `Bearer ${await this.token.current()}`;
    }
    return headers;
  }

  #statusError(call: HttpCall, answer: HttpAnswer): StatusError {
    const header = (name: string): string | undefined => {
      const value = answer.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const { status } = answer;
    const problem = decodeProblem(answer.body);
    const waitMs = retryAfterMs(header('retry-after'), this.#now());
    const isToldBusy = status === 503 && (waitMs !== null || problem.hasProblem);
    const mayGoAgain = this.#resendOn503 && problem.retryable !== false;
    const error = new StatusError(call, {
      status,
      ...problem,
      retryAfterMs: waitMs,
      location: header('location') ?? null,
      elsewhere: /^https?:\/\//.test(call.path) && new URL(call.path).origin !== this.origin,
      wasNotProcessed: status === 429 || (isToldBusy && mayGoAgain),
    });
    // A store elsewhere that hands out PDFs says nothing about our token or our rate.
    if (error.elsewhere) return error;
    if (classifyFailure(error) === 'credentials') this.token.forget();
    if (status === 429 || isToldBusy) this.limiter.pauseFor(waitMs ?? 1_000);
    if (status === 429) this.limiter.slowDown();
    return error;
  }
}

/** The signal, where it may break off what has left. */
function breaking(call: HttpCall, signal: AbortSignal | undefined): AbortSignal | undefined {
  return call.seenThrough === true ? undefined : signal;
}

function calledOff(call: HttpCall): ConnectionError {
  return new ConnectionError(call, 'no', { name: 'AbortError', code: 'ABORTED', syscall: null });
}

function endingOf(error: unknown, signal: AbortSignal | undefined): CallEnding {
  if (error instanceof StatusError) return 'answered';
  const mayHaveArrived = isHttpError(error) && 'sent' in error && error.sent === 'maybe';
  if (!mayHaveArrived) return 'not_sent';
  return signal?.aborted === true ? 'broken_off' : 'no_answer';
}
