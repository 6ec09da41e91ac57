import { Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, type FormData } from 'undici';
import { CallEnd } from './call-end';
import {
  ConnectionError,
  StatusError,
  TimeoutError,
  isHttpError,
  safeCause,
  type CallName,
  type Sent,
} from './errors';
import { Limiter, type CallPriority } from './limiter';
import type { CallEnding, CallObserver } from './observer';
import { decodeProblem, retryAfterMs } from './problem';
import { Token } from './token';

/** How the credential travels: bearer header, `token` in the query, or not at all. */
export type TokenPlace = 'bearer' | 'query' | 'none';

export interface HttpCall extends CallName {
  /** Path below the base address, or a whole URL (a PDF address). Values already encoded. */
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
   * A POST without an idempotency key: a connection of its own, so that a stale keep-alive socket
   * cannot turn "never sent" into "unknown" (domain notes 4.4).
   */
  keyless?: boolean;
  /**
   * The signal ends the wait for a permit and stops what has not left yet; what has left is never
   * broken off, since what it came to is worth more than the time.
   */
  seenThrough?: boolean;
  /**
   * Awaited once the permit and the credential are there, before the request leaves: what is on file
   * by then was about to be sent. What it throws stops the call.
   */
  beforeSend?: (() => Promise<void>) | undefined;
  /** Runs synchronously just before the request is handed over; what it throws stops the call. */
  beforeDispatch?: () => void;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** An answer whose body is still coming. */
export interface HttpStream extends Omit<HttpAnswer, 'body'> {
  /** @throws ConnectionError, TimeoutError in the middle of it */
  body: AsyncIterable<Buffer>;
}

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
  observer?: CallObserver;
  now?: () => number;
}

/** Code of the cause of a ConnectionError: more came than the call takes. */
export const answerTooLarge = 'ANSWER_TOO_LARGE';

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
  readonly #pooled: Agent;
  readonly #fresh: Agent;

  constructor({
    baseUrl,
    token,
    ratePerSecond,
    resendOn503 = true,
    connectTimeoutMs = 10_000,
    keepsAlive = false,
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
    const connect = { timeout: connectTimeoutMs };
    const limits = { connect, allowH2: false, connections: null } as const;
    this.#pooled = new Agent({ ...limits, keepAliveTimeout: 4_000, pipelining: 1 });
    this.#fresh = new Agent({ ...limits, pipelining: 0 });
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
    return this.#observed(call, signal, readWhole);
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
    return this.#observed(call, signal, take);
  }

  /** True when the answer proves that the service did not process the request. */
  wasNotProcessed(error: StatusError): boolean {
    if (error.status === 429) return true;
    const told = error.retryAfterMs !== null || error.hasProblem;
    return error.status === 503 && this.#resendOn503 && told;
  }

  async close(): Promise<void> {
    await Promise.all([this.#pooled.destroy(), this.#fresh.destroy()]);
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
      credentialsRefused: error instanceof StatusError && error.meansCredentials,
    });
  }

  async #permit(call: HttpCall, priority: CallPriority, signal?: AbortSignal): Promise<void> {
    const granted = await this.limiter.acquire(priority, { signal });
    if (!granted) throw calledOff(call);
  }

  async #observed<T>(
    call: HttpCall,
    signal: AbortSignal | undefined,
    take: (answer: HttpStream) => Promise<T>,
  ): Promise<T> {
    const startedAt = this.#now();
    this.#observer?.callStarted();
    let status: number | null = null;
    const broken = breaking(call, signal);
    const end = new CallEnd(broken);
    try {
      const answer = await this.#send(call, signal, end);
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

  async #send(call: HttpCall, signal: AbortSignal | undefined, end: CallEnd): Promise<HttpStream> {
    const url = await this.#url(call);
    const headers = await this.#headers(call, url);
    await call.beforeSend?.();
    const json = call.json === undefined ? null : JSON.stringify(call.json);
    const body = call.form ?? call.stream ?? call.jsonText ?? json;
    let starts = 0;
    const agent = call.keyless === true ? this.#fresh : this.#pooled;
    const marked = agent.compose(countStarts(() => (starts += 1)));
    const told = (error: unknown): Error => {
      const sent: Sent = starts === 0 ? 'no' : 'maybe';
      if (error instanceof ConnectionError) return error;
      if (end.isLate) return new TimeoutError(call, sent, call.timeoutMs);
      return new ConnectionError(call, sent, safeCause(error));
    };
    if (signal?.aborted === true) throw calledOff(call);
    // From here to the dispatch nothing is awaited: what this checks still holds when bytes leave.
    call.beforeDispatch?.();
    try {
      const answer = await marked.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: call.method,
        headers,
        body,
        signal: end.begin(call.timeoutMs),
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const { statusCode: status, headers: answered } = answer;
      const isPacked = status >= 200 && status < 300 && isGzip(answered['content-encoding']);
      const plain = isPacked ? unpacked(answer.body) : answer.body;
      return { status, headers: answered, body: bounded(plain, call, told) };
    } catch (error) {
      throw told(error);
    }
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
    const error = new StatusError(call, {
      status: answer.status,
      ...decodeProblem(answer.body),
      retryAfterMs: retryAfterMs(header('retry-after'), this.#now()),
      location: header('location') ?? null,
      elsewhere: /^https?:\/\//.test(call.path) && new URL(call.path).origin !== this.origin,
    });
    // A store elsewhere that hands out PDFs says nothing about our token or our rate.
    if (error.elsewhere) return error;
    if (error.meansCredentials) this.token.forget();
    if (this.wasNotProcessed(error)) {
      this.limiter.pauseFor(error.retryAfterMs ?? 1_000);
      if (error.status === 429) this.limiter.slowDown();
    }
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

/** The body as it comes, within the bytes of the call; its errors in our words. */
async function* bounded(
  body: AsyncIterable<Buffer>,
  call: HttpCall,
  told: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > call.maxBytes) {
        throw new ConnectionError(call, 'maybe', {
          name: 'AnswerTooLarge',
          code: answerTooLarge,
          syscall: null,
        });
      }
      yield chunk;
    }
  } catch (error) {
    throw told(error);
  }
}

function isGzip(encoding: string | string[] | undefined): boolean {
  return /^\s*(x-)?gzip\s*$/i.test(String(encoding ?? ''));
}

/** Some say gzip and send plain text: the first two bytes tell. */
async function* unpacked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  async function* whole(): AsyncGenerator<Buffer> {
    yield first.value as Buffer;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  const isPacked = first.value[0] === 0x1f && (first.value[1] ?? 0x8b) === 0x8b;
  if (!isPacked) yield* whole();
  // An error of either end ends both.
  else
    yield* pipeline(
      Readable.from(whole()),
      createGunzip(),
      () => undefined,
    ) as AsyncIterable<Buffer>;
}

async function readWhole(answer: HttpStream): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return { ...answer, body: Buffer.concat(chunks) };
}

/**
 * Counts `onRequestStart`, the one reliable sign that bytes may have left: error codes alone
 * misjudge ECONNRESET (domain notes 4.3). A plain object that forwards, since the handlers hold
 * private fields.
 */
function countStarts(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        onStart();
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}
