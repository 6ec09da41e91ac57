import { queueName, queueSuffix } from '../../src/domain/core/queues';
import type { RetentionTerm } from '../../src/domain/core/retention';
import type { ApplyRetentionInput } from '../../src/workflows/inputs';
import { storeIn, tamperWith } from '../../test/support/temporary-store';
import type { Recording, Scene } from './scene';

const terms: RetentionTerm[] = [
  { kind: 'trace', count: 90, unit: 'd' },
  { kind: 'certificate-batch', count: 5, unit: 'y' },
];
let next = 0;

/** As the schedule starts it. */
async function start({ place, client }: Scene): Promise<string> {
  next += 1;
  const workflowId = `retention-${next}`;
  const taskQueue = queueName('workflows', queueSuffix(storeIn(place.folder)));
  const input: ApplyRetentionInput = { terms };
  await client.workflow.start('applyRetention', { workflowId, taskQueue, args: [input] });
  return workflowId;
}

export const retentionRecordings: Recording[] = [
  {
    name: 'straight',
    of: ['applyRetention'],
    async play(scene) {
      await scene.run(['trace', 'search', '--target', 'old@example.com', '--out', 'out-old']);
      await tamperWith(
        scene.place.folder,
        `UPDATE job SET ended_at = '2020-01-01T00:00:00.000Z' WHERE ended_at IS NOT NULL`,
      );
      await scene.end(await start(scene));
    },
  },
  {
    name: 'cancelled',
    of: ['applyRetention'],
    async play(scene) {
      const id = await scene.withoutWorker(async () => {
        const started = await start(scene);
        await scene.client.workflow.getHandle(started).cancel();
        return started;
      });
      await scene.end(id).catch(() => undefined);
    },
  },
];
