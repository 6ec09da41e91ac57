import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, eventually } from '../support/diligence-process';

/** A batch of searches whose worker is killed: its searches wait out their heartbeats' time. */

const atOnce: [number, number] = [0, 0];
let installation: Installation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await Installation.start({
    traces: {
      pollAfterSeconds: 1,
      targets: { '*': { waitingMs: atOnce, processingMs: atOnce } },
      background: {
        rate: 0.15,
        kinds: ['504_after', 'reset_after', '429', '502', 'unreadable_2xx'],
      },
    },
  });
  await installation.startWorker();
});
afterAll(() => installation.stop());

test('a batch whose worker is killed goes on with the next one, and asks for nothing twice', async () => {
  const targets = Array.from({ length: 40 }, (_, n) => `killed${n}@example.com`);
  await writeFile(join(installation.folder, 'killed.csv'), `alvo\n${targets.join('\n')}\n`);
  const words = ['trace', 'search', '--input', 'killed.csv', '--json', '--out', 'out'];
  const running = installation.run(words);
  const made = (): number => installation.sandbox.traces.counts().items.length;
  await eventually('some are asked for', () => made() > 5);
  await installation.stopWorkers('SIGKILL');
  await installation.startWorker();
  const { code, stdout } = await running;
  const { outcome } = JSON.parse(stdout) as { outcome: { counts: Record<string, number> } };
  expect({ code, counts: outcome.counts }).toEqual({ code: 0, counts: { completed: 40 } });
  const { items } = installation.sandbox.traces.counts();
  expect(items.filter(({ started }) => started !== 1)).toEqual([]);
});
