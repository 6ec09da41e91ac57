import { ApplicationFailure } from '@temporalio/common';
import { operationFolder, resultKey } from '../../../src/archive/analyses';
import { indexedHolders } from '../../../src/archive/document-index';
import { IdKey } from '../../../src/archive/open-archive';
import { cnpj } from '../../support/documents';
import { findLarge } from '../../../src/archive/large-objects';
import { CreditBench, json } from './credit-bench';

let bench: CreditBench;
beforeEach(async () => {
  bench = await CreditBench.start();
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

const isFiled = async () =>
  (await findLarge(bench.place.archive, resultKey('op-1', 'issues'))) !== null;

it('is done when the result is there, whatever the status says', async () => {
  bench.replies.result = json(200, tree());
  expect(await bench.wait()).toEqual({ kind: 'ready', statusWord: 'processing' });
  expect(await isFiled()).toBe(true);
});

it('lets the server keep the timer when the wait is long', async () => {
  const acceptedAt = Date.now() - 600_000;
  const failure = await bench.wait({ acceptedAt }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'NotSettledYet', nextRetryDelay: expect.any(Number) });
});

it('looks once more at its deadline, and tells that it expired as a value', async () => {
  const deadlineAt = Date.now() + 300;
  const waited = await bench.wait({ acceptedAt: Date.now() - 600_000, deadlineAt });
  expect(waited).toEqual({ kind: 'expired', statusWord: 'processing' });
  const reads = bench.server.received.filter(({ path }) => path.endsWith('/op-1'));
  expect(reads).toHaveLength(2);
});

it('ends with what the service says of its failure', async () => {
  const error = { code: 'E7', message: 'no receivables' };
  bench.replies.status = json(200, { id: 'op-1', status: 'failed', error });
  expect(await bench.wait()).toMatchObject({ kind: 'failed', statusWord: 'failed', ...error });
});

it('keeps nothing of a result that is cut short, and fetches it again', async () => {
  const whole = JSON.stringify(tree());
  let calls = 0;
  bench.replies.result = (_request, response) => {
    calls += 1;
    response.writeHead(200);
    response.end(calls === 1 ? whole.slice(0, -20) : whole);
  };
  expect(await bench.wait()).toMatchObject({ kind: 'ready' });
  expect(calls).toBe(2);
  const keys = await bench.place.archive.list('operations/');
  expect(keys).toHaveLength(2);
});

it('reads on while the token is refused or the service faulty', async () => {
  const answers = [401, 500, 429, 404];
  bench.replies.status = (request, response) => {
    const status = answers.shift();
    const body = { id: 'op-1', status: 'processing' };
    return json(status ?? 200, status === undefined ? body : {})(request, response);
  };
  bench.replies.result = json(200, tree());
  expect(await bench.wait()).toMatchObject({ kind: 'ready' });
  expect(answers).toEqual([]);
}, 20_000);

it('gives up an operation that is refused for good, after a while', async () => {
  bench.replies.status = json(404, {});
  expect(await bench.wait({ acceptedAt: Date.now() - 700_000 })).toMatchObject({
    kind: 'failed',
    code: 'unreadable',
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

it('puts whom a result tells of in the index, by which a purge finds it', async () => {
  const told = tree();
  told.cedente.cnpj = cnpj(1);
  told.cedente.sacados = told.cedente.sacados.map((one) => ({ ...one, cnpjCpf: '12345678000100' }));
  bench.replies.result = json(200, told);
  await bench.wait();
  const idKey = IdKey.parse('ab'.repeat(32));
  const names = [cnpj(1), '12345678000100', cnpj(2)].map((one) => idKey.nameOf('document', one));
  const held = await indexedHolders(bench.place.archive, new Set(names));
  expect(names.map((name) => [...(held.get(name) ?? [])])).toEqual([
    [operationFolder('op-1')],
    [operationFolder('op-1')],
    [],
  ]);
});
