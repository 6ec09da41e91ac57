import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

let place: Installation;

beforeAll(async () => {
  place = await Installation.start({
    issuance: { waitingMs: [20, 50], processingMs: [100, 400], distribution: 'uniform' },
  } as never);
  await place.startWorkerHere();
}, 60_000);

afterAll(() => place.stop(), 60_000);

const started = (): number[] => place.sandbox.counts().map((count) => count.started);

const batch = (input: string, out: string, ...more: string[]): string[] => [
  'certificate',
  'batch',
  '--input',
  input,
  '--out',
  out,
  '--json',
  ...more,
];

test('what runs out is listed, and issued again once', async () => {
  const documents = [8_001, 8_002, 8_003].map(cnpj);
  const lines = documents.map((document, index) => `${document},trabalhista,F-${index + 1}`);
  const sheet = ['cnpj,tipo,referencia', ...lines, `${cnpj(8_004)},cnpj,F-4`];
  await writeFile(join(place.folder, 'suppliers.csv'), sheet.join('\n'));
  const { id } = JSON.parse((await place.run(batch('suppliers.csv', 'suppliers'))).stdout) as {
    id: string;
  };

  // 180 days from today; company data never runs out.
  const { stdout } = await place.run(['expiring', '--within', '180d', '--json']);
  const { certificates } = JSON.parse(stdout) as { certificates: Record<string, unknown>[] };
  const held = documents.map((document, index) => {
    const reference = `F-${index + 1}`;
    return { document, reference, type: 'trabalhista', rule: 'cndt-180', daysLeft: 180, job: id };
  });
  expect(certificates).toEqual(held.map((one) => expect.objectContaining(one)));
  const shown = await place.run(['expiring', '--within', '180d']);
  expect(shown.stdout).toMatch(/^\d{4}-\d\d-\d\d {2}180 days left +trabalhista {2}10\.\*+/m);
  expect(shown.stdout).not.toContain(documents[0]);
  expect((await place.run(['renew'])).stderr).toContain('nothing to renew');

  const renew = ['renew', '--within', '180d', '--out', 'renewed', '--json'];
  const foreseen = await place.run([...renew, '--dry-run']);
  expect(JSON.parse(foreseen.stdout)).toMatchObject({ request: 3, reuse: 0 });
  expect(started()).toEqual([1, 1, 1, 1]);
  expect((await place.run(renew)).code).toBe(0);
  expect(started().toSorted((a, b) => a - b)).toEqual([1, 2, 2, 2]);
  const renewed = await readSheetLines(join(place.folder, 'renewed', 'results.csv'));
  expect(renewed.map(({ document, reference, status }) => [document, reference, status])).toEqual(
    documents.map((document, index) => [document, `F-${index + 1}`, 'issued']),
  );
}, 120_000);

test('a schedule issues again what runs out, by itself', async () => {
  place.sandbox.reset();
  const scheduled = await place.run(['renew', '--within', '180d', '--schedule', '1d']);
  expect(scheduled.stdout).toContain('created');
  const renewal = async (): Promise<{ id: string; status: string | null } | undefined> => {
    const { stdout } = await place.run(['list', '--kind', 'certificate-batch', '--json']);
    const { jobs } = JSON.parse(stdout) as { jobs: { id: string; status: string | null }[] };
    return jobs.find(({ id }) => id.startsWith('certificate-batch/renewals/'));
  };
  await eventually('it has ended', async () => (await renewal())?.status === 'issued');
  expect(started()).toEqual([1, 1, 1]);
  const { id = '' } = (await renewal()) ?? {};
  const { stdout } = await place.run(['result', id, '--out', 'by-itself', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: { counts: { issued: 3 } } });

  const paused = await place.run(['renew', '--unschedule']);
  expect(paused.stdout).toContain('scheduled no more');
  expect((await place.run(['renew', '--unschedule'])).stdout).toContain('no renewals were');
}, 120_000);

test('one command run twice at once and once later is one batch', async () => {
  place.sandbox.reset();
  await writeFile(join(place.folder, 'input.csv'), sheetOf(16));
  const [first, second] = await Promise.all([
    place.begin(batch('input.csv', 'a')).result,
    place.run(batch('input.csv', 'b')),
  ]);
  const later = await place.run(batch('input.csv', 'c'));

  expect([first.code, second.code, later.code]).toEqual([0, 0, 0]);
  const ids = [first, second, later].map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id);
  expect(new Set(ids).size).toBe(1);
  expect(started()).toEqual(Array.from({ length: 16 }, () => 1));
  const lines = await readSheetLines(join(place.folder, 'c', 'results.csv'));
  expect(lines.every(({ status, attempts }) => status === 'issued' && attempts === '1')).toBe(true);
}, 120_000);

test('the other columns of the input come back behind ours, and with --rows', async () => {
  place.sandbox.reset();
  const [first, second] = [cnpj(7_101), cnpj(7_102)];
  const sheet = ['Status;CNPJ;Cidade', `a;${first};"Belo; H"`, `b;${second};`, `c;${first};=1+1`];
  await writeFile(join(place.folder, 'cities.csv'), sheet.join('\n'));
  const asked = batch('cities.csv', 'cities', '--type', 'cnpj');
  const { code, stdout } = await place.run(asked);
  expect(code).toBe(0);
  const lines = await readSheetLines(join(place.folder, 'cities', 'results.csv'));
  const shown = lines.map((line) => line as Record<string, string>);
  expect(Object.keys(shown[0] ?? {}).slice(-2)).toEqual(['input_Status', 'Cidade']);
  expect(shown.map((line) => [line['status'], line['input_Status'], line['Cidade']])).toEqual([
    ['issued', 'a', 'Belo; H'],
    ['issued', 'b', ''],
    ['duplicate', 'c', '=1+1'],
  ]);

  const { id } = JSON.parse(stdout) as { id: string };
  const rows = await place.run(['result', id, '--rows']);
  const printed = rows.stdout.trim().split('\n');
  expect(rows.code).toBe(0);
  expect(printed.map((line) => JSON.parse(line) as object)).toMatchObject([
    {
      line: 2,
      document: first,
      status: 'issued',
      holderName: shown[0]?.['holder_name'],
      result: { status: 'completed', result: { titular: { nome: shown[0]?.['holder_name'] } } },
      input: { Status: 'a', Cidade: 'Belo; H' },
    },
    { line: 3, document: second, status: 'issued', input: { Status: 'b', Cidade: '' } },
    { line: 4, duplicateOf: 2, status: 'duplicate', input: { Status: 'c', Cidade: '=1+1' } },
  ]);
  expect((await place.run(['result', id, '--rows', '--json'])).code).toBe(2);

  // The same documents are the same batch, whatever stands beside them.
  await writeFile(join(place.folder, 'cities.csv'), sheet.join('\n').replaceAll('Belo', 'Porto'));
  const again = JSON.parse((await place.run(asked)).stdout) as { id: string };
  expect(again.id).toBe(id);
  expect(started()).toEqual([1, 1]);
}, 120_000);

test('--rerun buys again, on purpose', async () => {
  place.sandbox.reset();
  await writeFile(join(place.folder, 'fresh.csv'), `cnpj,tipo\n${cnpj(7_000)},cnpj\n`);
  await place.run(batch('fresh.csv', 'fresh-1'));
  await place.run(batch('fresh.csv', 'fresh-2', '--rerun'));
  // A reset sandbox counts from nothing: both issuances were started since.
  expect(started()).toEqual([2]);
}, 120_000);
