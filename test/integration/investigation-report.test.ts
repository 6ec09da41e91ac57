import { execFile } from 'node:child_process';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { entriesIn } from '../../src/domain/core/audit';
import type { Manifest } from '../../src/report/investigations/schema';
import type { InvestigationReport } from '../../src/report/investigations/schema';
import { manifestSchema, reportSchema } from '../../src/report/investigations/schema';
import { cnpj, cpf } from '../support/documents';
import { holdDossier } from '../support/dossier-installation';
import { holdMonitor } from '../support/monitor-installation';
import { Installation } from '../support/diligence-process';

jest.setTimeout(120_000);

const email = 'a@example.com';
const soon = { waitingMs: [20, 50] as [number, number], processingMs: [100, 300] as const };
/** The ready plans have no picture beside a company. */
const plan = `name: whole
title: Everything about one subject
steps:
  - { id: registration, kind: certificate, type: cnpj, required: true }
  - { id: labour, kind: certificate, type: trabalhista, required: true }
  - { id: owner, kind: profile }
  - { id: contacts, kind: trace }
  - { id: face, kind: lens, mode: face }
  - { id: dossier, kind: dossier, needs: [owner] }
  - { id: changes, kind: monitor, needs: [registration] }
`;

let place: Installation;
let folder: string;
let report: InvestigationReport;
let manifest: Manifest;

beforeAll(async () => {
  const timing = { ...soon, processingMs: [100, 300] as [number, number] };
  place = await Installation.start(
    {
      issuance: { ...timing, distribution: 'uniform' },
      traces: { pollAfterSeconds: 1, targets: { [email]: timing } },
      lens: { pollAfterSeconds: 1 },
      dossiers: { pollAfterSeconds: 1 },
      documents: { [cnpj(2)]: { end: 'failure_permanent' } },
    },
    // No browser is found: what is printed is tested by itself.
    { INVESTIGATION_RPS: '400', PATH: '/nowhere' },
  );
  await place.startWorkerHere();
  folder = join(place.folder, 'report');
  const photo = join(place.folder, 'photo.jpg');
  await writeFile(photo, Buffer.from('ffd8ffe000104a464946000101', 'hex'));
  const file = join(place.folder, 'plan.yaml');
  await writeFile(file, plan);
  const dossier = holdDossier(place, { risk: 'classified' });
  const monitor = holdMonitor(place, { changes: [{ severity: 'critical' }, { severity: 'warn' }] });
  const words = ['--plan', file, '--cnpj', cnpj(1), '--cpf', cpf(1), '--email', email];
  const about = [
    '--name',
    'Another Name Ltda',
    '--photo',
    photo,
    '--dossier',
    dossier,
    '--monitor',
    monitor,
  ];
  const asked = ['investigate', ...words, ...about, '--out', folder, '--lang', 'pt'];
  const { code, stderr, stdout } = await place.run(asked);
  if (code !== 0) throw new Error(`${stdout}\n${stderr}\n${await place.workerLog()}`);
  expect(stderr).toContain('report.pdf não foi escrito: não há Chromium nem Chrome');
  report = await reportIn(folder);
  const text = await readFile(join(folder, 'manifest.json'), 'utf8');
  manifest = manifestSchema.parse(JSON.parse(text));
});
afterAll(() => place.stop());

async function reportIn(path: string): Promise<InvestigationReport> {
  return reportSchema.parse(JSON.parse(await readFile(join(path, 'report.json'), 'utf8')));
}

/** With neither settings nor keys nor store, in a folder where there is nothing. */
async function verify(...words: string[]): Promise<{ code: number; stdout: string }> {
  const main = join(__dirname, '..', '..', 'dist', 'main.js');
  const how = { cwd: '/', env: {} };
  return promisify(execFile)(process.execPath, [main, 'report', 'verify', ...words], how).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
}

test('the report has what was asked, what was answered and where it came from', () => {
  expect(report.status).toBe('completed');
  expect(report.coverage.map(({ status, step }) => `${step} ${status}`)).toEqual([
    'registration answered',
    'labour answered',
    'owner answered',
    'contacts answered',
    'face answered',
    'dossier answered',
    'changes answered',
  ]);
  const [, labour] = report.certificates;
  expect(labour).toMatchObject({
    type: 'trabalhista',
    status: 'issued',
    validity: { rule: 'cndt-180', source: expect.stringContaining('642-A') },
  });
  expect(report.assets.totals.length).toBeGreaterThan(0);
  expect(report.occurrences.length).toBeGreaterThan(0);
  expect(report.pictures.length).toBeGreaterThan(0);
  expect(report.risk.map(({ name }) => name)).toContain('risk.matched_rules');
  expect(report.findings).toHaveLength(7);
  expect(report.timeline).toHaveLength(7);
  const [changes] = report.changes;
  expect(changes).toMatchObject({ total: 2, file: expect.stringMatching(/changes\.json$/) });
  const states = changes?.rows.map(([, severity, , state]) => `${severity} ${state}`);
  expect(states?.toSorted()).toEqual(['critical acknowledged', 'warn acknowledged']);
});

