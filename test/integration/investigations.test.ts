import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { parse } from 'csv-parse/sync';
import { reportSchema } from '../../src/report/investigations/schema';
import { cnpj, cpf } from '../support/documents';
import { eventually, Installation } from '../support/diligence-process';

jest.setTimeout(120_000);

/** One subject, one command: with the sandbox, a real server and a worker. */
let place: Installation;
const { EventType } = temporal.api.enums.v1;
const forLong: [number, number] = [600_000, 600_000];

beforeAll(async () => {
  const soon = {
    waitingMs: [20, 50] as [number, number],
    processingMs: [100, 300] as [number, number],
  };
  place = await Installation.start(
    {
      issuance: { ...soon, distribution: 'uniform' },
      traces: {
        pollAfterSeconds: 1,
        targets: {
          'a@example.com': soon,
          'nona@example.com': soon,
          'slow@example.com': { ...soon, processingMs: forLong },
        },
      },
      documents: { [cnpj(32)]: { end: 'never_settles' } },
    },
    { INVESTIGATION_RPS: '400' },
  );
  await place.startWorkerHere();
});
afterAll(() => place.stop());

interface Shown {
  id: string;
  status: string;
  exitCode: number;
  outcome: {
    steps: { id: string; status: string; why: string | null; children: { jobId: string }[] }[];
  };
}

async function investigate(...words: string[]) {
  const { code, stderr, stdout } = await place.run(['investigate', '--json', ...words]);
  const shown = (stdout.startsWith('{') ? JSON.parse(stdout) : null) as Shown;
  return { code, stderr, shown };
}

test('a supplier is asked about by its plan, and the same command shows what stands', async () => {
  const words = ['--plan', 'supplier', '--cnpj', cnpj(1), '--email', 'a@example.com'];
  const dry = await place.run(['investigate', ...words, '--dry-run']);
  expect(dry.stdout).toContain('may be charged at most: 2 x certificate, 1 x search');
  const { code, shown, stderr } = await investigate(...words);
  expect({ code, stderr, shown }).toMatchObject({ code: 0, shown: { status: 'completed' } });
  const { steps } = shown.outcome;
  expect(steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'registration answered',
    'labour answered',
    'owner not_requested',
    'contacts answered',
    'dossier not_requested',
    'changes not_requested',
  ]);
  const again = await investigate(...words);
  expect(again.stderr).toContain('is shown as it stands');
  expect(again.shown.id).toBe(shown.id);
});

test('what one step told is what another asks about', async () => {
  const { code, shown, stderr } = await investigate('--plan', 'individual', '--cpf', cpf(3));
  expect({ code, stderr, shown }).toMatchObject({ code: 0 });
});

test('a budget that is reached waits in the inbox, and resume lets the rest be asked', async () => {
  const words = ['--plan', 'supplier', '--cnpj', cnpj(21), '--budget', '1'];
  const command = investigate(...words);
  const inbox = async () => {
    const { stdout } = await place.run(['inbox', '--json', '--kind', 'investigation']);
    return (JSON.parse(stdout) as { jobs: { id: string; waitsFor: string; why: string }[] }).jobs;
  };
  await eventually('it is in the inbox', async () => (await inbox()).length === 1);
  const [waiting] = await inbox();
  expect(waiting).toMatchObject({ waitsFor: 'budget' });
  expect(waiting?.why).toMatch(
    /^1 of 1 requests made; the rest takes at most 1: .*`diligence resume`/,
  );
  const resumed = await place.run(['resume', waiting?.id ?? '']);
  expect(resumed.stdout).toContain('1 more requests may be made');
  const { code, shown } = await command;
  expect({ code, status: shown.status }).toEqual({ code: 0, status: 'completed' });
  expect(await inbox()).toEqual([]);
});

