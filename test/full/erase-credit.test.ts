import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storeIn } from '../support/temporary-store';
import type { StoredAuditRecord } from '../../src/store/audit/read';
import { impersonalKeys, kindOf } from '../../src/store/erasure/catalog';
import { punctuateDocument } from '../../src/domain/core/documents/documents';
import { cnabFile, testAssignor, testReceivable } from '../support/cnab-files';
import { CreditInstallation, sheetRows, type ShownAnalysis } from '../support/credit-installation';
import { eventually } from '../support/diligence-process';
import { invoiceXml, testInvoice } from '../support/invoice-files';
import { zipFile } from '../support/zip-files';

const { payer, payerName } = testReceivable(3);
const otherPayer = testReceivable(4).payer;
const forms = [payer, punctuateDocument(payer), payerName];

describe('erasure of analyses', () => {
  let place: CreditInstallation;
  const store = () => storeIn(place.folder);
  const erase = (...words: string[]) =>
    place.installation.run(['erase', '--reason', 'a test', '--json', '--yes', ...words]);

  beforeEach(async () => {
    place = await CreditInstallation.start({
      scenario: { credit: { files: { 'lost.rem': { upload: ['reset_after'] } } } },
    });
  }, 60_000);
  afterEach(() => place.stop(), 60_000);

  const keysOnDisk = (): Promise<string[]> => store().records.list('');

  /** What holds any of the words: keys of the store, and files as they lie there. */
  async function hits(words: readonly string[]): Promise<string[]> {
    const holds = (text: Buffer | string): boolean => words.some((word) => text.includes(word));
    const found: string[] = [];
    for (const key of await keysOnDisk()) {
      const body = (await store().records.get(key)) ?? '';
      if (holds(body) || holds(key)) found.push(key);
    }
    if (found.length > 0) return found;
    const root = join(place.folder, 'data', 'store');
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && holds(await readFile(path))) found.push(path);
    }
    return found;
  }

  async function analysed(name: string, receivables: number): Promise<ShownAnalysis> {
    await place.write(name, cnabFile({ bank: 'paulista', receivables }));
    const { shown, stderr } = await place.analyze(name);
    if (shown === null) throw new Error(stderr);
    return shown;
  }

  test('of a payer leaves the books of an analysis and nothing that tells of the payer', async () => {
    const invoice = testInvoice({ recipient: payer });
    await place.write('a.zip', zipFile([{ name: 'a.xml', content: invoiceXml(invoice) }]));
    await place.write('a.rem', cnabFile({ bank: 'paulista', receivables: 60 }));
    const { shown } = await place.analyze('a.rem', '--xmls', 'a.zip');
    expect(shown?.outcome.status).toBe('completed');
    const before = await sheetRows(shown?.folder ?? '', 'titulos.csv');
    const held = await hits(forms);
    // The ZIP is packed: what it holds cannot be searched for, and must go all the same.
    expect(held.some((key) => key.startsWith('inputs/'))).toBe(true);
    expect(held.filter((key) => key.startsWith('operations/'))).not.toEqual([]);

    const shownPlan = await place.installation.run(['erase', '--document', payer, '--dry-run']);
    expect(shownPlan).toMatchObject({ code: 0, stdout: expect.stringContaining('in part') });
    expect(await hits(forms)).toEqual(held);
    const done = await erase('--document', punctuateDocument(payer));
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(done.stdout)).toMatchObject({
      rows: 2,
      workflows: [(shown?.id ?? '').replace(/\/[^/]+$/, '')],
    });

    expect(await hits(forms)).toEqual([]);
    expect((await keysOnDisk()).filter((key) => key.startsWith('inputs/'))).toEqual([]);
    const again = await place.installation.run(['result', shown?.id ?? '', '--out', 'after']);
    expect(again.code).toBe(0);
    const after = await sheetRows(join(place.folder, 'after'), 'titulos.csv');
    expect(after).toHaveLength(60);
    const documentOf = ({ sacado_cnpj_cpf: document }: Record<string, string>) => document;
    expect(before.filter((row) => documentOf(row) === payer)).toHaveLength(2);
    for (const row of after.filter((one) => documentOf(one) !== ''))
      expect(before).toContainEqual(row);
    expect(after.filter((row) => documentOf(row) === '')).toHaveLength(2);
    const strange = (await keysOnDisk()).filter(
      (key) => kindOf('record', key) === null && !impersonalKeys.test(key),
    );
    expect(strange).toEqual([]);
    // What was bought is never bought again, and asking again stores nothing of the payer.
    expect((await place.analyze('a.rem', '--xmls', 'a.zip')).stderr).toContain(
      'is shown as it stands',
    );
    expect(place.started('a.rem')).toBe(1);
    expect(await hits(forms)).toEqual([]);
  }, 180_000);

  test('of an assignor, of a batch or by age takes them as a whole', async () => {
    await mkdir(join(place.folder, 'files'));
    for (const receivables of [5, 6]) {
      const bytes = cnabFile({ bank: 'paulista', receivables });
      await place.write(join('files', `${testAssignor.document}-${receivables}.rem`), bytes);
    }
    const words = ['credit', 'analyze', '--input', 'files', '--json'];
    const batch = await place.installation.run(words);
    expect(batch.code).toBe(0);
    expect((await erase('--older-than', '0s', '--class', 'results')).code).toBe(0);
    expect((await keysOnDisk()).filter((key) => key.startsWith('operations/'))).toEqual([]);
    expect((await erase('--older-than', '0s', '--class', 'inputs')).code).toBe(0);
    expect((await keysOnDisk()).filter((key) => key.startsWith('inputs/'))).toEqual([]);
    const done = await erase('--document', testAssignor.document);
    expect(done).toMatchObject({ code: 0 });
    expect(await hits([testAssignor.document, testAssignor.name])).toEqual([]);

    const { id } = JSON.parse(batch.stdout) as { id: string };
    const whole = await erase('--job', id);
    expect(whole).toMatchObject({ code: 0 });
    const left = (await keysOnDisk()).filter((key) => kindOf('record', key) !== null);
    expect(left).toEqual([]);
    const client = await place.installation.client();
    await eventually('the engine has forgotten the batch', async () => {
      for await (const { workflowId } of client.workflow.list()) {
        if (workflowId.startsWith('credit')) return false;
      }
      return true;
    });
  }, 180_000);

  test('is refused while nobody knows whether it was bought; the audit trail tells all of it', async () => {
    const lost = await analysed('lost.rem', 7);
    expect(lost.outcome.status).toBe('unknown_outcome');
    const refused = await erase('--document', testAssignor.document);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`diligence inbox show ${lost.id.replace(/\/[^/]+$/, '')}\``),
    });
    const operationId =
      place.sandbox.credit.received().find(({ fault }) => fault === 'reset_after')?.id ?? '';
    const adopt = ['--action', 'adopt', '--external-id', operationId, '--note', `as ${payer} says`];
    const adopted = await place.installation.run([
      'resolve',
      lost.id,
      ...adopt,
      '--json',
      '--by',
      'Bia',
    ]);
    expect(adopted.code).toBe(0);
    const { continuation: id } = JSON.parse(adopted.stdout) as { continuation: string };
    expect((await erase('--job', id.replace(/\/[^/]+$/, ''))).code).toBe(0);
    expect((await keysOnDisk()).filter((key) => kindOf('record', key) !== null)).toEqual([]);

    const { stdout } = await place.installation.run(['audit', 'export', '--format', 'json']);
    const told = (JSON.parse(stdout) as StoredAuditRecord[]).map((record) => {
      const { kind, result, by, job, sha256 = null, details = {} } = record;
      const its = details['operationId'] ?? details['externalId'] ?? null;
      return [kind, result, by, job, its, sha256 !== null];
    });
    // Each name in an id is a number now, that leads to nothing.
    const [first, then] = [lost.id, id].map((one) => {
      const [, name = '', instant = ''] = one.split('/');
      expect(stdout).not.toContain(name);
      return expect.stringMatching(new RegExp(`^credit/[0-9a-f]{32}/${instant}$`)) as string;
    });
    expect(told).toEqual([
      ['decision', 'start', 'tester', first, null, false],
      ['request', 'unknown', 'tester', first, null, false],
      ['outcome', 'unknown_outcome', 'tester', first, null, false],
      ['decision', 'adopt', 'Bia', first, operationId, false],
      ['decision', 'start', 'Bia', then, null, false],
      ['outcome', 'completed', 'Bia', then, operationId, true],
      ['erasure', 'erased', 'tester', undefined, null, false],
    ]);
    expect(stdout).not.toMatch(new RegExp(`${payer}|${otherPayer}|${testAssignor.document}`));
  }, 180_000);
});
