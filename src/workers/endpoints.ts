import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../environment';
import type { Readiness } from './readiness';

/** Sources of the endpoints. */
export interface EndpointSources {
  metrics: { page: () => Promise<string>; contentType: string };
  /** Longest recent block of the event loop. */
  lagSeconds: () => number;
  readiness: () => Promise<Readiness>;
}

export interface Endpoints {
  /** `host:port`. */
  address: string;
  close(): Promise<void>;
}

/**
 * Half of the heartbeat timeout of activities: beyond it Temporal may have timed our attempts out, and they claim
 * nothing more (`Heartbeats.isLate`).
 */
const mostLagSeconds = 5;

/**
 * `/healthz`, `/readyz` and `/metrics`. When the port is taken, the next free one of the host is used and logged.
 *
 * @throws Error of node:net when the host cannot be listened on at all
 */
export async function serveEndpoints(
  { host, port }: ListenAddress,
  sources: EndpointSources,
): Promise<Endpoints> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendJson(response, 405, { error: 'expected GET' });
    }
    answer(path, sources, response).catch(() => response.destroy());
  });
  await listen(server, host, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || port === 0) throw error;
    return listen(server, host, 0);
  });
  // The endpoints must not keep an idle process alive.
  server.unref();
  const bound = server.address() as AddressInfo;
  return {
    address: `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  path: string,
  { metrics, lagSeconds, readiness }: EndpointSources,
  response: ServerResponse,
): Promise<void> {
  switch (path) {
    case '/healthz': {
      const eventLoopLagSeconds = lagSeconds();
      const healthy = eventLoopLagSeconds <= mostLagSeconds;
      return sendJson(response, healthy ? 200 : 503, { healthy, eventLoopLagSeconds });
    }
    case '/readyz': {
      const reported = await readiness();
      return sendJson(response, reported.ready ? 200 : 503, reported);
    }
    case '/metrics':
      return send(response, 200, metrics.contentType, await metrics.page());
    default:
      return sendJson(response, 404, { error: 'expected /healthz, /readyz or /metrics' });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  // No keep-alive connections: a scraper must not keep a stopped worker alive.
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
