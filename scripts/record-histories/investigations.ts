import { createHash } from 'node:crypto';
import type { ScenarioInput } from '../../src/sandbox';
import type { JobBatchInput } from '../../src/workflows/inputs';
import type { JobProgress } from '../../src/workflows/messages';
import { eventually } from '../../test/support/diligence-process';
import { cnpj, cpf } from '../../test/support/documents';
import type { Recording, Scene } from './scene';

type Section<Name extends 'dossiers' | 'lens' | 'profiles' | 'traces'> = NonNullable<
  ScenarioInput[Name]
>;
type DossierScript = NonNullable<Section<'dossiers'>['held']>[string];
type FileScript = NonNullable<Section<'lens'>['files']>[string];
type PersonScript = NonNullable<Section<'profiles'>['people']>[string];
type TargetScript = NonNullable<Section<'traces'>['targets']>[string];

const refused = Array.from({ length: 60 }, () => '401' as const);
const credentials = 'waiting: credentials';
const forLong: [number, number] = [600_000, 600_000];
let next = 0;

/** Once the status says something. */
async function cancel(scene: Scene, words: string[], when: string): Promise<void> {
  const id = await scene.detach(words);
  await scene.status(id, when);
  await scene.run(['cancel', id]);
  await scene.end(id);
}

function lookup(scene: Scene, script: PersonScript): string[] {
  next += 1;
  scene.configure({ profiles: { people: { [cpf(next)]: script } } });
  return ['profile', 'lookup', '--cpf', cpf(next), '--out', `out-profile-${next}`];
}

const profiles: Recording[] = [
  {
    name: 'straight',
    of: ['lookUpProfile'],
    play: (scene) => scene.run(lookup(scene, {})),
  },
  {
    name: 'asked-again',
    of: ['lookUpProfile'],
    async play(scene) {
      const script: PersonScript = { rural: ['null', 'person'], lookup: ['503', '502'] };
      await scene.run([...lookup(scene, script), '--retry-rural']);
    },
  },
  {
    name: 'cancelled',
    of: ['lookUpProfile'],
    play: (scene) => cancel(scene, lookup(scene, { lookup: refused }), credentials),
  },
];

const atOnce: TargetScript = { waitingMs: [0, 0], processingMs: [100, 200] };

function target(scene: Scene, script: TargetScript): string {
  next += 1;
  const name = `somebody-${next}@example.com`;
  scene.configure({ traces: { targets: { [name]: { ...atOnce, ...script } } } });
  return name;
}

function search(scene: Scene, script: TargetScript): string[] {
  return ['trace', 'search', '--target', target(scene, script), '--out', `out-trace-${next}`];
}

const traces: Recording[] = [
  {
    name: 'straight',
    of: ['searchTrace'],
    play: (scene) => scene.run(search(scene, {})),
  },
  {
    name: 'lost-and-waiting',
    of: ['searchTrace'],
    async play(scene) {
      const create = ['504_after', '401', '401', '401'] as const;
      await scene.run(search(scene, { create: [...create], read: ['502', '404'] }));
    },
  },
  {
    name: 'cancelled',
    of: ['searchTrace'],
    async play(scene) {
      const id = await scene.detach(search(scene, { processingMs: forLong }));
      const progress = () => scene.ask<JobProgress>(id, 'jobProgress');
      await eventually('it runs', async () => (await progress()).externalId !== null);
      await scene.run(['cancel', id]);
      await scene.end(id);
    },
  },
];

async function searches(scene: Scene, scripts: TargetScript[]): Promise<string[]> {
  const lines = scripts.map((script) => target(scene, script));
  const file = await scene.write(`targets-${next}.csv`, `alvo\n${lines.join('\n')}\n`);
  return ['trace', 'search', '--input', file, '--out', `out-targets-${next}`];
}

