import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { traceRoles } from '../../src/sandbox/traces/trace-scenario';
import type { InvestigationReport } from '../../src/report/investigations/schema';
import type { StepEnd } from '../../src/domain/investigations/investigation';
import { everyFault, postsOf } from '../support/batch-account';
import { configured } from '../support/configured';
import { Installation } from '../support/diligence-process';
import { cnpj } from '../support/documents';
import { sized } from '../support/full-size';
import { KilledWorkers, type Phases } from '../support/killed-workers';
import { everyFaultOf } from '../support/resource-faults';

/** Investigations under faults and kills: none is lost, nothing is bought twice, each says what is missing. */

jest.setTimeout(600_000);

const subjects = sized(6, 50);
/** Whose answers are lost waits for a person until then: nobody decides here. */
const deadline = `${sized(20, 180)}s`;

let place: Installation;
let workers: KilledWorkers;

beforeAll(async () => {
  place = await Installation.startAlone(
    {
      latencyMs: [50, 300],
      issuance: { waitingMs: [20, 200], processingMs: [500, 4_000], distribution: 'uniform' },
      background: { rate: 0.1, kinds: everyFault as never },
      traces: {
        pollAfterSeconds: 1,
        timing: { waitingMs: [0, 500], processingMs: [500, 3_000], distribution: 'uniform' },
        background: { rate: 0.1, kinds: everyFaultOf(traceRoles) },
      },
    },
    // No browser is found: prints are tested by themselves.
    {
      INVESTIGATION_RPS: '400',
      PATH: '/nowhere',
      ...configured({ investigation: { timeoutSeconds: 2 } }),
    },
  );
  workers = await KilledWorkers.start(place);
}, 60_000);
afterAll(() => place.stop(), 60_000);

const emailOf = (index: number): string => `supplier.${index}@example.com`;

async function begin(index: number): Promise<string> {
  const about = ['--plan', 'supplier', '--cnpj', cnpj(index + 1), '--email', emailOf(index)];
  const { stdout } = await place.run(['investigate', ...about, '--deadline', deadline, '--detach']);
  return stdout.trim();
}

function phases(): Phases {
  const posted = postsOf(place.sandbox).length;
  const searched = place.sandbox.traces.counts().items.length;
  const polled = place.sandbox.counts().filter(({ polls }) => polls > 0).length;
  return { posted, searched, polled };
}

async function killServer(): Promise<void> {
  const { server } = place;
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
  await place.restartServer();
}

test(`${subjects} subjects: each is complete or says why not, and nothing is bought twice`, async () => {
  const ids: string[] = [];
  const begun = (async () => {
    for (let index = 0; index < subjects; index += 1) ids.push(await begin(index));
  })();
  await workers.killWhen('requests leave', phases, ({ posted = 0 }) => posted >= 2);
  await workers.killWhen('half are asked for', phases, ({ posted = 0 }) => posted >= subjects);
  await begun;
  await killServer();
  // Where the first kills met all that was requested, nothing is left to be polled.
  const polledBy = Date.now() + 15_000;
  const arePolled = ({ polled = 0 }: Phases) => polled >= subjects / 2 || Date.now() > polledBy;
  await workers.killWhen('they are polled', phases, arePolled);
  const client = await place.client();
  await Promise.all(
    ids.map((id) => client.workflow.getHandle(id.split('/').slice(0, 2).join('/')).result()),
  );

  const { stdout: examined } = await place.run(['doctor']);
  const [publicKey = 'none'] = /ed25519:[0-9a-f]{64}/.exec(examined) ?? [];
  const wrong: string[] = [];
  const statuses: string[] = [];
  for (const [index, id] of ids.entries()) {
    const out = join(place.folder, `out-${index}`);
    const { stdout } = await place.run(['result', id, '--json', '--out', out]);
    const { outcome, status } = JSON.parse(stdout) as {
      status: string;
      outcome: { steps: StepEnd[]; error: { message: string } | null };
    };
    statuses.push(outcome.error === null ? status : `${status} (${outcome.error.message})`);
    if (!['completed', 'incomplete'].includes(status)) wrong.push(`${index}: ${status}`);
    if ((status === 'incomplete') !== (outcome.error !== null))
      wrong.push(`${index}: ${status}, and ${outcome.error?.message ?? 'no reason'}`);
    for (const step of outcome.steps)
      if (['missing', 'partial'].includes(step.status) && step.why === null)
        wrong.push(`${index}: ${step.id} is ${step.status}, and nobody says why`);
    const report = JSON.parse(
      await readFile(join(out, 'report.json'), 'utf8'),
    ) as InvestigationReport;
    for (const { answered, requested, step } of report.coverage) {
      const end = outcome.steps.find((one) => one.id === step);
      const good = end?.children.filter(({ result }) => result === 'answered').length;
      if (requested !== end?.children.length || answered !== good)
        wrong.push(`${index}: the coverage of ${step} does not add up`);
    }
    const verified = await place.run(['report', 'verify', out, '--public-key', publicKey]);
    if (verified.code !== 0) wrong.push(`${index}: ${verified.stdout}`);
  }
  wrong.push(...boughtTwice());
  process.stderr.write(
    `investigations: ${statuses.join(', ')}; kills ${JSON.stringify(workers.kills)}\n`,
  );
  expect(wrong).toEqual([]);
  expect(ids).toHaveLength(subjects);
  expect(new Set(ids).size).toBe(subjects);
  // The kills did hit: requests had left.
  expect(workers.interrupted('posted')).not.toBe(0);
});

/** By what the services were asked. A failure that says that it may be tried again is tried again. */
function boughtTwice(): string[] {
  const { certificates } = place.sandbox.state();
  const mayRepeat = (document: string): boolean =>
    certificates.some(({ certificate, document: one }) => {
      const { error } = certificate as { error?: { retryable?: boolean } };
      return one === document && error?.retryable === true;
    });
  const paid = place.sandbox
    .counts()
    .filter(({ document, started }) => started > 1 && !mayRepeat(document))
    .map(({ document, started, tipo }) => `${tipo} of ${document}: bought ${started} times`);
  const searched = place.sandbox.traces
    .counts()
    .items.filter(({ started }) => started > 1)
    .map(({ started, target }) => `${target}: searched ${started} times`);
  return [...paid, ...searched];
}
