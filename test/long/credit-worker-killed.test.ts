import { jobFolder } from '../../src/domain/job';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AnalysisRepository } from '../../src/store/credit/analyses';
import { storeIn } from '../support/temporary-store';
import type { ScenarioInput } from '../../src/sandbox';
import { cnabFile } from '../support/cnab-files';
import {
  CreditInstallation,
  isUnanswered,
  sheetRows,
  type SheetRow,
} from '../support/credit-installation';
import { eventually } from '../support/diligence-process';
import { configured } from '../support/configured';

const always = 'forever';

/** What each file is in the middle of when the worker dies. */
const scripts: NonNullable<NonNullable<ScenarioInput['credit']>['files']> = {
  'upload-accepted.rem': { upload: ['no_answer'] },
  'upload-lost.rem': { upload: ['no_answer_before'] },
  'wait.rem': { result: [{ kind: 'not_ready', times: always }] },
  'download-issues.rem': { result: [{ kind: 'no_answer', times: always }] },
  'download-all.rem': { result: ['ok', { kind: 'no_answer', times: always }] },
};
const scenario: ScenarioInput = {
  credit: { analysis: { waitingMs: [0, 0], processingMs: [0, 0] }, files: scripts },
};
/** A file that is set to null goes without a script. */
const noScripts = Object.fromEntries(Object.keys(scripts).map((name) => [name, null]));

const lost = ['upload-accepted.rem', 'upload-lost.rem'];
const brought = ['done.rem', 'download-all.rem', 'download-issues.rem', 'wait.rem'];
const names = [...brought, ...lost].sort();

describe('a worker killed with SIGKILL in the upload of two files, the wait for one and the download of two', () => {
  let place: CreditInstallation;

  beforeAll(async () => {
    // Long enough that the uploads still wait for their answers when the rest has come as far.
    place = await CreditInstallation.start({
      scenario,
      env: configured({ credit: { timeoutSeconds: 15 } }),
    });
    await mkdir(join(place.folder, 'files'));
    for (const [index, name] of names.entries()) {
      const bytes = cnabFile({ bank: 'paulista', receivables: 20 + index });
      await writeFile(join(place.folder, 'files', name), bytes);
    }
  }, 120_000);
  afterAll(() => place.stop(), 60_000);

  const batch = ['credit', 'analyze', '--input', 'files', '--concurrency', '6', '--json'];
  const linesOf = (stdout: string): Promise<SheetRow[]> =>
    sheetRows((JSON.parse(stdout) as { folder: string }).folder, 'results.csv');

  /** Reads of results of this file, in order. */
  const downloads = (name: string) => {
    const operationId = place.uploads(name)[0]?.id;
    return place.sandbox.credit
      .received()
      .filter((one) => one.id === operationId && one.path.endsWith('/result'));
  };

  function isInTheMiddle(): boolean {
    const isUploading = lost.every((name) => place.uploads(name).some(isUnanswered));
    const isDownloading = ['download-issues.rem', 'download-all.rem'].every((name) =>
      downloads(name).some(isUnanswered),
    );
    const isDone = downloads('done.rem').some(({ query }) => query.filter === 'all');
    return isUploading && isDownloading && isDone && downloads('wait.rem').length > 0;
  }

  test('what was accepted comes to its end, what nobody knows is told, and nothing is sent twice', async () => {
    const { result } = place.installation.begin(batch);
    await eventually('every file has come as far as its script lets it', isInTheMiddle);
    await place.installation.stopWorkers('SIGKILL');
    await eventually('the service has seen it go', () =>
      lost.every((name) => place.uploads(name)[0]?.abandoned),
    );
    const readBefore = downloads('wait.rem').length;
    place.sandbox.configure({ credit: { files: noScripts } });
    await place.installation.startWorker();

    const { code, stdout } = await result;
    const lines = await linesOf(stdout);
    expect(lines.map(({ requested, status }) => [requested, status])).toEqual(
      names.map((name) => [name, lost.includes(name) ? 'unknown_outcome' : 'completed']),
    );
    expect(code).toBe(3);
    expect(names.map((name) => [name, place.uploads(name).length, place.started(name)])).toEqual(
      names.map((name) => [name, 1, name === 'upload-lost.rem' ? 0 : 1]),
    );
    expect(downloads('wait.rem').length).toBeGreaterThan(readBefore);
    const analyses = new AnalysisRepository(storeIn(place.folder));
    for (const { requested: file, id = '', status } of lines) {
      const outcome = await analyses.outcome(jobFolder(id));
      expect([file, outcome?.status]).toEqual([file, status]);
      if (outcome === null || status !== 'completed') continue;
      expect(outcome.result?.contradictions).toEqual([]);
      const stored = await place.stored(outcome);
      for (const filter of ['issues', 'all'] as const) {
        expect(stored?.[filter]).toBe(await place.served(outcome.operationId ?? '', filter));
      }
    }
  }, 180_000);

  test('run again, nothing is bought', async () => {
    const { stdout } = await place.installation.run(batch);
    expect(await linesOf(stdout)).toHaveLength(names.length);
    expect(place.uploads()).toHaveLength(names.length);
  }, 120_000);
});
