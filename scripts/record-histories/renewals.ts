import { queueName, queueSuffix } from '../../src/domain/core/queues';
import type { RenewCertificatesInput } from '../../src/workflows/inputs';
import { cnpj } from '../../test/support/documents';
import { storeIn } from '../../test/support/temporary-store';
import type { Recording, Scene } from './scene';

let next = 0;

/** As the schedule starts it. */
async function renew({ place, client }: Scene, withinDays: number): Promise<string> {
  next += 1;
  const workflowId = `renewals-${next}`;
  const suffix = queueSuffix(storeIn(place.folder));
  const input: RenewCertificatesInput = {
    withinMs: withinDays * 86_400_000,
    deadlineMs: 600_000,
    concurrency: 10,
    label: null,
    by: 'someone',
    queueSuffix: suffix,
  };
  const taskQueue = queueName('workflows', suffix);
  await client.workflow.start('renewCertificates', { workflowId, taskQueue, args: [input] });
  return workflowId;
}

export const renewalRecordings: Recording[] = [
  {
    name: 'straight',
    of: ['renewCertificates'],
    async play(scene) {
      const number = cnpj(9_100);
      const one = ['certificate', 'issue', '--type', 'trabalhista', '--document', number];
      await scene.run([...one, '--out', 'out-old']);
      await scene.end(await renew(scene, 200));
    },
  },
  {
    name: 'nothing-runs-out',
    of: ['renewCertificates'],
    play: async (scene) => scene.end(await renew(scene, 1)),
  },
];
