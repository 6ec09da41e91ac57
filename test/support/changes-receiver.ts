import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A change as it arrived by webhook. */
export interface ReceivedChange {
  /** `webhook-id`. */
  id: string;
  at: number;
  body: { change_id?: string; monitor_id?: string; severity?: string };
}

/** A status, or what a receiver in trouble does. */
export type ReceiverAnswer =
  | number
  | { status: number; headers?: Record<string, string>; afterMs?: number }
  | 'reset'
  | 'silence';

/** Whoever is told of changes: answers as it is told to, and keeps what came. */
export class ChangesReceiver {
  readonly received: ReceivedChange[] = [];
  /** 200 unless a test says otherwise. */
  answer: (change: ReceivedChange) => ReceiverAnswer | Promise<ReceiverAnswer> = () => 200;
  /** Breaks the connection off before it reads a body: nothing is received then. */
  breaksOff: (id: string) => boolean = () => false;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ChangesReceiver> {
    const server = createServer();
    const receiver = new ChangesReceiver(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // A sender that was killed in the middle of its request has told nothing.
      receiver.#take(request, response).catch(() => request.socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/changes`;
  }

  /** What a worker needs to be told in order to deliver here. */
  get settings(): Record<string, string> {
    return {
      MONITOR_SINKS: 'webhook',
      MONITOR_WEBHOOK_URL: this.url,
      MONITOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      DILIGENCE_ALLOWED_HOSTS: '127.0.0.1',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = String(request.headers['webhook-id']);
    if (this.breaksOff(id)) {
      request.socket.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const change: ReceivedChange = {
      id,
      at: Date.now(),
      body: (JSON.parse(Buffer.concat(chunks).toString()) as { data: ReceivedChange['body'] }).data,
    };
    this.received.push(change);
    const answer = await this.answer(change);
    if (answer === 'silence') return;
    if (answer === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    const {
      status,
      headers,
      afterMs = 0,
    } = typeof answer === 'number' ? { status: answer } : answer;
    if (afterMs > 0) await sleep(afterMs);
    response.writeHead(status, headers).end();
  }
}
