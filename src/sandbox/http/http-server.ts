/** The listening socket: starts, hands requests on, and stops without waiting for anyone. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
) => Promise<void>;

/** Longer than any client keeps an idle connection, so that no reset happens by accident. */
const keepAliveTimeout = 120_000;

export async function listen(host: string, port: number, serve: Serve) {
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    // A path as it came: a URL would clean it.
    const [path = '/', ...query] = (request.url ?? '/').split('?');
    serve(request, response, path, new URLSearchParams(query.join('?'))).catch((error: unknown) => {
      // A defect of the sandbox itself: loud on the wire, unlike every scripted fault.
      response.destroy(error instanceof Error ? error : undefined);
      process.emitWarning(error instanceof Error ? error : String(error), {
        code: 'SANDBOX_DEFECT',
      });
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends every connection, also those that are kept waiting on purpose. */
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