test('cancelled in the middle, its jobs end first, and the report says what was stopped and what it cost', async () => {
  const dossier = '0f0e0d0c-0b0a-4000-8000-000000000077';
  place.sandbox.configure({ dossiers: { held: { [dossier]: { processingMs: forLong } } } });
  const file = join(place.folder, 'stopped.yaml');
  await writeFile(
    file,
    `name: stopped
steps:
  - { id: registration, kind: certificate, type: cnpj }
  - { id: labour, kind: certificate, type: trabalhista, of: ['${cnpj(32)}'] }
  - { id: contacts, kind: trace }
  - { id: dossier, kind: dossier }
  - { id: owner, kind: profile, needs: [contacts] }
  - { id: other, kind: certificate, type: trabalhista, needs: [dossier] }
`,
  );
  const who = ['--cnpj', cnpj(31), '--cpf', cpf(31), '--email', 'slow@example.com'];
  const words = ['--plan', file, ...who, '--dossier', dossier, '--detach'];
  const { shown } = await investigate(...words);
  const { dossiers, profiles, traces } = place.sandbox;
  const isUnderWay = (): boolean =>
    dossiers.counts().items.some((one) => one.dossieId === dossier && one.statusReads > 0) &&
    traces.counts().items.some((one) => one.target === 'slow@example.com' && one.started > 0) &&
    place.sandbox.counts().some((one) => one.document === cnpj(32) && one.started > 0);
  await eventually('its open steps are under way', isUnderWay);
  await eventually('the certificate is there', async () =>
    (await place.run(['show', shown.id])).stdout.includes('registration: answered'),
  );
  const told = await place.run(['cancel', shown.id, '--cancel-remote', '--now']);
  expect(told.code).toBe(0);
  const handle = (await place.client()).workflow.getHandle(shown.id.slice(0, -20));
  await handle.result();

  const { events } = await handle.fetchHistory();
  const types = (events ?? []).map(({ eventType }) => Number(eventType));
  const at = (type: number): number[] => types.flatMap((one, n) => (one === type ? [n] : []));
  const cancelledAt = at(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED)[0] ?? NaN;
  const orders = at(EventType.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED);
  const ends = at(EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED);
  const starts = at(EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED);
  expect(starts.filter((start) => start > cancelledAt)).toEqual([]);
  const endedAfter = ends.filter((end) => end > cancelledAt);
  expect(endedAfter).toHaveLength(3);
  expect(orders.length).toBeGreaterThanOrEqual(endedAfter.length);
  expect(Math.max(...orders)).toBeLessThan(Math.min(...endedAfter));
  expect(types.at(-1)).toBe(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED);
  expect(profiles.counts().items.filter(({ cpf: of }) => of === cpf(31))).toEqual([]);
  const state = dossiers.state().find(({ dossier: one }) => one['id'] === dossier);
  expect(state?.dossier['status']).toBe('cancelled');

  const out = join(place.folder, 'stopped');
  const result = await place.run(['result', shown.id, '--out', out]);
  expect(result.stdout).toContain('unanswered     2 request(s): they may still be charged');
  expect(result.stdout).toContain('requested: 3, reused: 0');
  const page = await readFile(join(out, 'report.html'), 'utf8');
  expect(page).toContain('Requests without an answer, which may still be charged: 2.');
  const report = reportSchema.parse(JSON.parse(await readFile(join(out, 'report.json'), 'utf8')));
  expect(report.status).toBe('cancelled');
  expect(report.coverage.map(({ status, step, why }) => [step, status, why])).toEqual([
    ['registration', 'answered', null],
    ['labour', 'cancelled', 'stopped before its answer'],
    ['contacts', 'cancelled', 'stopped before its answer (subject: targets[0])'],
    ['dossier', 'cancelled', 'stopped before its answer (subject: dossier[0])'],
    ['owner', 'cancelled', 'nothing had been requested'],
    ['other', 'cancelled', 'nothing had been requested'],
  ]);
  const lastSeen = report.findings.flatMap(({ facts, step }) =>
    facts.flatMap(({ value, what }) => (what === 'atService' ? [`${step} ${value}`] : [])),
  );
  expect(lastSeen.toSorted()).toEqual(['contacts running', 'dossier cancelled']);
  expect(report.requests).toEqual({
    requested: 3,
    reused: 0,
    possibleDoubleCharges: 0,
    unanswered: 2,
  });
  expect(report.cost.map(({ status, unit }) => [status, unit])).toEqual([
    ['not_charged', 'tokens'],
  ]);
  const sent = report.timeline.map(({ requested, step, unanswered }) => {
    return `${step} ${requested} ${unanswered}`;
  });
  expect(sent.toSorted()).toEqual([
    'contacts 1 1',
    'dossier 0 0',
    'labour 1 1',
    'registration 1 0',
  ]);
  for (const { endedAt } of report.timeline)
    expect(Date.parse(endedAt ?? '')).toBeLessThanOrEqual(Date.parse(report.settledAt));
});

