/** The listening socket: starts, hands requests on, and stops without waiting for anyone. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
) => Promise<void>;

export interface ListeningServer {
  port: number;
  /** Ends every connection, also those that are kept waiting on purpose. */
  close(): Promise<void>;
}

/** Longer than any client keeps an idle connection, so that no reset happens by accident. */
const keepAliveMs = 120_000;

export async function listen(
  { host, port }: { host: string; port: number },
  serve: Serve,
): Promise<ListeningServer> {
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const { path, query } = addressOf(request);
    serve(request, response, path, query).catch((error: unknown) => {
      // A defect of the sandbox itself: loud on the wire, unlike every scripted fault.
      response.destroy(error instanceof Error ? error : undefined);
      process.emitWarning(error instanceof Error ? error : String(error), {
        code: 'SANDBOX_DEFECT',
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function addressOf(incoming: IncomingMessage): { path: string; query: URLSearchParams } {
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}