const batches: Recording[] = [
  {
    name: 'straight',
    of: ['jobBatch'],
    play: async (scene) => scene.run(await searches(scene, [{}, {}, {}])),
  },
  {
    name: 'lookups',
    of: ['jobBatch'],
    async play(scene) {
      const people = [1, 2].map(() => cpf((next += 1)));
      const file = await scene.write('people.csv', `cpf\n${people.join('\n')}\n`);
      await scene.run(['profile', 'lookup', '--input', file, '--out', 'out-people']);
    },
  },
  {
    name: 'continued-as-new',
    of: ['jobBatch'],
    async play(scene) {
      const scripts: TargetScript[] = [{}, { processingMs: [4_000, 4_000] }, {}];
      const words = [...(await searches(scene, scripts)), '--concurrency', '2'];
      const id = await scene.withoutWorker(async () => {
        const started = await scene.detach(words);
        await scene.startAgain<JobBatchInput>(started, () => ({ rowsPerExecution: 2 }));
        return started;
      });
      await scene.end(id);
    },
  },
  {
    name: 'budget',
    of: ['jobBatch'],
    async play(scene) {
      const id = await scene.detach([...(await searches(scene, [{}, {}, {}])), '--budget', '2']);
      await scene.status(id, '2 of 2 requests made; the rest takes at most 1');
      await scene.run(['resume', id]);
      await scene.end(id);
    },
  },
  {
    name: 'paused-and-cancelled',
    of: ['jobBatch'],
    async play(scene) {
      const slow = { processingMs: forLong };
      const words = [...(await searches(scene, [slow, slow, slow])), '--concurrency', '1'];
      const id = await scene.detach(words);
      await scene.status(id, '1 outstanding');
      await scene.run(['pause', id]);
      await scene.run(['resume', id]);
      await scene.run(['cancel', id, '--now']);
      await scene.end(id);
    },
  },
];

const png = Buffer.from('89504e470d0a1a0a', 'hex');

async function analyze(scene: Scene, script: FileScript): Promise<string[]> {
  next += 1;
  const body = Buffer.concat([png, Buffer.alloc(2_000, next)]);
  const sha256 = createHash('sha256').update(body).digest('hex');
  const soon: FileScript = { waitingMs: [0, 0], processingMs: [200, 400] };
  scene.configure({ lens: { files: { [sha256]: { ...soon, ...script } } } });
  const file = await scene.write(`picture-${next}.png`, body);
  return ['lens', 'analyze', '--input', file, '--out', `out-lens-${next}`];
}

const lens: Recording[] = [
  {
    name: 'straight',
    of: ['analyzeLens'],
    play: async (scene) => scene.run(await analyze(scene, {})),
  },
  {
    name: 'replaced',
    of: ['analyzeLens'],
    async play(scene) {
      const faults: FileScript = { create: ['504_after'], artifact: ['expired_link'] };
      await scene.run(await analyze(scene, { ...faults, uploadMs: [0, 600_000] }));
    },
  },
  {
    name: 'cancelled',
    of: ['analyzeLens'],
    play: async (scene) => cancel(scene, await analyze(scene, { create: refused }), credentials),
  },
];

const quick: DossierScript = { waitingMs: [100, 200], processingMs: [300, 600] };

/** A dossier of its own, as the script says. */
function held(scene: Scene, script: DossierScript): string {
  next += 1;
  const id = `0f0e0d0c-0b0a-4000-8000-${String(next).padStart(12, '0')}`;
  scene.configure({ dossiers: { held: { [id]: { ...quick, ...script } } } });
  return id;
}

function follow(id: string): string[] {
  return ['dossier', 'follow', id, '--out', `out-${id}`];
}

