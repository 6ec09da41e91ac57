import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A change as it arrived by webhook. */
export interface ReceivedChange {
  /** `webhook-id`. */
  id: string;
  at: number;
  body: { change_id?: string; monitor_id?: string; severity?: string };
}

/** Whoever is told of changes: answers as it is told to, and keeps what came. */
export class ChangesReceiver {
  readonly received: ReceivedChange[] = [];
  /** Status of the answer; 200 unless a test says otherwise. */
  answer: (change: ReceivedChange) => number | Promise<number> = () => 200;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ChangesReceiver> {
    const server = createServer();
    const receiver = new ChangesReceiver(server);
    server.on('request', (request: IncomingMessage, response) => {
      void receiver.#take(request).then((status) => response.writeHead(status).end());
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
      MONITOR_WEBHOOK_ALLOW_PRIVATE: 'on',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const change: ReceivedChange = {
      id: String(request.headers['webhook-id']),
      at: Date.now(),
      body: (JSON.parse(Buffer.concat(chunks).toString()) as { data: ReceivedChange['body'] }).data,
    };
    this.received.push(change);
    return this.answer(change);
  }
}
