import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import type { JobBatchInput } from '../../src/workflows/inputs';
import { cnabFile } from '../../test/support/cnab-files';
import { uploadsOf } from '../../test/support/credit-installation';
import { eventually } from '../../test/support/diligence-process';
import type { Recording, Scene } from './scene';

type FileScript = NonNullable<NonNullable<ScenarioInput['credit']>['files']>[string];

let next = 20;

/** A file of its own: another number of receivables makes another file. */
async function file(scene: Scene, script: FileScript = {}, folder = '.'): Promise<string> {
  next += 1;
  const name = `f${next}.rem`;
  scene.configure({ credit: { files: { [name]: script } } });
  await mkdir(join(scene.place.folder, folder), { recursive: true });
  await scene.write(join(folder, name), cnabFile({ bank: 'paulista', receivables: next }));
  return name;
}

async function analyze(scene: Scene, script?: FileScript): Promise<string[]> {
  const name = await file(scene, script);
  return ['credit', 'analyze', '--input', name, '--out', `out-${name}`];
}

async function batch(scene: Scene, folder: string, scripts: FileScript[]): Promise<string[]> {
  for (const script of scripts) await file(scene, script, folder);
  return ['credit', 'analyze', '--input', folder, '--out', `out-${folder}`];
}

function uploaded(scene: Scene): Promise<void> {
  const before = uploadsOf(scene.sandbox).length;
  return eventually('an upload has arrived', () => uploadsOf(scene.sandbox).length > before);
}

const waiting: FileScript = { result: [{ kind: 'not_ready', times: 'forever' }] };

/** The job asks which engine a name means: the command does not know the service. */
async function choose(scene: Scene, name: string, code: number): Promise<void> {
  const words = [...(await analyze(scene)), '--engine', name];
  const { place } = scene;
  const ended = await place.run(words, { CREDIT_BASE_URL: '', CREDIT_TOKEN: '' });
  if (ended.code !== code) throw new Error(`ended with ${ended.code}: ${ended.stderr}`);
}

export const creditRecordings: Recording[] = [
  {
    name: 'straight',
    of: ['analyzeCredit'],
    play: async (scene) => scene.run(await analyze(scene)),
  },
  {
    name: 'turned-away-and-again',
    of: ['analyzeCredit'],
    play: async (scene) => scene.run(await analyze(scene, { upload: ['429', '503', '429'] })),
  },
  {
    name: 'recovered',
    of: ['analyzeCredit'],
    async play(scene) {
      const words = await analyze(scene, { upload: ['no_answer'] });
      const arrived = uploaded(scene);
      const id = await scene.detach(words);
      await arrived;
      await scene.loseWorker();
      await scene.end(id);
    },
  },
  {
    name: 'cancelled',
    of: ['analyzeCredit'],
    async play(scene) {
      const words = await analyze(scene, waiting);
      const arrived = uploaded(scene);
      const id = await scene.detach(words);
      await arrived;
      await scene.run(['cancel', id]);
      await scene.end(id);
    },
  },
  {
    name: 'analyses',
    of: ['jobBatch'],
    play: async (scene) => scene.run(await batch(scene, 'straight', [{}, {}])),
  },
  {
    name: 'analyses-continued-as-new',
    of: ['jobBatch'],
    async play(scene) {
      const late: FileScript = { result: [{ kind: 'not_ready', times: 2 }] };
      const words = [...(await batch(scene, 'parts', [{}, late, {}])), '--concurrency', '2'];
      const id = await scene.withoutWorker(async () => {
        const started = await scene.detach(words);
        await scene.startAgain<JobBatchInput>(started, () => ({ rowsPerExecution: 2 }));
        return started;
      });
      await scene.end(id);
    },
  },
  {
    name: 'analyses-cancelled',
    of: ['jobBatch'],
    async play(scene) {
      const words = await batch(scene, 'cancelled', [waiting, waiting, waiting]);
      const arrived = uploaded(scene);
      const id = await scene.detach([...words, '--concurrency', '1']);
      await arrived;
      await scene.run(['cancel', id, '--now']);
      await scene.end(id);
    },
  },
  {
    name: 'engine-by-name',
    of: ['analyzeCredit'],
    play: (scene) => choose(scene, 'Padrao', 0),
  },
  {
    name: 'engine-unknown',
    of: ['analyzeCredit'],
    play: (scene) => choose(scene, 'Ninguém', 1),
  },
];