const dossiers: Recording[] = [
  {
    name: 'straight',
    of: ['followDossier'],
    play: (scene) => scene.run(follow(held(scene, { end: 'completed', risk: 'classified' }))),
  },
  {
    name: 'tried-again',
    of: ['followDossier'],
    async play(scene) {
      const script: DossierScript = {
        end: ['failure_retryable', 'completed'],
        retry: ['504_after'],
        pdf: ['expired_link'],
      };
      await scene.run([...follow(held(scene, script)), '--max-attempts', '2']);
    },
  },
  {
    name: 'decided',
    of: ['followDossier'],
    async play(scene) {
      const id = held(scene, { end: ['needs_review', 'completed'] });
      await scene.run([...follow(id), '--detach']);
      await scene.inInbox(id);
      await scene.run(['resolve', `dossier/${id}`, '--note', 'recorded', '--action', 'retry']);
      await scene.end(`dossier/${id}`);
    },
  },
  {
    name: 'cancelled',
    of: ['followDossier'],
    async play(scene) {
      const id = held(scene, { processingMs: forLong });
      await scene.run([...follow(id), '--detach']);
      await eventually('it is read', () =>
        scene.sandbox.dossiers
          .counts()
          .items.some(({ dossieId, statusReads }) => dossieId === id && statusReads > 0),
      );
      await scene.run(['cancel', `dossier/${id}`, '--cancel-remote']);
      await scene.end(`dossier/${id}`);
    },
  },
  {
    name: 'dossiers',
    of: ['jobBatch'],
    async play(scene) {
      await failedDossiers(scene);
      await scene.run(['dossier', 'retry-failed', '--limit', '2']);
    },
  },
  {
    name: 'dossiers-cancelled',
    of: ['jobBatch'],
    async play(scene) {
      const id = await scene.detach(['dossier', 'retry-failed', '--limit', '12']);
      const { dossiers: service } = scene.sandbox;
      const begun = () => service.counts().items.filter(({ retried }) => retried > 0).length;
      await eventually('retries have arrived', () => begun() > 3);
      await scene.run(['cancel', id]);
      await scene.end(id);
    },
  },
];

/** More of them than are tried again at once. */
async function failedDossiers(scene: Scene): Promise<void> {
  const end: DossierScript['end'] = ['failure_retryable', 'completed'];
  const pattern: DossierScript = { ...quick, end, retry: ['503'] };
  const gone = scene.sandbox.dossiers.counts().items.map(({ dossieId }) => [dossieId, null]);
  const none = Object.fromEntries(gone) as Record<string, null>;
  scene.configure({ dossiers: { held: none, seeded: { dossiers: 14 }, pattern } });
  await eventually('they have failed', async () => {
    const words = ['dossier', 'list', '--status', 'failed', '--json'];
    const { stdout } = await scene.run(words);
    return (stdout.match(/444f5353/g) ?? []).length >= 14;
  });
}

function supplier(...words: string[]): string[] {
  next += 1;
  const about = ['--plan', 'supplier', '--cnpj', cnpj(40_000 + next)];
  return ['investigate', ...about, '--out', `out-supplier-${next}`, ...words];
}

const investigations: Recording[] = [
  {
    name: 'straight',
    of: ['investigateSubject'],
    play: (scene) => scene.run(supplier('--email', target(scene, {}))),
  },
  {
    name: 'budget-and-decision',
    of: ['investigateSubject'],
    async play(scene) {
      const dossier = held(scene, { end: ['needs_review'] });
      const id = await scene.detach(supplier('--dossier', dossier, '--budget', '1'));
      await scene.status(id, 'requests made; the rest takes at most');
      await scene.run(['resume', id]);
      await scene.inInbox(dossier);
      await scene.run([
        'resolve',
        `dossier/${dossier}`,
        '--note',
        'recorded',
        '--action',
        'accept',
      ]);
      await scene.end(id);
    },
  },
  {
    name: 'cancelled',
    of: ['investigateSubject'],
    async play(scene) {
      const id = await scene.detach(supplier('--dossier', held(scene, { processingMs: forLong })));
      await scene.status(id, 'registration: answered');
      await scene.run(['cancel', id, '--cancel-remote']);
      await scene.end(id);
    },
  },
  {
    name: 'recovered',
    of: ['investigateSubject'],
    async play(scene) {
      const name = target(scene, { processingMs: [4_000, 4_000] });
      const id = await scene.detach(supplier('--email', name));
      await scene.status(id, 'registration: answered');
      await scene.loseWorker();
      await scene.end(id);
    },
  },
];

export const investigationRecordings: Recording[] = [
  ...investigations,
  ...profiles,
  ...traces,
  ...batches,
  ...lens,
  ...dossiers,
];
