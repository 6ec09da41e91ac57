import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cnabFile, invoiceZip } from '../support/cnab-files';
import { Installation, creditSettings, eventually } from '../support/diligence-process';
import { eventCount, runsOf } from '../support/histories';
import { configured } from '../support/configured';

const receivables = 50_000;
/** What is asked is 512; a worker that does nothing has 200. */
const mostMib = 400;
const mostEvents = 40;
const mostEventsMoreForEachRecovery = 20;

interface Shown {
  id: string;
  folder: string;
  outcome: { status: string; result: { contradictions: string[] } };
}

/** The most memory that a process ever held, in MiB. */
function peakMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

describe('the cost of an analysis', () => {
  let installation: Installation;

  beforeAll(async () => {
    const slow = { kind: 'slow', delayMs: 1_500 } as const;
    installation = await Installation.start(
      { credit: { files: { 'killed.rem': { status: [slow], result: [slow] } } } },
      (sandbox) => ({
        ...creditSettings(sandbox),
        ...configured({ credit: { timeoutSeconds: 120 } }),
      }),
    );
  }, 60_000);
  afterAll(() => installation.stop(), 60_000);

  const write = (name: string, bytes: Buffer) => writeFile(join(installation.folder, name), bytes);

  async function eventsOf({ id }: Shown): Promise<number> {
    const client = await installation.client();
    return eventCount(await runsOf(client, id.replace(/\/\d{8}T\d+Z$/, '')));
  }

  test('with 50,000 titulos it takes a worker little memory, and its workflow few events', async () => {
    await write('large.rem', cnabFile({ bank: 'paulista', receivables }));
    await write('large.zip', invoiceZip(receivables));
    const worker = await installation.startWorker();
    const words = ['--input', 'large.rem', '--xmls', 'large.zip', '--out', 'out', '--json'];
    const { code, stdout, stderr } = await installation.run(['credit', 'analyze', ...words]);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const shown = JSON.parse(stdout) as Shown;
    expect(shown.outcome).toMatchObject({
      status: 'completed',
      result: { contradictions: [], summary: { receivables } },
    });
    const sheet = await readFile(join(shown.folder, 'titulos.csv'), 'utf8');
    expect(sheet.trimEnd().split('\n')).toHaveLength(receivables + 1);
    expect(peakMib(worker.pid)).toBeLessThan(mostMib);
    expect(await eventsOf(shown)).toBeLessThan(mostEvents);
  }, 300_000);

  test('each recovery from a worker that is killed adds few events', async () => {
    await write('killed.rem', cnabFile({ bank: 'paulista', receivables: 60 }));
    const words = ['credit', 'analyze', '--input', 'killed.rem', '--json'];
    const { result } = installation.begin(words);
    const calls = () =>
      installation.sandbox.credit.counts().find(({ fileName }) => fileName === 'killed.rem');
    await eventually('it is waited for', () => (calls()?.polls ?? 0) > 0);
    await installation.stopWorkers('SIGKILL');
    await installation.startWorker();
    await eventually('its result is fetched', () => (calls()?.results ?? 0) > 0);
    await installation.stopWorkers('SIGKILL');
    await installation.startWorker();
    const { code, stdout } = await result;
    expect(code).toBe(0);
    expect(calls()?.started).toBe(1);
    const recoveries = 2;
    expect(await eventsOf(JSON.parse(stdout) as Shown)).toBeLessThan(
      mostEvents + recoveries * mostEventsMoreForEachRecovery,
    );
  }, 180_000);
});