test('names that differ stand side by side, each with its sources', () => {
  const official = report.certificates[0]?.officialName;
  const about = report.divergences.find(({ document }) => document === cnpj(1));
  expect(about).toMatchObject({ about: 'name' });
  expect(about?.values.map(({ value }) => value)).toEqual(['Another Name Ltda', official]);
  expect(about?.values[0]?.sources).toEqual(['as asked']);
  expect(about?.values[1]?.sources).toEqual(
    expect.arrayContaining([expect.stringMatching(/cnpj\.pdf$/)]),
  );
});

test('every file of the evidence is in the manifest, with who asked the service for it', async () => {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(folder.length + 1));
  const own = ['.job', 'manifest.json', 'manifest.sig'];
  expect(names.toSorted()).toEqual([...own, ...manifest.files.map(({ path }) => path)].toSorted());
  const kinds = report.evidence.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  expect(kinds).toEqual(
    expect.arrayContaining(['cnpj.pdf', 'trabalhista.pdf', 'profile.json', 'trace.json']),
  );
  expect(kinds).toEqual(expect.arrayContaining(['lens.json', 'dossier.json', 'changes.json']));
  for (const row of report.evidence) expect(row).toMatchObject({ requestedBy: 'tester' });
});

test('another machine finds the folder consistent, and with the key of doctor proved', async () => {
  const { stdout: examined } = await place.run(['doctor']);
  const [publicKey = ''] = /ed25519:[0-9a-f]{64}/.exec(examined) ?? [];
  const alone = await verify(folder);
  expect(alone).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^consistent, origin not proved: /),
  });
  const known = await verify(folder, '--public-key', publicKey);
  expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining('and signed by') });
  const other = `ed25519:${'0'.repeat(64)}`;
  expect((await verify(folder, '--public-key', other)).code).toBe(1);
  const doctored = join(place.folder, 'doctored');
  await cp(folder, doctored, { recursive: true });
  await writeFile(join(doctored, 'report.html'), 'all is well');
  expect(await verify(doctored)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('report.html is not as it was written'),
  });
});

test('the same job gives the same bytes again, but for the stamp', async () => {
  const again = join(place.folder, 'again');
  const { code } = await place.run(['result', report.id, '--out', again, '--lang', 'pt']);
  expect(code).toBe(0);
  const both = (name: string): Promise<string[]> =>
    Promise.all([folder, again].map((one) => readFile(join(one, name), 'utf8')));
  const [data, dataAgain] = await both('report.json');
  expect(dataAgain).toBe(data);
  const [page = '', pageAgain = ''] = await both('report.html');
  const stamp = /Gravado pelo diligence em [^.]+\./;
  expect(page).toMatch(stamp);
  expect(pageAgain.replace(stamp, '')).toBe(page.replace(stamp, ''));
});

test('an investigation that is incomplete says why, with what was answered beside it', async () => {
  const out = join(place.folder, 'incomplete');
  const words = ['investigate', '--plan', 'supplier', '--cnpj', cnpj(2), '--email', email];
  const { code } = await place.run([...words, '--out', out]);
  expect(code).toBe(3);
  const told = await reportIn(out);
  expect(told).toMatchObject({ status: 'incomplete', error: expect.stringContaining('labour: ') });
  expect(told.certificates.map(({ file, status }) => [status, file])).toEqual([
    ['failed', null],
    ['failed', null],
  ]);
  const failures = told.findings.filter(({ status }) => status === 'failed');
  for (const { facts } of failures) expect(facts.map(({ what }) => what)).toContain('error');
  expect(told.findings.find(({ step }) => step === 'contacts')?.status).toBe('completed');
  expect((await verify(out)).code).toBe(0);
});

test('what was reused is evidence all the same, and costs nothing again', async () => {
  const out = join(place.folder, 'reused');
  const words = ['--plan', 'supplier', '--cnpj', cnpj(1), '--email', email, '--by', 'another'];
  const { code } = await place.run(['investigate', ...words, '--out', out]);
  expect(code).toBe(0);
  const told = await reportIn(out);
  const search = told.timeline.find(({ step }) => step === 'contacts');
  expect(search).toMatchObject({ reused: true });
  expect(told.cost).toEqual([]);
  const answer = told.evidence.find(({ step }) => step === 'contacts');
  expect(answer).toMatchObject({
    requestedBy: 'tester',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const { audit } = manifestSchema.parse(
    JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')),
  );
  const records = entriesIn(audit).filter(({ job }) => job === search?.job);
  expect(records.map(({ by, kind }) => [kind, by])).toContainEqual(['outcome', 'tester']);
  expect((await verify(out)).code).toBe(0);
});
