import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { isGrpcStatus } from '../grpc-status';
import { registerSearchAttributes } from '../search-attributes';

/** Where a dev server listens. */
export const host = '127.0.0.1';
const retention = msToTs('30 days');

/** Fails at once when nobody listens. A gRPC channel that is refused sleeps for a second before it tries again. */
export async function knock(port: number): Promise<void> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/**
 * Makes sure that the namespace is there, keeps what has ended for 30 days (a dev server's own default
 * is one day) and knows our search attributes. It is also the proof that the server answers.
 */
export async function prepareNamespace(
  address: string,
  namespace: string,
  timeoutMs: number,
): Promise<void> {
  const config = { workflowExecutionRetentionTtl: retention };
  await withConnection(address, timeoutMs, async (connection) => {
    const { workflowService } = connection;
    try {
      const found = await workflowService.describeNamespace({ namespace });
      const current = found.config?.workflowExecutionRetentionTtl?.seconds;
      if (Number(current) !== Number(retention.seconds))
        await workflowService.updateNamespace({ namespace, config });
    } catch (error) {
      if (!isGrpcStatus(error, 'notFound')) throw error;
      await workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: retention,
      });
    }
    await registerWhenServed({ connection, namespace });
  });
}

/** A namespace that was made just now is served a little later; the deadline of the connection ends it. */
async function registerWhenServed(
  engine: Parameters<typeof registerSearchAttributes>[0],
): Promise<void> {
  for (;;) {
    try {
      await registerSearchAttributes(engine);
      return;
    } catch (error) {
      if (!isGrpcStatus(error, 'notFound')) throw error;
      await sleep(100);
    }
  }
}

async function withConnection<T>(
  address: string,
  timeoutMs: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: timeoutMs });
  try {
    return await connection.withDeadline(Date.now() + timeoutMs, () => work(connection));
  } finally {
    await connection.close();
  }
}

/**
 * A port nobody listens on. On Linux the end that closes first leaves it in TIME_WAIT, and for that
 * minute the system gives it to nobody who asks for any port; we may still bind it by number.
 */
export async function freePort(): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const probe = connect(port, host);
  probe.on('error', () => undefined);
  await once(probe, 'close');
  await new Promise((closed) => server.close(closed));
  return port;
}
