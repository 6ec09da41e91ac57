import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LensOutcome } from '../../src/domain/lens/analyze';
import type { ScenarioInput } from '../../src/sandbox';
import { Installation, eventually } from '../support/diligence-process';

/** One kill meets an analysis in each of its phases. */

type FileScript = NonNullable<NonNullable<ScenarioInput['lens']>['files']>[string];
type Counts = ReturnType<Installation['sandbox']['lens']['counts']>['items'][number];

interface Phase {
  name: string;
  script: FileScript;
  isReached: (counts: Counts) => boolean;
  /** Requests that arrived in all. */
  requested: number;
  /** Uploads that were taken. */
  uploads: number;
}

const forLong = 25_000;
const phases: Phase[] = [
  {
    name: 'after its request has arrived, before the answer',
    script: { create: ['no_answer'] },
    isReached: ({ created }) => created === 1,
    requested: 2,
    uploads: 1,
  },
  {
    name: 'between its request and its upload',
    script: { upload: Array.from({ length: 60 }, () => '503' as const) },
    isReached: ({ uploadTries }) => uploadTries > 0,
    requested: 1,
    uploads: 1,
  },
  {
    name: 'in the middle of its upload',
    script: { upload: ['no_answer_before'] },
    isReached: ({ uploadTries }) => uploadTries === 1,
    requested: 1,
    uploads: 1,
  },
  {
    name: 'after its upload was taken, before the answer',
    script: { upload: ['no_answer'] },
    isReached: ({ uploads }) => uploads === 1,
    requested: 1,
    uploads: 1,
  },
  {
    name: 'while it is waited for',
    script: { processingMs: [forLong, forLong] },
    isReached: ({ reads, uploads }) => uploads === 1 && reads > 0,
    requested: 1,
    uploads: 1,
  },
  {
    name: 'while its artifacts are fetched',
    script: { artifact: ['ok', 'no_answer'] },
    isReached: ({ artifacts }) => artifacts === 2,
    requested: 1,
    uploads: 1,
  },
];

const pictures = phases.map(({ name, script }, nth) => {
  const body = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(20_000)]);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { name, script, body, sha256, file: `picture-${nth}.png` };
});
const soon: FileScript = { waitingMs: [0, 0], processingMs: [200, 400] };
const ids = new Map<string, string>();
let installation: Installation;

function configure(scriptOf: (script: FileScript) => FileScript): void {
  const files = pictures.map(({ script, sha256 }) => [sha256, { ...soon, ...scriptOf(script) }]);
  installation.sandbox.configure({ lens: { files: Object.fromEntries(files) } });
}

function counted(name: string): Counts | undefined {
  const sha256 = pictures.find((picture) => picture.name === name)?.sha256;
  return installation.sandbox.lens.counts().items.find((item) => item.sha256 === sha256);
}

jest.setTimeout(240_000);
beforeAll(async () => {
  installation = await Installation.start(
    { lens: { pollAfterSeconds: 1 } },
    { INVESTIGATION_RPS: '400' },
  );
  await installation.startWorker();
  configure((script) => script);
  await Promise.all(
    pictures.map(async ({ body, file, name }) => {
      const path = join(installation.folder, file);
      await writeFile(path, body);
      const { stdout } = await installation.run(['lens', 'analyze', '--input', path, '--detach']);
      ids.set(name, stdout.trim());
    }),
  );
  await eventually('each analysis is in its phase', () =>
    phases.every(({ isReached, name }) => {
      const counts = counted(name);
      return counts !== undefined && isReached(counts);
    }),
  );
  await installation.stopWorkers('SIGKILL');
  configure(() => ({}));
  await installation.startWorker();
});
afterAll(() => installation.stop());

test.each(phases)(
  'a worker killed $name leaves one analysis, and all of it on file',
  async ({ name, requested, uploads }) => {
    const id = ids.get(name) ?? '';
    const workflowId = id.replace(/\/\d{8}T\w+$/, '');
    const handle = (await installation.client()).workflow.getHandle(workflowId);
    const outcome = (await handle.result()) as LensOutcome;
    expect(outcome).toMatchObject({
      status: 'completed',
      replaced: [],
      billing: { status: 'charged' },
      files: {
        stored: [{ mediaType: 'image/png' }, { mediaType: 'application/pdf' }],
        notStored: [],
      },
    });
    expect(counted(name)).toMatchObject({ created: 1, requested, uploads });
    const folder = `out-${name.replaceAll(/\W+/g, '-')}`;
    const told = ['result', id, '--json', '--out', folder];
    const { code, stdout } = await installation.run(told);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      artifacts: [{ name: 'artifact-1.png' }, { name: 'artifact-2.pdf' }],
    });
    const written = await readdir(join(installation.folder, folder));
    expect(written).toEqual(
      expect.arrayContaining(['lens.json', 'artifact-1.png', 'artifact-2.pdf']),
    );
  },
);
