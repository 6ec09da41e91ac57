import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { prepareNamespace } from '../../src/temporal/dev-server';

/** A namespace of its own on a server of the run, for one store. */
export async function makeNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();
  // It is served a little later.
  for (const giveUpAt = Date.now() + 30_000; ; await sleep(100)) {
    try {
      await prepareNamespace(address, namespace);
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
  }
}
