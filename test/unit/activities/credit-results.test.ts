import { ApplicationFailure } from '@temporalio/common';
import { operationFolder, resultKey } from '../../../src/store/credit/analyses';
import { IdKey } from '../../../src/protection/id-key';
import { cnpj } from '../../support/documents';
import { findLarge } from '../../../src/store/core/large-objects';
import type { Reply } from '../../support/loopback-server';
import { CreditBench, json } from './credit-bench';

let bench: CreditBench;
beforeEach(async () => {
  bench = await CreditBench.start();
  bench.skipPauses();
});
afterEach(() => bench.close());

const titulo = { id: 't1', valor: 10.1, status: 'approved', issues: [] };

function tree(summary: Record<string, unknown> = {}, operationId = 'op-1') {
  return {
    operationId,
    engineId: 'e1',
    cedente: {
      cnpj: '1',
      status: 'approved',
      issues: [],
      sacados: [{ cnpjCpf: '2', status: 'approved', issues: [], titulos: [titulo] }],
    },
    summary: { totalTitulos: 1, approved: 1, blocked: 0, totalValue: 10.1, ...summary },
  };
}

const settled = <T>(value: T) => ({ kind: 'settled', value });

const isFiled = async () =>
  (await findLarge(bench.place.store, resultKey('op-1', 'issues'))) !== null;

it('is done when the result is there, whatever the status says', async () => {
  bench.replies.result = json(200, tree());
  expect(await bench.wait()).toEqual(settled({ kind: 'ready', statusWord: 'processing' }));
  expect(await isFiled()).toBe(true);
});

it('lets the server keep the timer when the wait is long', async () => {
  const since = Date.now() - 600_000;
  const failure = await bench.wait({ since }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'NotSettledYet', nextRetryDelay: expect.any(Number) });
});

it('looks once more at its deadline, and tells that it expired as a value', async () => {
  const deadlineAt = Date.now() + 1_500;
  const waited = await bench.wait({ since: Date.now() - 600_000, deadlineAt });
  expect(waited).toMatchObject({ kind: 'expired', value: { statusWord: 'processing' } });
  const reads = bench.server.received.filter(({ path }) => path.endsWith('/op-1'));
  expect(reads).toHaveLength(2);
});

it('ends with what the service says of its failure', async () => {
  const error = { code: 'E7', message: 'no receivables' };
  bench.replies.status = json(200, { id: 'op-1', status: 'failed', error });
  expect(await bench.wait()).toMatchObject({
    value: { kind: 'failed', statusWord: 'failed', ...error },
  });
});

it('keeps nothing of a result that is cut short, and fetches it again', async () => {
  const whole = JSON.stringify(tree());
  let calls = 0;
  bench.replies.result = (_request, response) => {
    calls += 1;
    response.writeHead(200);
    response.end(calls === 1 ? whole.slice(0, -20) : whole);
  };
  expect(await bench.wait()).toMatchObject({ value: { kind: 'ready' } });
  expect(calls).toBe(2);
  const keys = await bench.place.store.records.list('operations/');
  expect(keys).toHaveLength(2);
});

it('reads on while the token is refused or the service asks for patience', async () => {
  const answers = [401, 429];
  bench.replies.status = (request, response) => {
    const status = answers.shift();
    const body = { id: 'op-1', status: 'processing' };
    return json(status ?? 200, status === undefined ? body : {})(request, response);
  };
  bench.replies.result = json(200, tree());
  const seen = 'waiting: credentials';
  expect(await bench.wait()).toMatchObject({ kind: 'changed', status: seen });
  expect(await bench.wait({ seen })).toMatchObject({ value: { kind: 'ready' } });
  expect(answers).toEqual([]);
});

describe('a status that cannot be read', () => {
  it.each<[string, Reply]>([
    ['404', json(404, {})],
    ['403', json(403, {})],
    ['500', json(500, {})],
    ['204', (_request, response) => void response.writeHead(204).end()],
    ['a page', json(200, 'welcome')],
  ])('hides no result: %s', async (_, status) => {
    bench.replies.status = status;
    bench.replies.result = json(200, tree());
    const since = Date.now() - 700_000;
    expect(await bench.wait({ since })).toEqual(settled({ kind: 'ready', statusWord: null }));
  });

  it('ends nothing by one refusal, however old the operation is', async () => {
    bench.replies.status = json(410, {});
    bench.replies.result = json(404, {});
    const waited = await bench.wait({
      since: Date.now() - 700_000,
      deadlineAt: Date.now() + 300,
    });
    expect(waited).toMatchObject({ kind: 'expired' });
  });

  it('ends the wait when it is refused again and again, over minutes', async () => {
    bench.replies.result = json(404, {});
    bench.replies.status = later(json(410, {}));
    expect(await bench.wait(young())).toMatchObject({
      value: { kind: 'failed', code: 'unreadable' },
    });
    expect(bench.server.received.length).toBeGreaterThanOrEqual(10);
  });
});

/** Each answer takes a minute and a half by the clock of the activity, and no time. */
const later =
  (reply: Reply): Reply =>
  (request, response) => {
    bench.ahead += 90_000;
    return reply(request, response);
  };

