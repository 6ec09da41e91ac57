import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../../src/store/open-store';
import { inFolder, storeIn, testPayloadKeys } from '../support/temporary-store';
import { impersonalKeys, kindOf } from '../../src/store/erasure/catalog';
import { erase } from '../../src/store/erasure/erasures';
import { ErasurePlanner } from '../../src/store/erasure/planner';
import { IdKey } from '../../src/protection/id-key';
import { punctuateDocument } from '../../src/domain/core/documents/documents';
import { KeyRing } from '../../src/protection/key-ring';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, cpf, sheetOf } from '../support/documents';
import { storedTexts } from '../support/everything-held';

const calm = { waitingMs: [20, 50], processingMs: [50, 200], distribution: 'uniform' } as const;
const person = cnpj(1);
const name = 'PANIFICADORA IRREPETIVEL DO TESTE LTDA';
const forms = [person, punctuateDocument(person), name];

interface Erased {
  exitCode: number;
  key: string;
  rows: number;
  workflows: string[];
}

describe('erase', () => {
  let place: Installation;
  const store = () => storeIn(place.folder);
  const idOf = (stdout: string): string => (JSON.parse(stdout) as { id: string }).id;
  const sheet = (folder: string) => readSheetLines(join(place.folder, folder, 'results.csv'));
  const eraseNow = (...words: string[]) =>
    place.run(['erase', '--reason', 'a test', '--json', '--yes', ...words]);

  async function batch(file: string, text: string, ...words: string[]) {
    await writeFile(join(place.folder, file), text);
    const out = `out-${file}`;
    const done = await place.run([
      'certificate',
      'batch',
      '--input',
      file,
      '--out',
      out,
      '--json',
      ...words,
    ]);
    return { id: idOf(done.stdout), out, code: done.code };
  }

  const keysOnDisk = (): Promise<string[]> => store().records.list('');

  /** What holds any of the words: keys of the store, and files as they lie there. */
  async function hits(words: readonly string[]): Promise<string[]> {
    const holds = (text: Buffer | string): boolean => words.some((word) => text.includes(word));
    const found: string[] = [];
    for (const { place: where, bytes } of await storedTexts(place.folder, store())) {
      if (holds(bytes) || holds(where)) found.push(where);
    }
    for (const key of await keysOnDisk()) {
      if (holds((await store().records.get(key)) ?? '')) found.push(key);
    }
    if (found.length > 0) return found;
    const root = join(place.folder, 'data', 'store');
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && holds(await readFile(path))) found.push(path);
    }
    return found;
  }

  beforeEach(async () => {
    place = await Installation.start({
      issuance: calm,
      documents: {
        [person]: {
          pdf: [{ kind: 'not_a_pdf', times: 1 }],
          result: { nome_oficial: name, nome_base: name, titular: { nome: name } },
        },
        [cnpj(3)]: { request: [{ kind: '400_refused', times: 2 }] },
      },
    } as never);
    await place.startWorkerHere();
  }, 60_000);

  afterEach(() => place.stop(), 60_000);

  test('of a document leaves nothing of it anywhere, and every other row as it was', async () => {
    const first = await batch(
      'first.csv',
      [
        'documento,tipo,referencia',
        `${person},cnpj,R1`,
        `${cnpj(2)},cnpj,"ask ${punctuateDocument(person)}"`,
        `${cnpj(3)},cnpj,R3`,
        `${punctuateDocument(person)},cnpj,R4`,
        `${person},trabalhista,R5`,
        `"CNPJ ${punctuateDocument(person)} (matriz)",cnpj,R6`,
        `${punctuateDocument(person)},other,R7`,
        `${cpf(5)},trabalhista,R8`,
        '',
      ].join('\n'),
    );
    const second = await batch('second.csv', `${sheetOf(4)}${cnpj(9)},cnpj,R9\n`, '--rerun');
    const alone = ['certificate', 'issue', '--type', 'cnpj', '--document', person, '--rerun'];
    expect((await place.run(alone)).code).toBe(0);
    const note = ['--note', `${name}, ${person}, is refused`];
    const refused = ['--status', 'failed', '--action', 'abandon'];
    await place.run(['resolve', first.id, ...refused, ...note]);
    await place.run(['result', first.id, '--out', 'before']);
    const before = await sheet('before');
    const held = await hits(forms);
    for (const where of ['batch_row/["works/', 'fact/', 'outcome/', 'pdf/', 'inputs/']) {
      expect(held.filter((key) => key.startsWith(where))).not.toEqual([]);
    }
    const asides = (await keysOnDisk()).filter((key) => key.startsWith('aside/'));
    expect(asides).not.toEqual([]);

    const shown = await place.run(['erase', '--document', person, '--dry-run', '--json']);
    expect(shown.code).toBe(0);
    expect(await hits(forms)).toEqual(held);
    const done = await eraseNow('--document', punctuateDocument(person));
    expect(done).toMatchObject({ code: 0, stderr: '' });

    expect(await hits(forms)).toEqual([]);
    expect((await keysOnDisk()).filter((key) => key.startsWith('aside/'))).toEqual([]);
    const told = JSON.parse(done.stdout) as Erased;
    const auditHead = expect.stringMatching(/^\d+-[0-9a-f]{32}$/);
    expect(told).toMatchObject({ rows: 7, objects: expect.any(Number), auditHead });
    const plan = JSON.parse(shown.stdout) as { rows: number; objects: { removed: number }[] };
    expect(plan.rows).toBe(told.rows);
    const record = await store().records.getJson(told.key);
    expect(record).toMatchObject({ by: 'tester', reason: 'a test' });

    await place.run(['result', first.id, '--out', 'after']);
    const after = await sheet('after');
    expect(after.map(({ status }) => status)).toEqual([
      'erased',
      'issued',
      'cancelled',
      'erased',
      'erased',
      'erased',
      'erased',
      'issued',
    ]);
    for (const line of [2, 7])
      expect(after[line]).toMatchObject({ ...before[line], note: expect.any(String) });
    expect(after[1]).toEqual({ ...before[1], reference: 'ask [erased]' });
    expect(after[0]).toMatchObject({
      document: '',
      official_name: '',
      certidao_id: '',
      reference: '',
    });
    const stands = await place.run(['show', first.id, '--json']);
    expect(JSON.parse(stands.stdout)).toMatchObject({
      outcome: {
        total: 8,
        counts: { erased: 5, issued: 2, cancelled: 1, duplicate: 0, invalid: 0 },
      },
    });
    await place.run(['result', second.id, '--out', second.out]);
    const others = (await sheet(second.out)).map(({ status }) => status);
    expect(others).toEqual(['erased', 'issued', 'failed', 'issued', 'issued']);

    const again = await eraseNow('--document', person);
    expect(JSON.parse(again.stdout)).toMatchObject({ found: false });
    const decided = await place.run([
      'resolve',
      second.id,
      '--status',
      'failed',
      '--action',
      'reissue',
      '--note',
      'n',
    ]);
    expect(decided.code).toBe(0);
    await place.run(['result', second.id, '--out', 'redone']);
    const redone = (await sheet('redone')).map(({ status }) => status);
    expect(redone).toEqual(['erased', 'issued', 'issued', 'issued', 'issued']);
  }, 300_000);

  test('every object of the store is in the table of what is kept about people, or tells of nobody', async () => {
    await batch('input.csv', sheetOf(4));
    const strange = (await keysOnDisk()).filter(
      (key) => kindOf('record', key) === null && !impersonalKeys.test(key),
    );
    expect(strange).toEqual([]);
  }, 120_000);

  test('of a batch takes what no other work shares, and its workflows', async () => {
    const first = await batch('first.csv', sheetOf(4));
    const second = await batch('second.csv', sheetOf(2, 1), '--label', 'other');
    await place.run(['erase', '--job', first.id, '--dry-run']);
    const done = await eraseNow('--job', first.id);
    expect(done.code).toBe(0);
    const { workflows } = JSON.parse(done.stdout) as Erased;
    expect(workflows).toEqual(expect.arrayContaining([first.id, `${first.id}/lane-0000`]));
    expect(await hits([cnpj(4)])).toEqual([]);
    expect((await place.run(['show', first.id])).code).toBe(1);
    await place.run(['result', second.id, '--out', 'after']);
    const rows = await sheet('after');
    expect(rows.map(({ document }) => document)).toEqual([cnpj(1), cnpj(2)]);
    expect(rows.every(({ pdf }) => pdf !== '')).toBe(true);
    const client = await place.client();
    await eventually('the engine has forgotten it', async () => {
      const known = client.workflow.getHandle(first.id).describe();
      return known.then(
        () => false,
        () => true,
      );
    });
  }, 120_000);

  test('refuses what runs, what may have been bought, and what is asked for wrongly', async () => {
    await writeFile(join(place.folder, 'long.csv'), sheetOf(300, 100));
    const started = await place.run([
      'certificate',
      'batch',
      '--input',
      'long.csv',
      '--concurrency',
      '2',
      '--detach',
    ]);
    const id = started.stdout.trim();
    for (const target of [
      ['--job', id],
      ['--document', cnpj(100)],
    ]) {
      expect(await eraseNow(...target)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${id} is still running`),
      });
    }
    await place.run(['cancel', id, '--now']);

    place.sandbox.configure({ documents: { [cnpj(7)]: { request: ['reset_after'] } } } as never);
    const issued = await place.run([
      'certificate',
      'issue',
      '--type',
      'cnpj',
      '--document',
      cnpj(7),
    ]);
    expect(issued.code).toBe(3);
    expect(await eraseNow('--document', cnpj(7))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('diligence resolve certificate/cnpj/'),
    });

    const usage = [
      ['--document', '123', '--dry-run'],
      ['--document', person],
      ['--document', person, '--reason', 'x'],
      ['--older-than', '1d', '--dry-run'],
      ['--job', id, '--document', person, '--dry-run'],
    ];
    for (const words of usage) expect((await place.run(['erase', ...words])).code).toBe(2);
  }, 120_000);

  test('by age takes the class and leaves claims, rows and the other classes', async () => {
    const { id, out } = await batch('input.csv', sheetOf(4));
    const before = await sheet(out);
    const bought = await store().attempts.subjects('');

    const young = await eraseNow('--older-than', '1d', '--class', 'pdf');
    expect(JSON.parse(young.stdout)).toMatchObject({ found: false });
    expect((await eraseNow('--older-than', '0s', '--class', 'pdf')).code).toBe(0);
    expect((await keysOnDisk()).filter((key) => key.startsWith('pdf/'))).toEqual([]);
    await place.run(['result', id, '--out', 'without-pdf']);
    const withoutPdf = await sheet('without-pdf');
    expect(withoutPdf[0]).toEqual({ ...before[0], pdf: '', note: 'PDF erased' });

    expect((await eraseNow('--older-than', '0s', '--class', 'inputs')).code).toBe(0);
    expect((await keysOnDisk()).filter((key) => key.startsWith('inputs/'))).toEqual([]);
    expect((await eraseNow('--older-than', '0s', '--class', 'results')).code).toBe(0);
    await place.run(['result', id, '--out', 'without-results']);
    expect((await sheet('without-results'))[0]).toMatchObject({
      status: 'issued',
      document: before[0]?.document,
      certidao_id: before[0]?.certidao_id,
      official_name: '',
      note: expect.stringContaining('results erased'),
    });
    expect(bought).not.toEqual([]);
    expect(await store().attempts.subjects('')).toEqual(bought);
  }, 120_000);

  test('cut short anywhere, the same command finishes it', async () => {
    const { id } = await batch('input.csv', `${sheetOf(4)}${person},trabalhista,R9\n`);
    const idKey = IdKey.parse(await readFile(join(place.folder, 'data', 'id-key'), 'utf8'));
    for (const step of ['commit', 'removeBlobs'] as const)
      await cutShort(join(place.folder, 'data', 'store'), idKey, step);
    const done = await eraseNow('--document', person);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('was not finished') });
    expect(await hits(forms)).toEqual([]);
    const { key } = JSON.parse(done.stdout) as Erased;
    const record = await store().records.getJson<{ objects: { kind: string }[] }>(key);
    const kinds = record?.objects.map(({ kind }) => kind);
    for (const kind of ['pdf', 'issuance', 'attempts', 'rows', 'outcomes', 'index']) {
      expect(kinds).toContain(kind);
    }
    expect((await place.run(['result', id, '--out', 'after'])).code).toBe(3);
    expect((await sheet('after'))[0]).toMatchObject({ status: 'erased' });
  }, 120_000);
});

/** Erases the person in this process, and is cut short before its transaction or right behind it. */
async function cutShort(
  folder: string,
  idKey: IdKey,
  step: 'commit' | 'removeBlobs',
): Promise<void> {
  const store = await openStore(inFolder(folder), idKey, { keys: KeyRing.parse(testPayloadKeys) });
  const planner = new ErasurePlanner(store, (text) => idKey.nameOf('document', text));
  const plan = await planner.ofDocument(person);
  expect(plan.draft.size).toBeGreaterThan(8);
  store[step] = (): Promise<never> => Promise.reject(new Error('cut short'));
  const order = {
    by: 'tester',
    reason: 'a test',
    startedAt: new Date().toISOString(),
    runs: [],
    macOf: (text: string) => idKey.macOf(text),
    deleteRuns: () => Promise.resolve(),
  };
  await expect(erase(store, plan, order)).rejects.toThrow('cut short');
}
