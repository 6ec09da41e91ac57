import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { Installation } from '../support/diligence-process';
import { cpf } from '../support/documents';

/** Files of targets and of CPFs, accounted for line by line. */

interface Shown {
  id: string;
  exitCode: number;
  folder: string;
  outcome: {
    total: number;
    items: number;
    requested: number;
    counts: Record<string, number>;
    billing: object[];
  };
}

const atOnce: [number, number] = [0, 0];
let installation: Installation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await Installation.start(
    {
      traces: {
        pollAfterSeconds: 1,
        targets: {
          'failed@example.com': { end: ['failed'] },
          '*': { waitingMs: atOnce, processingMs: atOnce },
        },
        background: {
          rate: 0.15,
          kinds: ['504_after', 'reset_after', '429', '502', 'unreadable_2xx'],
        },
      },
      profiles: { people: { [cpf(9)]: { answer: 'not_found' } } },
    },
    { INVESTIGATION_RPS: '400' },
  );
  await installation.startWorkerHere();
});
afterAll(() => installation.stop());

async function run(name: string, text: string, ...words: string[]) {
  const file = join(installation.folder, name);
  await writeFile(file, text);
  const out = `out-${name}`;
  const { code, stdout, stderr } = await installation.run([
    ...words,
    '--input',
    file,
    '--json',
    '--out',
    out,
  ]);
  const shown = (stdout === '' ? null : JSON.parse(stdout)) as Shown | null;
  return { code, shown: shown as Shown, stderr };
}

async function rowsOf({ folder }: Shown): Promise<Record<string, string>[]> {
  return parse(await readFile(join(folder, 'results.csv')), { columns: true });
}

test('every line of a file of targets comes back in order, each target searched for once under faults', async () => {
  const targets = Array.from({ length: 20 }, (_, n) => `person${n}@example.com`);
  const lines = [...targets, 'failed@example.com', targets[0], '', ';ref only'];
  const text = `alvo;referencia\n${lines.join('\n')}\n`;
  const { code, shown, stderr } = await run('targets.csv', text, 'trace', 'search');
  expect({ code, stderr: code === 3 ? '' : stderr }).toEqual({ code: 3, stderr: '' });
  expect(shown.outcome).toMatchObject({
    total: 23,
    items: 21,
    requested: 21,
    counts: { completed: 20, failed: 1, duplicate: 1, invalid: 1 },
  });
  const rows = await rowsOf(shown);
  expect(rows.map(({ line }) => Number(line))).toEqual(
    [...Array(22).keys()].map((n) => n + 2).concat(25),
  );
  expect(rows[21]).toMatchObject({ requested: targets[0], status: 'duplicate', duplicate_of: '2' });
  expect(rows[22]).toMatchObject({ status: 'invalid', error_code: 'empty', reference: 'ref only' });
  expect(new Set(rows.slice(0, 21).map((row) => row['trace_id'])).size).toBe(21);
  expect(await readdir(join(shown.folder, 'answers'))).toHaveLength(21);
  const { items } = installation.sandbox.traces.counts();
  expect(items.filter(({ started }) => started !== 1)).toEqual([]);
  expect(stderr).not.toContain('person1');
  expect(await installation.workerLog()).not.toContain('person1');

  const before = installation.sandbox.traces.received().length;
  const again = await run('targets.csv', text, 'trace', 'search');
  expect(again.shown).toMatchObject({ id: shown.id, outcome: { counts: shown.outcome.counts } });
  expect(installation.sandbox.traces.received()).toHaveLength(before);
});

test('a dry run tells what would be asked for, and sends nothing', async () => {
  const before = installation.sandbox.traces.received().length;
  const text = `email\nperson1@example.com\nsomebody@example.com\n`;
  const { code, shown } = await run('dry.csv', text, 'trace', 'search', '--dry-run');
  expect(code).toBe(0);
  // Without a label the same target is the same search, in whatever file it stands.
  expect(shown).toMatchObject({ dryRun: true, request: 1, reuse: 1, problems: [] });
  expect(installation.sandbox.traces.received()).toHaveLength(before);
});