/** Read every second, however far the clock is put forward. */
const young = () => ({ since: Date.now() + 3_600_000, deadlineAt: Date.now() + 7_200_000 });

describe('a result of issues', () => {
  const { cedente, ...rest } = tree();
  const { sacados: _, ...bare } = cedente;

  it.each<[string, object]>([
    ['without an assignor', rest],
    ['with null for an assignor', { ...rest, cedente: null }],
    ['without payers', { ...rest, cedente: bare }],
    ['with null for payers', { ...rest, cedente: { ...bare, sacados: null } }],
    ['with a payer without receivables', { ...rest, cedente: { ...bare, sacados: [bare] } }],
  ])('%s holds nobody who is approved', async (_name, issues) => {
    bench.replies.result = (request, response) =>
      json(200, request.query.get('filter') === 'issues' ? issues : tree())(request, response);
    expect(await bench.wait()).toMatchObject({ value: { kind: 'ready' } });
    expect(await bench.fileResults()).toMatchObject({ contradictions: [] });
  });

  it('that cannot be read while the service works on it is not there yet', async () => {
    bench.skipPauses();
    bench.replies.result = json(200, { status: 'processing' });
    await expect(bench.wait(young())).rejects.toMatchObject({ type: 'NotSettledYet' });
    bench.replies.result = json(200, tree());
    expect(await bench.wait(young())).toMatchObject({ value: { kind: 'ready' } });
  });

  it('that cannot be read to the last fails the analysis, and says why', async () => {
    bench.replies.status = json(200, { id: 'op-1', status: 'processed' });
    bench.replies.result = json(200, { status: 'done' });
    const waited = await bench.wait({ deadlineAt: Date.now() + 300 });
    expect(waited).toMatchObject({
      value: {
        kind: 'failed',
        code: 'unreadable_result',
        message: expect.stringContaining('summary'),
      },
    });
  });

  it('that stays unreadable over minutes is not asked for until the deadline', async () => {
    bench.replies.status = json(200, { id: 'op-1', status: 'done' });
    bench.replies.result = later(json(200, []));
    expect(await bench.wait(young())).toMatchObject({
      value: { kind: 'failed', code: 'unreadable_result' },
    });
  });
});

it('asks for minutes for a complete result that cannot be read, and not for hours', async () => {
  const { cedente: _, ...rest } = tree();
  bench.replies.result = (request, response) =>
    json(200, request.query.get('filter') === 'all' ? rest : tree())(request, response);
  expect(await bench.pollResults()).toMatchObject({
    kind: 'refused',
    code: 'unreadable_answer',
    message: expect.stringContaining('cedente'),
  });
});

it('files both results, and tells what agrees with nothing', async () => {
  bench.replies.result = json(200, tree());
  expect(await bench.fileResults()).toMatchObject({ contradictions: [], engineId: 'e1' });
});

it('tells sums that differ and a result of another operation', async () => {
  bench.replies.result = json(200, tree({ approved: 2, totalValue: 10.2 }, 'op-9'));
  const { contradictions } = await bench.fileResults();
  expect(contradictions).toEqual([
    'the result names operation op-9, not op-1',
    'summary.approved is 2, the tree holds 1',
    'summary.totalValue is 10.2, the tree adds up to 10.1',
  ]);
});

it('tells what stands among the issues and not in the complete tree', async () => {
  const stray = tree();
  stray.cedente.sacados[0]?.titulos.push({ ...titulo, id: 't2', status: 'blocked' });
  bench.replies.result = (request, response) =>
    json(200, request.query.get('filter') === 'issues' ? stray : tree())(request, response);
  const { contradictions } = await bench.fileResults();
  expect(contradictions).toEqual([
    'titulo t2 stands among the issues and not in the complete tree',
  ]);
});

it('tells that the two results speak of different sums, or of different operations', async () => {
  const other = tree({ totalTitulos: 2, approvedValue: 10.1 }, 'op-9');
  bench.replies.result = (request, response) =>
    json(200, request.query.get('filter') === 'issues' ? other : tree())(request, response);
  const { contradictions } = await bench.fileResults();
  expect(contradictions).toEqual([
    'operationId is another one in the result of issues than in the complete one',
    'the summary says 2 for receivables beside the issues, and 1 beside the complete tree',
  ]);
});

it('puts whom a result tells of in the index, by which an erasure finds it', async () => {
  const told = tree();
  told.cedente.cnpj = cnpj(1);
  told.cedente.sacados = told.cedente.sacados.map((one) => ({ ...one, cnpjCpf: '12345678000100' }));
  bench.replies.result = json(200, told);
  await bench.wait();
  const idKey = IdKey.parse('ab'.repeat(32));
  const names = [cnpj(1), '12345678000100', cnpj(2)].map((one) => idKey.nameOf('document', one));
  const { subjects } = bench.place.store;
  const held = await Promise.all(
    names.map(async (name) => [...(await subjects.lines(name)).keys()]),
  );
  expect(held).toEqual([[operationFolder('op-1')], [operationFolder('op-1')], []]);
});
