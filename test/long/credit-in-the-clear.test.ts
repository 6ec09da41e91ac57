import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storeIn, tamperWith } from '../support/temporary-store';
import type { ScenarioInput } from '../../src/sandbox';
import { queueName, queueSuffix } from '../../src/domain/core/queues';
import { punctuateDocument } from '../../src/domain/core/documents/documents';
import { WorkflowNotFoundError } from '@temporalio/client';
import { cnabFile, testAssignor, testReceivable, type TestReceivable } from '../support/cnab-files';
import { CreditInstallation, sheetRows } from '../support/credit-installation';
import type { CommandResult } from '../support/diligence-process';
import { cnpj, cpf } from '../support/documents';
import {
  everythingHeld,
  findings,
  openedHistories,
  storedBytes,
  storedTexts,
  type Confidential,
  type Held,
} from '../support/everything-held';
import { sized } from '../support/full-size';
import { invoiceKey, invoiceXml, testInvoice } from '../support/invoice-files';
import { zipFile } from '../support/zip-files';

/** The one that the sandbox takes. */
const creditToken = 'credit-sandbox-token';
const engineName = 'MOTOR SIGILOSO DA MESA';
const plantedName = 'ESTEVES PLANTADO LTDA';
const person = cpf(4_711);
/** Those in trouble, and two that go well. */
const files = sized(8, 20);

const trouble: ScenarioInput = {
  credit: {
    analysis: { waitingMs: [20, 100], processingMs: [50, 400], distribution: 'uniform' },
    background: {
      rate: 0.15,
      kinds: ['429', '503', '500_html', '502', 'reset_before', 'reset_after', 'cut_answer', '401'],
    },
    files: {
      'f-0.rem': { upload: ['reset_after'] },
      'f-1.rem': { end: 'failed' },
      'f-2.rem': { upload: ['413'] },
      'f-3.rem': { upload: ['500_html_after'] },
      'f-4.rem': { result: [{ kind: 'wrong_summary', times: 'forever' }] },
      'f-5.rem': { result: ['cut_answer', 'unreadable_2xx'] },
    },
  },
};

/** Payers of its own for each file, so that a document points at what has told it. */
function receivablesOf(file: number): TestReceivable[] {
  return Array.from({ length: 20 }, (_, index) => ({
    ...testReceivable(index),
    payer: index % 4 === 3 ? cpf(60_000 + 100 * file + index) : cnpj(60_000 + 100 * file + index),
    payerName: `COMPRADORA SIGILOSA ${file} ${index} SA`,
    // Overdue here and there: rules that strike quote values and documents.
    due: index % 5 === 0 ? '010120' : testReceivable(index).due,
  }));
}

async function fillFolder(place: CreditInstallation): Promise<Confidential> {
  await mkdir(join(place.folder, 'files'));
  const documents = new Set<string>([testAssignor.document, person]);
  const names = new Set<string>([testAssignor.name, plantedName, engineName]);
  for (let file = 0; file < files; file += 1) {
    const receivables = receivablesOf(file);
    for (const { payer, payerName } of receivables) {
      documents.add(payer);
      names.add(payerName);
    }
    const [first] = receivables;
    const invoice = testInvoice({ recipient: first?.payer ?? '', number: 1 });
    const xmls = zipFile([{ name: `${invoice.key}.xml`, content: invoiceXml(invoice) }]);
    await place.write(join('files', `f-${file}.zip`), xmls);
    await place.write(join('files', `f-${file}.rem`), cnabFile({ bank: 'paulista', receivables }));
  }
  const key = invoiceKey({ issuer: testAssignor.document, number: 1 });
  return { documents, names, tokens: [creditToken, key] };
}

