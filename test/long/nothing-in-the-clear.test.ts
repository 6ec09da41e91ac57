import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { queueName, queueSuffix } from '../../src/domain/core/queues';
import { punctuateDocument } from '../../src/domain/core/documents/documents';
import { everyFault } from '../support/batch-account';
import {
  Installation,
  eventually,
  readSheetLines,
  sandboxToken,
  type CommandResult,
} from '../support/diligence-process';
import { cnpj, cpf, sheetOf } from '../support/documents';
import {
  everythingHeld,
  findings,
  openedHistories,
  storedBytes,
  storedTexts,
  type Confidential,
  type Held,
} from '../support/everything-held';
import { storeIn } from '../support/temporary-store';
import { sized } from '../support/full-size';

const batchRows = sized(80, 1_000);
/** Of the batch that is cancelled. */
const moreRows = sized(60, 200);

const trouble = {
  issuance: { waitingMs: [20, 100], processingMs: [100, 1_500], distribution: 'lognormal' },
  latencyMs: [0, 10],
  background: { rate: 0.1, kinds: everyFault },
} as const;

const person = cpf(4_711);
const company = cnpj(900_000);
const plantedName = 'ESTEVES PLANTADO LTDA';

/** All that a client could put into an engine, with what must not be read there in each of it. */
async function plant(place: Installation): Promise<void> {
  const client = await place.client();
  const suffix = queueSuffix(storeIn(place.folder));
  const taskQueue = queueName('workflows', suffix);
  const text = `${plantedName} ${person} ${punctuateDocument(company)} token=${sandboxToken}`;
  // A folder that the store does not hold: the failure of the activity names it.
  const folder = `works/${company}?token=${sandboxToken}`;
  const list = { folder, items: 1, outcomesIn: folder };
  const terms = { interactive: true, queueSuffix: suffix, rowDeadlineMs: 1_000 };
  const handle = await client.workflow.start('certificateResolve', {
    workflowId: 'planted',
    taskQueue,
    args: [{ jobId: text, list, decision: 1, terms, concurrency: 1 }],
    memo: { text },
  });
  const told = { message: expect.anything() as unknown };
  await expect(handle.result()).rejects.toMatchObject(told);

  const open = await client.workflow.start('noSuchWorkflow', {
    workflowId: 'planted-open',
    taskQueue,
    args: [text],
  });
  await open.signal('control', { text });
  await expect(open.query('rowsProgress', text)).rejects.toMatchObject(told);
  await open.terminate();
}

/** What a batch and its commands leave behind, and what a caller could add. */
async function runEverything(
  place: Installation,
  rows: number,
): Promise<{ told: Held[]; confidential: Confidential }> {
  const ended: CommandResult[] = [];
  const run = async (...args: string[]): Promise<CommandResult> => {
    const result = await place.run(args);
    ended.push(result);
    return result;
  };
  const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out', '--json'];
  const main = await run(...batch, '--deadline', '5m');
  expect(main.code).toBe(3);
  const { id } = JSON.parse(main.stdout) as { id: string };
  await run('certificate', 'issue', '--type', 'trabalhista', '--document', person, '--out', 'one');

  const broken = await run('certificate', 'batch', '--input', 'more.csv', '--detach', '--json');
  const more = (JSON.parse(broken.stdout) as { id: string }).id;
  await run('pause', more);
  // An update that the work refuses.
  expect((await run('pause', more)).code).toBe(1);
  await run('cancel', more, '--now');
  await eventually('the cancelled batch ends', async () => {
    const { stdout } = await place.run(['show', more, '--json']);
    return (JSON.parse(stdout) as { progress: unknown }).progress === null;
  });
  const note = `asked for by ${plantedName}, ${punctuateDocument(person)}`;
  const decide = ['resolve', id, '--action', 'abandon'];
  await run(...decide, '--status', 'unknown_outcome', '--note', note);
  await run('result', id, '--out', 'out');
  expect((await run('cancel', id)).code).toBe(1);
  await run('show', id);
  await plant(place);

  const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));
  expect(lines).toHaveLength(rows);
  const names = new Set(lines.map((line) => line.official_name).filter((name) => name !== ''));
  expect(names.size).toBeGreaterThan(10);
  const told = ended.map(({ stderr }, index) => ({
    place: `standard error of command ${index + 1}`,
    bytes: Buffer.from(stderr),
  }));
  const documents = new Set([...lines.map(({ document }) => document), person, company]);
  return {
    told: [...told, ...(await logs(place)), ...(await metricsPages(place))],
    confidential: { documents, names: names.add(plantedName), tokens: [sandboxToken] },
  };
}

async function logs(place: Installation): Promise<Held[]> {
  const server = await readFile(join(place.folder, 'server.log'));
  const worker = Buffer.from(await place.workerLog());
  expect(worker.includes('"level":"debug"')).toBe(true);
  return [
    { place: 'log of the server', bytes: server },
    { place: 'log of the worker', bytes: worker },
  ];
}

async function metricsPages(place: Installation): Promise<Held[]> {
  const [, address] = /"address":"([^"]+)","msg":"serving/.exec(await place.workerLog()) ?? [];
  if (address === undefined) throw new Error('the worker serves no metrics');
  const page = await fetch(`http://${address}/metrics`);
  const text = await page.text();
  expect(text).toContain('diligence_');
  return [{ place: 'metrics', bytes: Buffer.from(text) }];
}

async function installed(rows: number): Promise<Installation> {
  const place = await Installation.startAlone(trouble as never, {
    DILIGENCE_METRICS_ADDRESS: '127.0.0.1:0',
  });
  await place.startWorker();
  await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  await writeFile(join(place.folder, 'more.csv'), sheetOf(moreRows, 500_000));
  return place;
}

describe('what the engine and the store hold, and what is logged and told', () => {
  let place: Installation;

  afterEach(() => place.stop(), 60_000);

  test(`of ${batchRows} rows with 10 % faults and all that is done about them: no document, name or token`, async () => {
    place = await installed(batchRows);
    const { told, confidential } = await runEverything(place, batchRows);
    const held = await everythingHeld(place);
    const places = held.map((one) => one.place);
    expect(places).toEqual(expect.arrayContaining(['temporal.db', 'history of planted']));
    expect(held.length).toBeGreaterThan(20);
    const stored = await storedBytes(place.folder);
    expect(stored.map((one) => one.place).join()).toMatch(/store\.db-wal.*|blobs/);
    expect(findings([...held, ...stored, ...told], confidential)).toEqual([]);
    // The same search finds all of it with the keys.
    const opened = findings(await openedHistories(place), confidential);
    for (const kind of ['documents', 'names', 'tokens']) {
      expect(opened.join('\n')).toMatch(new RegExp(`^history of planted: \\d+ ${kind}, `, 'm'));
    }
    const texts = findings(await storedTexts(place.folder, storeIn(place.folder)), confidential);
    for (const kind of ['documents', 'names']) {
      expect(texts.join('\n')).toMatch(new RegExp(`: \\d+ ${kind}, `));
    }
  }, 900_000);
});
