import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScheduleNotFoundError } from '@temporalio/client';
import type { ErasureRecord } from '../../src/store/erasure/erasures';
import { Installation, eventually } from '../support/diligence-process';
import { cnpj } from '../support/documents';
import { storeIn, tamperWith } from '../support/temporary-store';

jest.setTimeout(120_000);

const oneDayMs = 86_400_000;
const quick = { waitingMs: [0, 0], processingMs: [0, 0] } satisfies Record<string, unknown>;
const terms = { DILIGENCE_RETENTION: 'certificate-batch=5y,trace=90d' };

describe('retention', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start({
      issuance: { waitingMs: [20, 50], processingMs: [50, 100], distribution: 'uniform' },
      traces: { pollAfterSeconds: 1, targets: { '*': quick } },
      documents: { [cnpj(20)]: { request: ['missing_id'] } },
    } as never);
    await place.startWorker(terms);
  });
  afterAll(() => place.stop());

  const store = () => storeIn(place.folder);
  const schedule = async () => (await place.client()).schedule.getHandle('retention');

  async function job(code: number, ...words: string[]): Promise<string> {
    const done = await place.run([...words, '--json']);
    expect({ code: done.code, stderr: done.code === code ? '' : done.stderr }).toEqual({
      code,
      stderr: '',
    });
    return (JSON.parse(done.stdout) as { id: string }).id;
  }
  async function batch(name: string, document: string, code = 0): Promise<string> {
    await writeFile(join(place.folder, `${name}.csv`), `documento,tipo\n${document},cnpj\n`);
    const input = ['--input', `${name}.csv`, '--out', `out-${name}`];
    return job(code, 'certificate', 'batch', ...input);
  }
  const trace = (target: string) => job(0, 'trace', 'search', '--target', target);

  async function endedDaysAgo(id: string, days: number): Promise<void> {
    const at = new Date(Date.now() - days * oneDayMs).toISOString();
    await tamperWith(place.folder, 'UPDATE job SET ended_at = ? WHERE id = ?', at, id);
  }
  async function ids(): Promise<string[]> {
    const { stdout } = await place.run(['list', '--json']);
    return (JSON.parse(stdout) as { jobs: { id: string }[] }).jobs.map(({ id }) => id).toSorted();
  }
  async function applied(runs: number): Promise<unknown> {
    await (await schedule()).trigger();
    await eventually('a run has ended', async () => {
      const { info } = await (await schedule()).describe();
      return info.recentActions.length === runs && info.runningActions.length === 0;
    });
    const { info } = await (await schedule()).describe();
    const run = info.recentActions.at(-1)?.action.workflow.workflowId ?? '';
    return (await place.client()).workflow.getHandle(run).result();
  }
  async function erasureLines(): Promise<number> {
    const { stdout } = await place.run(['audit', 'export', '--format', 'json']);
    const lines = JSON.parse(stdout) as { kind: string }[];
    return lines.filter(({ kind }) => kind === 'erasure').length;
  }
  async function records(): Promise<ErasureRecord[]> {
    const keys = await store().records.list('erasures/');
    const all = keys.map((key) => store().records.getJson<ErasureRecord>(key));
    return (await Promise.all(all)) as ErasureRecord[];
  }

  test('jobs of the right kinds that ended long enough ago are gone, on record, and no others', async () => {
    const oldBatch = await batch('old', cnpj(1));
    const newBatch = await batch('new', cnpj(2));
    const undecided = await batch('undecided', cnpj(20), 3);
    const [old, other, recent, decided] = await Promise.all(
      ['old', 'other', 'recent', 'decided'].map((who) => trace(`${who}@example.com`)),
    );
    const issued = await job(0, 'certificate', 'issue', '--type', 'cnpj', '--document', cnpj(3));
    const single = (await ids()).find((id) => id.startsWith(issued)) ?? '';
    for (const id of [oldBatch, undecided]) await endedDaysAgo(id, 6 * 366);
    await endedDaysAgo(newBatch, 4 * 366);
    for (const id of [old, other, decided]) await endedDaysAgo(id ?? '', 91);
    await endedDaysAgo(recent ?? '', 89);
    await endedDaysAgo(single, 20 * 366);
    const client = await place.client();
    const again = await client.workflow.start('searchTrace', {
      workflowId: (decided ?? '').replace(/\/\d{8}T\d+Z$/, ''),
      taskQueue: 'of-nobody',
    });
    expect(await store().records.list('pdf/')).toHaveLength(3);
    expect(await applied(1)).toEqual({
      'certificate-batch': { erased: 1, underWay: 0, undecided: 1 },
      trace: { erased: 2, underWay: 1, undecided: 0 },
    });
    expect(await ids()).toEqual([newBatch, undecided, recent, decided, single].toSorted());
    expect(await store().records.list('pdf/')).toHaveLength(2);
    expect(await store().attempts.subjects('certificate/')).toHaveLength(3);
    expect(await store().attempts.subjects('trace/')).toHaveLength(2);
    const [first, second, ...more] = await records();
    expect(more).toEqual([]);
    expect([first, second]).toMatchObject([
      {
        target: { kind: 'expired', jobs: 'certificate-batch' },
        by: 'retention',
        reason: 'DILIGENCE_RETENTION: certificate-batch=5y',
        jobs: [oldBatch],
        rows: 1,
        finishedAt: expect.any(String),
      },
      {
        target: { kind: 'expired', jobs: 'trace' },
        jobs: expect.arrayContaining([old, other]),
        finishedAt: expect.any(String),
      },
    ]);
    expect(await erasureLines()).toBe(2);
    expect(await place.run(['audit', 'verify'])).toMatchObject({ code: 0 });
    expect(await applied(2)).toMatchObject({ trace: { erased: 0, underWay: 1 } });
    await again.terminate();
    expect(await applied(3)).toMatchObject({ trace: { erased: 1, underWay: 0 } });
    expect(await ids()).toEqual([newBatch, undecided, recent, single].toSorted());
  });

  test('a run that finds nothing leaves no row', async () => {
    const before = [await records(), await erasureLines()];
    expect(await applied(4)).toEqual({
      'certificate-batch': { erased: 0, underWay: 0, undecided: 1 },
      trace: { erased: 0, underWay: 0, undecided: 0 },
    });
    expect([await records(), await erasureLines()]).toEqual(before);
  });

  test('doctor tells the terms, and when they were applied last', async () => {
    const { stdout } = await place.run(['doctor'], terms);
    expect(stdout).toMatch(
      /ok {4}retention: certificate-batch=5y, trace=90d; applied last at \d{4}-.*; next at \d{4}-/,
    );
  });

  test('the schedule is what the worker that started last was told', async () => {
    await place.startWorker({ DILIGENCE_RETENTION: 'profile=2y' });
    const { action, policies } = await (await schedule()).describe();
    expect(action.args).toEqual([{ terms: [{ kind: 'profile', count: 2, unit: 'y' }] }]);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: oneDayMs });
    await place.startWorker();
    await expect((await schedule()).describe()).rejects.toThrow(ScheduleNotFoundError);
    await place.startWorker();
  });
});
