import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import {
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import { AddressGuard } from '../../src/protection/address-guard';

/** Servers in the house, which a service may name in a test. */
export const houseGuard = new AddressGuard(['127.0.0.1']);

export interface ReceivedRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  /** Connections counted from 1: equal numbers mean a reused socket. */
  connection: number;
}

export type Reply = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** An HTTP server on a port of its own that answers as the test says and keeps what it received. */
export class LoopbackServer {
  readonly received: ReceivedRequest[] = [];
  reply: Reply;
  readonly #server: Server;
  readonly #faults: unknown[] = [];

  private constructor(server: Server, reply: Reply) {
    this.#server = server;
    this.reply = reply;
  }

  static async start(reply: Reply = notExpected): Promise<LoopbackServer> {
    const server = createServer();
    const loopback = new LoopbackServer(server, reply);
    const connections = new Map<Socket, number>();
    server.on('request', (request, response) => {
      const { socket } = request;
      const connection = connections.get(socket) ?? connections.size + 1;
      connections.set(socket, connection);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://loopback');
        const received: ReceivedRequest = {
          method: request.method ?? '',
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          connection,
        };
        loopback.received.push(received);
        void loopback.#answer(received, response);
      });
    });
    await listen(server);
    return loopback;
  }

  get origin(): string {
    return originOf(this.#server);
  }

  posts(): ReceivedRequest[] {
    return this.received.filter(({ method }) => method === 'POST');
  }

  /** @throws the first thing that a reply threw: an assertion inside a handler must be heard */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  async #answer(received: ReceivedRequest, response: ServerResponse): Promise<void> {
    try {
      await this.reply(received, response);
    } catch (error) {
      this.#faults.push(error);
      response.socket?.destroy();
    }
  }
}

/** A server of bare sockets, for what HTTP servers do not do on purpose: resets, cuts, silence. */
export class SocketLoopback {
  /** Text received, one entry a connection. */
  readonly received: string[] = [];
  readonly #server: SocketServer;
  readonly #sockets = new Set<Socket>();

  private constructor(server: SocketServer) {
    this.#server = server;
  }

  /** @param onText runs at each arrival with everything the connection has brought so far */
  static async start(onText: (socket: Socket, text: string) => void): Promise<SocketLoopback> {
    const server = createSocketServer();
    const loopback = new SocketLoopback(server);
    server.on('connection', (socket) => {
      const place = loopback.received.push('') - 1;
      loopback.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => {
        loopback.received[place] += chunk.toString('latin1');
        onText(socket, loopback.received[place] ?? '');
      });
    });
    await listen(server);
    return loopback;
  }

  get origin(): string {
    return originOf(this.#server);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }
}

/** A port that was free a moment ago and refuses connections. */
export async function refusingOrigin(): Promise<string> {
  const server = createSocketServer();
  await listen(server);
  const origin = originOf(server);
  await new Promise((done) => server.close(done));
  return origin;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function notExpected(request: ReceivedRequest): void {
  throw new Error(`unexpected ${request.method} ${request.path}`);
}

function listen(server: Server | SocketServer): Promise<void> {
  return new Promise((ready) => {
    server.listen(0, '127.0.0.1', () => ready());
  });
}

function originOf(server: Server | SocketServer): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
