import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of a COMMIT that is on its way when its connection is cut. */
export type CutCommit = 'never arrives' | 'arrives late' | 'is done, and its answer is lost';

/** A message of the simple query protocol, as `pg` sends it. */
const commit = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1');
const lateMs = 150;

interface Connection {
  client: Socket;
  server: Socket;
  /** What its transaction has asked for so far. */
  asked: string;
}

interface Strike {
  how: CutCommit;
  /** A word of what the transaction asks for. */
  of: string;
  struck: () => void;
}

/** The way to a PostgreSQL server, on which connections are cut in the middle of commits. */
export class DatabaseLink {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #next: Strike | null = null;

  private constructor(port: number) {
    this.#server = createServer((client) => this.#join(client, port));
  }

  /** @param port of the server */
  static async to(port: number): Promise<DatabaseLink> {
    const link = new DatabaseLink(port);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /**
   * Resolves when a commit was struck.
   *
   * @param of strikes transactions in whose statements it stands
   */
  cutNextCommit(how: CutCommit, of = ''): Promise<void> {
    return new Promise((struck) => (this.#next = { how, of, struck }));
  }

  /** Nothing passes any more on connections that are there, and nobody is told. */
  silenceAll(): void {
    for (const { client, server } of this.#connections) {
      client.pause();
      server.pause();
    }
  }

  cutAll(): void {
    for (const { client, server } of this.#connections) {
      client.destroy();
      server.destroy();
    }
  }

  async close(): Promise<void> {
    this.cutAll();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #join(client: Socket, port: number): void {
    const server = connect(port, '127.0.0.1');
    const connection: Connection = { client, server, asked: '' };
    this.#connections.add(connection);
    client.on('error', () => undefined);
    server.on('error', () => undefined);
    client.on('close', () => server.destroySoon());
    server.on('close', () => {
      client.destroy();
      this.#connections.delete(connection);
    });
    server.on('data', (answer) => client.write(answer));
    client.on('data', (asked) => {
      if (!asked.includes(commit)) {
        connection.asked += asked.toString('latin1');
        server.write(asked);
      } else if (this.#next !== null && connection.asked.includes(this.#next.of)) {
        this.#strike(connection, asked);
      } else {
        connection.asked = '';
        server.write(asked);
      }
    });
  }

  #strike({ client, server }: Connection, asked: Buffer): void {
    const { how, struck } = this.#next ?? {};
    this.#next = null;
    server.removeAllListeners('data');
    client.removeAllListeners('close');
    if (how === 'is done, and its answer is lost') {
      server.once('data', () => {
        client.destroy();
        server.destroy();
      });
      server.write(asked);
    } else {
      client.destroy();
      if (how === 'never arrives') server.destroy();
      else setTimeout(() => server.end(asked), lateMs);
    }
    struck?.();
  }
}