/** Analyses, decisions, refusals, and what a client could put into the engine by itself. */
async function runEverything(place: CreditInstallation): Promise<Held[]> {
  const ended: CommandResult[] = [];
  const run = async (...args: string[]): Promise<CommandResult> => {
    const result = await place.installation.run(args);
    ended.push(result);
    return result;
  };
  await place.write('rules.json', Buffer.from(JSON.stringify({ note: plantedName })));
  await run('engine', 'create', '--name', engineName, '--rules', 'rules.json');
  await run('engine', 'list');
  const batch = await run('credit', 'analyze', '--input', 'files', '--concurrency', '4', '--json');
  const { folder } = JSON.parse(batch.stdout) as { folder: string };
  const lines = await sheetRows(folder, 'results.csv');
  expect(lines).toHaveLength(files);
  expect(new Set(lines.map(({ status }) => status)).size).toBeGreaterThan(2);
  const note = `asked for by ${plantedName}, ${punctuateDocument(person)}`;
  for (const { id = '', status } of lines.filter((line) => line.status === 'unknown_outcome')) {
    expect(status).toBe('unknown_outcome');
    const decided = ['--action', 'abandon', '--note', note];
    expect((await run('resolve', id, ...decided)).code).toBe(0);
  }
  await run('credit', 'check', join('files', 'f-0.rem'), '--xmls', join('files', 'f-0.zip'));
  // Told by its error: an engine that does not exist, a file that is none.
  await run('credit', 'analyze', '--input', join('files', 'f-0.zip'));
  const analyze = ['credit', 'analyze', '--input', join('files', 'f-1.rem')];
  await run(...analyze, '--xmls', join('files', 'f-1.zip'));
  for (const { id = '' } of lines.slice(0, 6)) await run('show', id);
  await run('list');
  await run('cancel', lines[0]?.['id'] ?? '');
  await plant(place);
  return ended.map(({ stderr }, index) => ({
    place: `standard error of command ${index + 1}`,
    bytes: Buffer.from(stderr),
  }));
}

/** A work that is not on file: the activity fails, and its failure and memo quote what it was given. */
async function plant({ installation, folder }: CreditInstallation): Promise<void> {
  const client = await installation.client();
  const suffix = queueSuffix(storeIn(folder));
  const text = `${plantedName} ${person} ${testAssignor.document} ${creditToken}`;
  const open = await client.workflow.start('analyzeCredit', {
    workflowId: 'planted',
    taskQueue: queueName('workflows', suffix),
    args: [
      {
        ref: { jobId: text, folder: `analyses/${text}` },
        deadlineAt: Date.now() + 3_000,
        queueSuffix: suffix,
      },
    ],
    memo: { text },
  });
  await open.signal('control', { text });
  const told = { message: expect.anything() as unknown };
  await expect(open.query('noSuchQuery', text)).rejects.toMatchObject(told);
  // It may have ended by itself.
  await open.terminate(undefined).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}

async function logsAndMetrics({ installation, folder }: CreditInstallation): Promise<Held[]> {
  const log = await installation.workerLog();
  expect(log).toContain('"level":"debug"');
  const [, address] = /"address":"([^"]+)","msg":"serving/.exec(log) ?? [];
  if (address === undefined) throw new Error('the worker serves no metrics');
  const page = await (await fetch(`http://${address}/metrics`)).text();
  expect(page).toContain('diligence_');
  return [
    { place: 'log of the server', bytes: await readFile(join(folder, 'server.log')) },
    { place: 'log of the worker', bytes: Buffer.from(log) },
    { place: 'metrics', bytes: Buffer.from(page) },
  ];
}

/** Objects of the store, as they lie there. */
async function stored({ folder }: CreditInstallation): Promise<Held[]> {
  // What was planted is in the name of an object, which is never sealed.
  await tamperWith(folder, 'DELETE FROM record WHERE key LIKE ?', `analyses/${plantedName}%`);
  await tamperWith(folder, 'PRAGMA wal_checkpoint(TRUNCATE)');
  return storedBytes(folder);
}

function installed(): Promise<CreditInstallation> {
  return CreditInstallation.start({
    scenario: trouble,
    alone: true,
    env: { DILIGENCE_METRICS_ADDRESS: '127.0.0.1:0' },
  });
}

describe('what the engine holds of analyses, and what is logged and told', () => {
  let place: CreditInstallation;

  afterEach(() => place.stop(), 60_000);

  test(`of ${files} files with faults: no document, name, key or token; nor in the store`, async () => {
    place = await installed();
    const confidential = await fillFolder(place);
    const told = await runEverything(place);
    const held = await everythingHeld(place.installation);
    expect(held.map((one) => one.place)).toEqual(
      expect.arrayContaining(['temporal.db', 'history of planted']),
    );
    expect(
      held.filter((one) => one.place.startsWith('history of credit/')).length,
    ).toBeGreaterThanOrEqual(files);
    const all = [...held, ...told, ...(await logsAndMetrics(place)), ...(await stored(place))];
    expect(findings(all, confidential)).toEqual([]);
    // The same search finds all of it with the keys.
    const opened = findings(await openedHistories(place.installation), confidential);
    for (const kind of ['documents', 'names', 'tokens']) {
      expect(opened.join('\n')).toMatch(new RegExp(`^history of planted: \\d+ ${kind}, `, 'm'));
    }
    expect(
      findings(await storedTexts(place.folder, storeIn(place.folder)), confidential),
    ).not.toEqual([]);
  }, 600_000);
});