test('of a sheet each subject is an investigation by all that its line says; lines at fault are told before anything is sent', async () => {
  const sheet = join(place.folder, 'subjects.csv');
  const lines = [
    `${cnpj(41)};Nona Ltda;nona@example.com`,
    `${cpf(41)};;`,
    '123;;nobody',
    `${cnpj(42)};;`,
    `${cnpj(41)};Nona Ltda;nona@example.com`,
  ];
  await writeFile(sheet, `documento;Razão social;E-mail\n${lines.join('\n')}\n`);
  const words = ['investigate', '--plan', 'supplier', '--input', sheet];
  const dry = await place.run([...words, '--dry-run']);
  expect(dry.stdout).toContain('would request 2');
  expect(dry.stdout).toMatch(/line 3.*steps\[0\]\.of\[0\]: the step is required/);
  expect(dry.stdout).toMatch(/line 4.*A4/);
  expect(dry.stdout).toMatch(/registration .*\n +2 request\n/);
  expect(dry.stdout).toMatch(/contacts .*\n +1 request\n/);
  expect(dry.stdout).toContain('may be charged at most: 4 x certificate, 1 x search');
  expect(dry.stderr).toContain('C "E-mail" (email)');
  const { code, stderr } = await place.run([...words, '--out', 'many']);
  expect({ code, stderr }).toMatchObject({ code: 3 });
  const text = await readFile(join(place.folder, 'many', 'results.csv'));
  const rows: Record<string, string>[] = parse(text, { columns: true, bom: true });
  expect(rows.map(({ status }) => status)).toEqual([
    'completed',
    'invalid',
    'invalid',
    'completed',
    'duplicate',
  ]);
  expect(rows[0]).toMatchObject({ answered: '3', missing: '0', not_requested: '3' });
  expect(rows[3]).toMatchObject({ answered: '2', missing: '0', not_requested: '4' });
  const searched = place.sandbox.traces.counts().items;
  expect(searched.find(({ target }) => target === 'nona@example.com')?.started).toBe(1);
  const report = JSON.parse(
    await readFile(join(place.folder, 'many', rows[0]?.['requested'] ?? '', 'report.json'), 'utf8'),
  ) as {
    subject: { name: string; email: string[] };
    coverage: { step: string; requested: number }[];
  };
  expect(report.subject).toMatchObject({ name: 'Nona Ltda', email: ['nona@example.com'] });
  expect(report.coverage.find(({ step }) => step === 'contacts')?.requested).toBe(1);
  const beside = await place.run([...words, '--email', 'a@example.com']);
  expect(beside).toMatchObject({ code: 2 });
});

test('a plan with faults is refused before anything is sent', async () => {
  const file = join(place.folder, 'plan.yaml');
  await writeFile(
    file,
    `name: odd
steps:
  - { id: a, kind: profile, needs: [b] }
  - { id: b, kind: certificate, type: cnpj, needs: [a], of: '{{c.x[]}}' }
`,
  );
  const { code, stderr } = await place.run(['investigate', '--plan', file, '--cnpj', '123']);
  expect(code).toBe(2);
  expect(stderr).toContain('subject.cnpj[0]');
});
