import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { PayloadCodec } from '@temporalio/common';
import type { DestinationStream } from 'pino';
import type { ListenAddress } from '../environment';
import { BrokenSealError, UnknownKeyError, type KeyRing } from '../protection/key-ring';
import { hostNameOf, isLoopback } from '../protection/loopback';
import { redactedLog } from '../protection/redacted-log';
import { EncryptionCodec, ForeignPayloadError } from '../temporal/payload/payload-codec';
import type { Access } from './access';
import { readPayloads, writePayloads } from './payload-json';

/** The logged fields of a request, without its payloads. */
export interface ServedRequest {
  operation: string;
  status: number;
  namespace: string | null;
  /** Number of its payloads. */
  count: number;
  /** Subject of the token. */
  subject: string | null;
  reason: string | null;
}

export interface CodecServerOptions {
  listen: ListenAddress;
  /** By namespace; requests for others are refused. */
  codecs: ReadonlyMap<string, PayloadCodec>;
  /** Origins of web pages that may call, as browsers send them. */
  origins: readonly string[];
  /** Null: everybody on this machine may call. */
  access: Access | null;
  /** Called for each request but preflights. */
  onServed: (request: ServedRequest) => void;
}

export interface CodecServer {
  /** `http://host:port`: the endpoint to give to the UI and the CLI. */
  endpoint: string;
  /** Accepts no new request; resolves when open ones have been answered, or after five seconds. */
  close(): Promise<void>;
}

/**
 * One codec for each served namespace.
 *
 * @param bound same as in `dataConverterOf`
 */
export const codecsFor = (ring: KeyRing, namespaces: readonly string[], bound: string | null) =>
  new Map<string, PayloadCodec>(
    namespaces.map((name) => [name, new EncryptionCodec({ ring, namespace: bound ?? name })]),
  );

/** The log of the codec server: redacted JSON lines, never with payloads. */
export function codecLog(destination: DestinationStream) {
  const log = redactedLog('info', destination);
  return { log, onServed: (request: ServedRequest): void => log.info(request, 'served') };
}

const bodyLimit = 16 * 1024 * 1024;
const requestTimeoutMs = 30_000;
const closeGraceMs = 5_000;

/** Headers of proxies: the real client may be anybody. */
const proxyHeaders = ['forwarded', 'x-forwarded-for'];

/** An error response. Its reason quotes nothing of the request. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/**
 * Serves `/encode` and `/decode` of the Temporal UI and CLI, under any path before them.
 *
 * @throws RangeError when clients of other machines could call without authentication
 * @throws Error of node:net when the address cannot be listened on
 */
export async function serveCodec(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port } = options.listen;
  if (options.access === null && !isLoopback(host)) {
    throw new RangeError(
      `${host} is not a loopback address, and nobody would be asked who they are`,
    );
  }
  const server = createServer((request, response) => {
    // A keep-alive connection would delay the end of the server.
    response.once('finish', () => {
      if (!server.listening) server.closeIdleConnections();
    });
    answer(options, request, response).catch(() => response.destroy());
  });
  server.requestTimeout = requestTimeoutMs;
  server.listen(port, host);
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    endpoint: `http://${name}:${bound.port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      const late = setTimeout(() => server.closeAllConnections(), closeGraceMs);
      await closed;
      clearTimeout(late);
    },
  };
}

async function answer(
  options: CodecServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const operation = operationOf(request);
  const served: ServedRequest = {
    operation: operation ?? 'unknown',
    status: 200,
    namespace: null,
    count: 0,
    subject: null,
    reason: null,
  };
  try {
    refuseStrangers(options, request, response);
    if (request.method === 'OPTIONS') {
      send(response, 204, '');
      return;
    }
    if (operation === null) throw new Refusal(404, 'expected /encode or /decode');
    if (request.method !== 'POST') throw new Refusal(405, 'expected POST');
    served.subject = await admitted(options.access, request);
    const { namespace, codec } = codecFor(options.codecs, request);
    served.namespace = namespace;
    const payloads = readPayloads(await bodyOf(request));
    if (payloads === null) throw new Refusal(400, 'expected {"payloads": [...]} in JSON');
    served.count = payloads.length;
    const done = await (operation === 'encode' ? codec.encode(payloads) : codec.decode(payloads));
    send(response, 200, writePayloads(done));
  } catch (error) {
    const refusal = refusalOf(error);
    served.status = refusal.status;
    served.reason = refusal.message;
    if (refusal.status === 401) response.setHeader('www-authenticate', 'Bearer');
    if (refusal.status === 405) response.setHeader('allow', 'POST, OPTIONS');
    // The rest of an unread body must not be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    send(response, refusal.status, JSON.stringify({ message: refusal.message }));
  }
  options.onServed(served);
}

function operationOf({ url }: IncomingMessage): 'encode' | 'decode' | null {
  const last = (url ?? '').split('?')[0]?.split('/').at(-1);
  return last === 'encode' || last === 'decode' ? last : null;
}

/** Refuses other web pages and, without authentication, other names of this machine. */
function refuseStrangers(
  { access, origins }: CodecServerOptions,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const host = hostNameOf(headers.host);
  // A page whose name resolves to this machine (DNS rebinding) still sends its own name.
  if (access === null && (host === null || !isLoopback(host))) {
    throw new Refusal(403, 'without authentication it is asked for by a loopback name only');
  }
  if (access === null && proxyHeaders.some((name) => headers[name] !== undefined)) {
    throw new Refusal(403, 'without authentication nobody is served by way of a proxy');
  }
  const { origin } = headers;
  // Only browsers send an origin; the CLI does not.
  if (origin === undefined) return;
  response.setHeader('vary', 'origin');
  if (!origins.includes(origin)) {
    throw new Refusal(403, 'pages of this origin may not ask: name it with --origin');
  }
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('access-control-allow-methods', 'POST, OPTIONS');
  response.setHeader('access-control-allow-headers', 'authorization, content-type, x-namespace');
  response.setHeader('access-control-max-age', '600');
}

async function admitted(
  access: Access | null,
  { headers }: IncomingMessage,
): Promise<string | null> {
  if (access === null) return null;
  const verdict = await access(headers.authorization);
  if (!verdict.allowed) throw new Refusal(verdict.status, verdict.reason);
  return verdict.subject;
}

function codecFor(
  codecs: ReadonlyMap<string, PayloadCodec>,
  { headers }: IncomingMessage,
): { namespace: string; codec: PayloadCodec } {
  const [only, ...others] = codecs.keys();
  // The CLI names a namespace only when its own flag or variable does.
  const namespace = headers['x-namespace'] || (others.length === 0 ? only : undefined);
  if (typeof namespace !== 'string') {
    throw new Refusal(400, 'expected the namespace in the header x-namespace');
  }
  const codec = codecs.get(namespace);
  if (codec === undefined) {
    throw new Refusal(403, 'this namespace is not served: name it with --namespace');
  }
  return { namespace, codec };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const tooLarge = new Refusal(413, `expected at most ${bodyLimit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > bodyLimit) throw tooLarge;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const isOfPayload =
    error instanceof UnknownKeyError ||
    error instanceof BrokenSealError ||
    error instanceof ForeignPayloadError;
  if (isOfPayload) return new Refusal(400, error.message);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET') return new Refusal(400, 'the request was broken off');
  return new Refusal(500, 'it failed: this is a fault of the codec server');
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    ...(body !== '' && { 'content-type': 'application/json' }),
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
