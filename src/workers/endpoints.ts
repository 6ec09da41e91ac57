import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
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
  close(): void;
}

/**
 * Half of the heartbeat timeout of activities: beyond it Temporal may have timed our attempts out, and they claim
 * nothing more (`Heartbeats.isLate`).
 */
const mostLagSeconds = 5;

/**
 * `/healthz`, `/readyz` and `/metrics`.
 *
 * @throws Error of node:net when the address cannot be listened on
 */
export async function serveEndpoints(
  { host, port }: ListenAddress,
  { metrics, lagSeconds, readiness }: EndpointSources,
): Promise<Endpoints> {
  const pages: Partial<Record<string, () => Promise<Page>>> = {
    async '/healthz'() {
      const eventLoopLagSeconds = lagSeconds();
      const healthy = eventLoopLagSeconds <= mostLagSeconds;
      return json(healthy, { healthy, eventLoopLagSeconds });
    },
    async '/readyz'() {
      const reported = await readiness();
      return json(reported.ready, reported);
    },
    '/metrics': async () => ({
      status: 200,
      type: metrics.contentType,
      body: await metrics.page(),
    }),
  };
  const answer = async (url: string | undefined, response: ServerResponse): Promise<void> => {
    try {
      const page = pages[url?.split('?')[0] ?? ''];
      const { status, type, body } = (await page?.()) ?? notFound;
      // No keep-alive connections: a scraper must not keep a stopped worker alive.
      const headers = { 'cache-control': 'no-store', connection: 'close' };
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    } catch {
      response.destroy();
    }
  };
  const server = createServer(({ url }, response) => void answer(url, response));
  await once(server.listen(port, host), 'listening');
  // The endpoints must not keep an idle process alive.
  server.unref();
  const bound = server.address() as AddressInfo;
  return {
    address: `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Page {
  status: number;
  type: string;
  body: string;
}

function json(isWell: boolean, body: unknown): Page {
  const type = 'application/json; charset=utf-8';
  return { status: isWell ? 200 : 503, type, body: `${JSON.stringify(body)}\n` };
}

const notFound: Page = {
  status: 404,
  type: 'text/plain; charset=utf-8',
  body: 'expected /healthz, /readyz or /metrics\n',
};
