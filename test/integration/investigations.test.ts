import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cnpj, cpf } from '../support/documents';
import { Installation } from '../support/diligence-process';

jest.setTimeout(120_000);

/** One subject, one command: with the sandbox, a real server and a worker. */
let place: Installation;

beforeAll(async () => {
  const soon = {
    waitingMs: [20, 50] as [number, number],
    processingMs: [100, 300] as [number, number],
  };
  place = await Installation.start(
    {
      issuance: { ...soon, distribution: 'uniform' },
      traces: { pollAfterSeconds: 1, targets: { 'a@example.com': soon } },
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
    'owner not_asked',
    'contacts answered',
    'dossier not_asked',
    'changes not_asked',
  ]);
  const again = await investigate(...words);
  expect(again.stderr).toContain('is shown as it stands');
  expect(again.shown.id).toBe(shown.id);
});

test('what one step told is what another asks about', async () => {
  const { code, shown, stderr } = await investigate('--plan', 'individual', '--cpf', cpf(3));
  expect({ code, stderr, shown }).toMatchObject({ code: 0 });
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