test('a file of CPFs is looked up, and what was answered is not asked again', async () => {
  const people = [`${cpf(1)},a,x`, `${cpf(2)},b,=y`, `${cpf(1)},c,`, '123,d,z', `${cpf(9)},e,w`];
  const text = `cpf,id,Status\n${people.join('\n')}\n`;
  const first = await run('people.csv', text, 'profile', 'lookup', '--html');
  expect(first.code).toBe(3);
  expect(first.shown.outcome.counts).toEqual({ found: 2, duplicate: 1, invalid: 1, not_found: 1 });
  const rows = await rowsOf(first.shown);
  expect(rows[0]).toMatchObject({
    requested: cpf(1),
    status: 'found',
    answered: '1',
    reference: 'a',
  });
  const vehicles = parse(await readFile(join(first.shown.folder, 'veiculos.csv')), {
    columns: true,
  }) as Record<string, string>[];
  const files = await readdir(first.shown.folder);
  expect(vehicles.filter(({ line }) => !['2', '3'].includes(line ?? ''))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['answers', 'pages', 'report.html']));
  expect(first.shown.outcome.billing).toMatchObject([{ unit: 'answer', count: 2 }]);
  const { id } = first.shown;
  expect(rows.map((row) => row['input_Status'])).toEqual(['x', '=y', '', 'z', 'w']);
  const printed = (await installation.run(['result', id, '--rows'])).stdout.trim().split('\n');
  expect(printed.map((line) => JSON.parse(line) as object)).toMatchObject([
    {
      line: 2,
      requested: cpf(1),
      status: 'found',
      reported: { answered: 1 },
      input: { Status: 'x' },
    },
    { line: 3, status: 'found', reference: 'b', input: { Status: '=y' } },
    { line: 4, status: 'duplicate', duplicateOf: 2, input: { Status: '' } },
    { line: 5, status: 'invalid', error: { code: 'wrong_length' }, input: { Status: 'z' } },
    { line: 6, status: 'not_found', input: { Status: 'w' } },
  ]);
  const outcomes = printed.map((line) => (JSON.parse(line) as { outcome: unknown }).outcome);
  const answer = await readFile(join(first.shown.folder, 'answers', '2.json'), 'utf8');
  const result = JSON.parse(answer) as object;
  const findings = {
    sections: expect.arrayContaining([expect.objectContaining({ name: 'veiculos' })]),
  };
  const found = { status: 'found', result, findings };
  expect(outcomes).toMatchObject([found, { status: 'found' }, found, null, { result: null }]);
  expect((await installation.run(['show', id])).stdout).toMatch(/5 lines\n +2 {2}found\n/);
  const text2 = `cpf\n${cpf(1)}\n${cpf(3)}\n`;
  const second = await run(`more-of-${cpf(70)}.csv`, text2, 'profile', 'lookup');
  expect(second).toMatchObject({
    code: 0,
    shown: { outcome: { requested: 1, counts: { found: 2 }, billing: [{ count: 2 }] } },
  });
  const answered = installation.sandbox.profiles.counts().items.filter((one) => one.answered > 1);
  expect(answered).toEqual([]);
  const plan = await installation.run(['erase', '--document', cpf(70), '--dry-run', '--json']);
  expect(JSON.parse(plan.stdout)).toMatchObject({
    jobs: [{ id: second.shown.id, whole: false }],
    refusals: [],
  });
});

test('a file with nothing left to ask has its sheet: all ended before, or no line can be asked', async () => {
  await run('first.csv', `cpf\n${cpf(20)}\n${cpf(21)}\n`, 'profile', 'lookup');
  const before = installation.sandbox.profiles.received().length;
  const ended = await run('ended.csv', `cpf\n${cpf(21)}\n${cpf(20)}\n`, 'profile', 'lookup');
  expect(ended).toMatchObject({
    code: 0,
    shown: { outcome: { requested: 0, counts: { found: 2 } } },
  });
  expect(await rowsOf(ended.shown)).toMatchObject([{ requested: cpf(21) }, { requested: cpf(20) }]);
  const invalid = await run('invalid.csv', 'alvo;referencia\n;a\n;b\n', 'trace', 'search');
  expect(invalid).toMatchObject({
    code: 3,
    shown: { outcome: { requested: 0, counts: { invalid: 2 } } },
  });
  expect(await rowsOf(invalid.shown)).toMatchObject([{ reference: 'a' }, { reference: 'b' }]);
  expect(installation.sandbox.profiles.received()).toHaveLength(before);
});
