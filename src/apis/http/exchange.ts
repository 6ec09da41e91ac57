import { Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { CallEnd } from './call-end';
import { ConnectionError, type CallName } from './errors';

/** Request and answer on the wire. What goes wrong in it is `told` in our words. */
export interface Exchange {
  dispatcher: Dispatcher;
  request: Dispatcher.DispatchOptions;
  call: CallName & { timeoutMs: number; maxBytes: number };
  end: CallEnd;
  /** `onRequestStart`, the only reliable sign that bytes may have been sent: error codes alone misjudge ECONNRESET. */
  onStart: () => void;
  toError: (error: unknown, head?: HttpHead | null) => Error;
}

export interface HttpHead {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

export interface HttpAnswer extends HttpHead {
  body: Buffer;
}

/** A response whose body is being received. */
export interface HttpStream extends HttpHead {
  /** @throws ConnectionError, TimeoutError while it is read */
  body: AsyncIterable<Buffer>;
}

/** Cause of a ConnectionError: the response is larger than the call allows. */
export const answerTooLarge = 'ANSWER_TOO_LARGE';

/** Dispatches at once. Most responses are too small for a stream, which costs more than they do. */
export async function wholeAnswer(exchange: Exchange): Promise<HttpAnswer> {
  const { call, toError } = exchange;
  let head: HttpHead | null = null;
  const toErrorOf = (error: unknown): Error => toError(error, head);
  const answer = await gathered(exchange, (started) => (head = started)).catch((error: unknown) => {
    throw toErrorOf(error);
  });
  if (!saysGzip(answer)) return answer;
  const plain = unpacked(Readable.from([answer.body]));
  const whole = readWhole({ ...answer, body: bounded(plain, call, toErrorOf) });
  // The status of a refusal counts, however its body was packed.
  return isGood(answer) ? whole : whole.catch(() => answer);
}

/** Dispatches at once. */
export async function streamedAnswer(exchange: Exchange): Promise<HttpStream> {
  const { dispatcher, request, call, end, onStart, toError } = exchange;
  const breaking = new AbortController();
  end.begin(call.timeoutMs, () => breaking.abort());
  try {
    const { signal } = breaking;
    const answer = await dispatcher.compose(countStarts(onStart)).request({ ...request, signal });
    const { statusCode: status, headers } = answer;
    const plain = saysGzip({ status, headers }) ? unpacked(answer.body) : answer.body;
    return { status, headers, body: bounded(plain, call, toError) };
  } catch (error) {
    throw toError(error);
  }
}

export async function readWhole(answer: HttpAnswer | HttpStream): Promise<HttpAnswer> {
  const { status, headers, body } = answer;
  if (Buffer.isBuffer(body)) return { status, headers, body };
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, headers, body: Buffer.concat(chunks) };
}

/** Dispatches at once. For responses without a needed body: the status counts, however the body ends. */
export async function answerHead(exchange: Omit<Exchange, 'toError'>): Promise<HttpHead> {
  let head: HttpHead | null = null;
  return gathered(exchange, (started) => (head = started)).catch((error: unknown) => {
    if (head === null) throw error;
    return head;
  });
}

function gathered(
  { dispatcher, request, call, end, onStart }: Omit<Exchange, 'toError'>,
  onHead: (head: HttpHead) => void = () => undefined,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let started: HttpHead = { status: 0, headers: {} };
    let sending: Dispatcher.DispatchController | null = null;
    let isStopped = false;
    const stop = (): void => {
      isStopped = true;
      const why = new DOMException('the call was ended', 'AbortError');
      sending?.abort(why);
      // A connection attempt is aborted before a byte is sent.
      reject(why);
    };
    end.begin(call.timeoutMs, stop);
    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        onStart();
        sending = controller;
        if (isStopped) stop();
      },
      onResponseStart: (_, status, headers) => {
        started = { status, headers };
        onHead(started);
      },
      onResponseData: (controller, chunk) => {
        size += chunk.length;
        if (size <= call.maxBytes) chunks.push(chunk);
        else controller.abort(tooLargeError(call));
      },
      onResponseEnd: () => resolve({ ...started, body: Buffer.concat(chunks, size) }),
      onResponseError: (_, error) => {
        // The request body is no longer read.
        if (request.body instanceof Readable) request.body.on('error', () => undefined).destroy();
        reject(error);
      },
    });
  });
}

/** Streams the body up to the call's limit; translates errors. */
async function* bounded(
  body: AsyncIterable<Buffer>,
  call: Exchange['call'],
  toError: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > call.maxBytes) throw tooLargeError(call);
      yield chunk;
    }
  } catch (error) {
    throw toError(error);
  }
}

function tooLargeError(call: CallName): ConnectionError {
  const cause = { name: 'AnswerTooLarge', code: answerTooLarge, syscall: null };
  return new ConnectionError(call, 'maybe', cause);
}

function isGood({ status }: HttpHead): boolean {
  return status >= 200 && status < 300;
}

function saysGzip({ headers }: HttpHead): boolean {
  return /^\s*(x-)?gzip\s*$/i.test(String(headers['content-encoding'] ?? ''));
}

/** Some servers announce gzip and send plain text: check the first two bytes. */
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

/** A plain object that forwards, since the handlers hold private fields. */
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
