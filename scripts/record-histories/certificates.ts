import type { ScenarioInput } from '../../src/sandbox';
import type { CertificateBatchInput } from '../../src/workflows/inputs';
import { postsOf } from '../../test/support/batch-account';
import { eventually } from '../../test/support/diligence-process';
import { cnpj, sheetOf } from '../../test/support/documents';
import type { Recording, Scene } from './scene';

type DocumentScript = NonNullable<ScenarioInput['documents']>[string];

let next = 1;

/** Documents of its own, as the script says. @returns the first of them */
function documents(scene: Scene, count: number, script: DocumentScript = {}): number {
  const first = next;
  next += count;
  const scripts = Array.from({ length: count }, (_, index) => [cnpj(first + index), script]);
  scene.configure({ documents: Object.fromEntries(scripts) });
  return first;
}

function issue(number: number): string[] {
  const out = `out-${number}`;
  return ['certificate', 'issue', '--type', 'cnpj', '--document', cnpj(number), '--out', out];
}

async function batch(scene: Scene, count: number, script?: DocumentScript): Promise<string[]> {
  const first = documents(scene, count, script);
  const input = await scene.write(`input-${first}.csv`, sheetOf(count, first));
  return ['certificate', 'batch', '--input', input, '--out', `out-batch-${first}`];
}

function requested(scene: Scene, count: number): Promise<void> {
  const before = postsOf(scene.sandbox).length;
  return eventually('requests have arrived', () => {
    return postsOf(scene.sandbox).length >= before + count;
  });
}

async function resolve(scene: Scene, script?: DocumentScript): Promise<string[]> {
  const first = documents(scene, 3, { request: ['reset_after'] });
  const input = await scene.write(`input-${first}.csv`, sheetOf(3, first));
  const words = ['certificate', 'batch', '--input', input, '--out', 'out-lost', '--json'];
  const { stdout } = await scene.run(words, 3);
  const { id } = JSON.parse(stdout) as { id: string };
  const scripts = [0, 1, 2].map((index) => [cnpj(first + index), script ?? {}]);
  scene.configure({ documents: Object.fromEntries(scripts) });
  return ['resolve', id, '--all', '--note', 'recorded'];
}

const slow = { request: [{ kind: 'slow', delayMs: 700, times: 'forever' }] } as const;

export const certificateRecordings: Recording[] = [
  {
    name: 'straight',
    of: ['issueCertificate'],
    play: (scene) => scene.run(issue(documents(scene, 1))),
  },
  {
    name: 'turned-away-and-again',
    of: ['issueCertificate'],
    play: (scene) =>
      scene.run(issue(documents(scene, 1, { request: ['503', '429'], poll: ['502'] }))),
  },
  {
    name: 'recovered',
    of: ['issueCertificate'],
    async play(scene) {
      const words = issue(documents(scene, 1, { request: ['no_answer'] }));
      const arrived = requested(scene, 1);
      const id = await scene.detach(words);
      await arrived;
      await scene.loseWorker();
      await scene.end(id);
    },
  },
  {
    name: 'cancelled',
    of: ['issueCertificate'],
    async play(scene) {
      const arrived = requested(scene, 1);
      const id = await scene.detach(issue(documents(scene, 1, { end: 'never_settles' })));
      await arrived;
      await scene.run(['cancel', id, '--now']);
      await scene.end(id);
    },
  },
  {
    name: 'straight',
    of: ['certificateBatch', 'certificateLane'],
    play: async (scene) => scene.run(await batch(scene, 12)),
  },
  {
    name: 'turned-away-and-again',
    of: ['certificateBatch', 'certificateLane'],
    play: async (scene) => scene.run(await batch(scene, 6, { request: ['503', '429'] })),
  },
  {
    name: 'paused-and-cancelled',
    of: ['certificateBatch', 'certificateLane'],
    async play(scene) {
      const words = await batch(scene, 60, slow as unknown as DocumentScript);
      const arrived = requested(scene, 5);
      const id = await scene.detach(words);
      await arrived;
      await scene.run(['pause', id]);
      await scene.status(id, 'waiting: paused');
      const more = requested(scene, 5);
      await scene.run(['resume', id]);
      await more;
      await scene.run(['cancel', id]);
      // It is refused: it is being cancelled already.
      await scene.run(['pause', id], 1);
      await scene.end(id);
    },
  },
  {
    name: 'recovered',
    of: ['certificateBatch', 'certificateLane'],
    async play(scene) {
      const words = await batch(scene, 6, { request: ['no_answer'] });
      const arrived = requested(scene, 1);
      const id = await scene.detach(words);
      await arrived;
      await scene.loseWorker();
      await scene.end(id);
    },
  },
  {
    name: 'budget',
    of: ['certificateBatch', 'certificateLane'],
    async play(scene) {
      const words = [...(await batch(scene, 12)), '--budget', '8', '--lane-rows', '6'];
      const id = await scene.detach(words);
      await scene.status(id, 'waiting: a person');
      await scene.run(['resume', id]);
      await scene.end(id);
    },
  },
  {
    name: 'continued-as-new',
    of: ['certificateBatch', 'certificateLane'],
    async play(scene) {
      const words = await batch(scene, 60);
      const id = await scene.withoutWorker(async () => {
        const started = await scene.detach(words);
        const change = { laneEvents: 60, concurrency: 12 };
        await scene.startAgain<CertificateBatchInput>(started, () => change);
        return started;
      });
      await scene.end(id);
    },
  },
  {
    name: 'abandoned',
    of: ['certificateResolve'],
    play: async (scene) => scene.run([...(await resolve(scene)), '--action', 'abandon']),
  },
  {
    name: 'reissued-through-faults',
    of: ['certificateResolve'],
    async play(scene) {
      const words = await resolve(scene, { request: ['429', '503'], poll: ['502'] });
      await scene.run([...words, '--action', 'reissue']);
    },
  },
  {
    name: 'cancelled',
    of: ['certificateResolve'],
    async play(scene) {
      const words = await resolve(scene, { end: 'never_settles' });
      const arrived = requested(scene, 3);
      await scene.detach([...words, '--action', 'reissue']);
      const id = `${words[1]}/decision-1`;
      await arrived;
      await scene.client.workflow.getHandle(id).executeUpdate('cancel', { args: [{ now: true }] });
      await scene.end(id);
    },
  },
];
