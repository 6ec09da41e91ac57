import type { ServerResponse } from 'node:http';
import { outcomeName } from '../../../src/activities/certificates/outcomes';
import type { PolledRow } from '../../../src/domain/certificates/certificate-rows';
import { ActivityEnvironment } from '../../support/activity-environment';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA, documents } from './certificate-bench';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
});

afterEach(() => bench.close());

it.each<[string, (response: ServerResponse) => void, boolean]>([
  ['a lost connection', (response) => void response.socket?.resetAndDestroy(), true],
  ['a 2xx without an id', (response) => sendJson(response, 202, {}), true],
  ['a 500', (response) => sendJson(response, 500, {}), true],
  ['a 429', (response) => sendJson(response, 429, {}), false],
  ['a refusal', (response) => sendJson(response, 422, {}), false],
])('counts %s by its outcome, unknown where it is in doubt', async (_words, reply, isLost) => {
  bench.server.reply = (_request, response) => reply(response);
  await bench.request(await bench.work('w1', [documentA]));
  const outcomes = await bench.outcomes(await bench.work('w1', [documentA]));
  expect(bench.counted).toEqual(outcomes.map(({ status }) => status));
  expect(bench.counted.includes('unknown_outcome')).toBe(isLost);
});

it('counts what a watch files, and lets the rows it holds be seen while it holds them', async () => {
  const work = await bench.work('w1', documents);
  const requestedAt = bench.now() - 60_000;
  const held: number[][] = [];
  bench.server.reply = ({ path }, response) => {
    held.push([...bench.watches].flatMap((instants) => instants()));
    const id = path.split('/').at(-1);
    sendJson(response, 200, { certidao_id: id, status: id === 'c-0' ? 'processing' : 'completed' });
  };
  const rows = [0, 1].map((place): PolledRow => [place, `c-${place}`, requestedAt, 0, 1, 0]);
  await bench.watch(work, { rows });
  expect(bench.counted).toEqual(['issued']);
  expect(held[0]).toEqual([requestedAt, requestedAt]);
  expect(bench.watches.size).toBe(0);
});

it('files outcomes under a name that another run of the workflow has not, even of the same minute', async () => {
  const names = ['4a1f-7cde-8aaa-000000000001', '5b20-7cde-8aaa-000000000002'].map((rest) => {
    const workflowExecution = { workflowId: 'w1', runId: `01a21594-${rest}` };
    return new ActivityEnvironment({ workflowExecution }).run(async () => outcomeName('lane-0000'));
  });
  expect(new Set(await Promise.all(names)).size).toBe(2);
});
