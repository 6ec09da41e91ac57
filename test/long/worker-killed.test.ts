import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, ScenarioInput } from '../../src/sandbox';
import { contradictions, explainedByDeath, isInFlight, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 30;
const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out', '--deadline', '5m'];

interface Phase {
  name: string;
  scenario: ScenarioInput;
  /** What the service has received when the worker is in the middle of this phase. */
  reached(sandbox: Sandbox): boolean;
  /** Rows whose answer may die with the worker: one per run of requests in flight. */
  mayDie: number;
}

const downloads = (sandbox: Sandbox) =>
  sandbox.received().filter(({ path }) => path.endsWith('/pdf'));

const phases: Phase[] = [
  {
    name: 'requests',
    scenario: { latencyMs: [200, 300] },
    reached: (sandbox) => {
      const posts = postsOf(sandbox);
      return posts.length > 5 && posts.length < rows - 5 && posts.some(isInFlight);
    },
    mayDie: 3,
  },
  {
    name: 'watching',
    scenario: {
      issuance: { waitingMs: [0, 0], processingMs: [5_000, 8_000], distribution: 'uniform' },
    },
    reached: (sandbox) => {
      const counts = sandbox.counts();
      return counts.length === rows && counts.every(({ polls, pdfs }) => polls > 0 && pdfs === 0);
    },
    mayDie: 0,
  },
  {
    name: 'downloads',
    scenario: { documents: { '*': { pdf: [{ kind: 'slow_pdf', delayMs: 1_500 }] } } },
    reached: (sandbox) =>
      postsOf(sandbox).every(({ status }) => status !== null) &&
      sandbox.counts().every(({ polls }) => polls > 0) &&
      downloads(sandbox).some(isInFlight),
    mayDie: 0,
  },
];

describe('a worker killed with SIGKILL', () => {
  let place: Installation;

  afterEach(() => place.stop(), 60_000);

  test.each(phases)(
    'during $name loses no row, and nothing is bought twice',
    async ({ scenario, reached, mayDie }) => {
      place = await Installation.start(scenario);
      await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
      const worker = await place.startWorker();
      const command = place.begin(batch);
      await eventually('the phase is reached', () => reached(place.sandbox));
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      const downloadedBefore = downloads(place.sandbox).length;
      place.sandbox.configure({ latencyMs: [0, 0], documents: {} });
      await place.startWorker();

      const ended = await command.result;
      const folder = join(place.folder, 'out');
      const lines = await readSheetLines(join(folder, 'results.csv'));
      expect(lines.map(({ document }) => document)).toEqual(
        Array.from({ length: rows }, (_, index) => cnpj(index + 1)),
      );
      const { died, wrong } = explainedByDeath(await contradictions(place.sandbox, lines, folder));
      expect(wrong).toEqual([]);
      const unknown = lines.filter(({ status }) => status === 'unknown_outcome');
      const issued = lines.filter(({ status }) => status === 'issued');
      expect(unknown.length).toBeLessThanOrEqual(mayDie);
      expect(died.length).toBeLessThanOrEqual(unknown.length);
      expect(issued).toHaveLength(rows - unknown.length);
      expect(ended.code).toBe(unknown.length === 0 ? 0 : 3);
      // The kill did hit: work was left to do.
      expect(downloads(place.sandbox).length).toBeGreaterThan(downloadedBefore);
    },
    120_000,
  );
});
