import { createCertificateMergeActivities } from '../../../src/activities/certificates/finalize';
import { certificateSubject } from '../../../src/domain/core/service/attempts';
import { verifyAudit } from '../../../src/store/audit/verify';
import type { BatchSummary } from '../../../src/domain/certificates/certificates';
import { sendJson } from '../../support/loopback-server';
import { readAll } from '../../support/audit-entries';
import {
  CertificateBench,
  documentA,
  documentB,
  documentC,
  environment,
} from './certificate-bench';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
});

afterEach(() => bench.close());

const records = () => readAll(bench.place.store);
const owner = { workflowId: 'w1', chunk: 'r1' };
const nameOf = (document: string): string => bench.idKey.nameOf('document', document);
const idOf = (document: string, n = 1): string =>
  `request/certificate/cnpj/${nameOf(document)}/${n}`;

it('has one record of each request, with what came of it, before the run returns', async () => {
  bench.server.reply = (request, response) => {
    if (request.body.includes(documentA)) sendJson(response, 202, { certidao_id: 'c-1' });
    else if (request.body.includes(documentB)) sendJson(response, 422, { code: 'invalid' });
    else sendJson(response, 429, {});
  };
  await bench.request(await bench.work('w1', [documentA, documentB, documentC]));
  const requests = (await records()).filter(({ kind }) => kind === 'request');
  expect(requests).toMatchObject([
    { id: idOf(documentA), result: 'accepted', certidaoId: 'c-1', by: 'test', job: 'w1', item: 0 },
    { id: idOf(documentB), result: 'refused', details: { status: 422, code: 'invalid' }, item: 1 },
    { id: idOf(documentC), result: 'not_sent', details: { reason: 'answered 429' }, item: 2 },
  ]);
  expect(JSON.stringify(await records())).not.toContain(documentA);
});

it('records the outcome of what was refused, once, though the activity is repeated', async () => {
  bench.server.reply = (_request, response) => sendJson(response, 422, { code: 'invalid' });
  const work = await bench.work('w1', [documentA]);
  await bench.request(work);
  await bench.recover(work);
  await bench.recover(work);
  expect((await records()).map(({ kind, result }) => [kind, result])).toEqual([
    ['request', 'refused'],
    ['outcome', 'failed'],
  ]);
});

it('has from the recovery what a lost run had sent, and nothing of what it had not', async () => {
  const work = await bench.work('w1', [documentA, documentB, documentC]);
  await bench.claim(documentA, { owner });
  await bench.receive(documentA, 1, {
    kind: 'accepted',
    externalId: 'c-0',
    at: bench.now(),
  });
  await bench.claim(documentB, { owner, answerBy: bench.now() - 1 });
  await bench.recover(work);
  const requests = (await records()).filter(({ kind }) => kind === 'request');
  expect(requests.map(({ id, result }) => [id, result])).toEqual([
    [idOf(documentA), 'accepted'],
    [idOf(documentB), 'unknown'],
  ]);
});

it('has a receipt that came late beside the record that it was unknown', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.claim(documentA, { owner, answerBy: bench.now() - 1 });
  await bench.recover(work);
  await bench.receive(documentA, 1, {
    kind: 'accepted',
    externalId: 'c-0',
    at: bench.now(),
  });
  await bench.reread(work);
  const requests = (await records()).filter(({ kind }) => kind === 'request');
  expect(requests.map(({ id, result }) => [id, result])).toEqual([
    [idOf(documentA), 'unknown'],
    [idOf(documentA), 'accepted'],
  ]);
});

it('has what a work that was broken off had sent, once the work goes on', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.claim(documentA, { owner: { workflowId: 'w1', chunk: 'lost' } });
  await bench.receive(documentA, 1, {
    kind: 'accepted',
    externalId: 'c-0',
    at: bench.now(),
  });
  await bench.request(work);
  expect((await records()).map(({ id }) => id)).toEqual([idOf(documentA)]);
  expect(bench.server.posts()).toEqual([]);
});

it('leaves what another work has sent to that work', async () => {
  await bench.claim(documentA, { answerBy: bench.now() - 1 });
  await bench.request(await bench.work('w1', [documentA]));
  expect((await records()).map(({ kind, result }) => [kind, result])).toEqual([
    ['outcome', 'unknown_outcome'],
  ]);
});

it('has what a lost driver had sent though the first try could not tell it', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.claim(documentA, { owner, answerBy: bench.now() - 1 });
  const { finalizeRows } = createCertificateMergeActivities(bench.deps);
  const end = { folder: work.folder, jobId: 'w1', edition: 0, startedAt: bench.now() };
  const run = () => environment(work).run(finalizeRows, { ...end, neverSent: '', failedLanes: [] });
  jest.spyOn(bench.place.store, 'commit').mockRejectedValueOnce(new Error('EIO'));
  await expect(run()).rejects.toThrow('EIO');
  await run();
  expect((await records()).map(({ id }) => id)).toEqual([idOf(documentA), 'outcome/w1/0/1/-']);
});

it('has what a lost driver had sent once its work is put together, and the head in the summary', async () => {
  const work = await bench.work('w1', [documentA, documentB]);
  await bench.claim(documentA, { owner, answerBy: bench.now() - 1 });
  const { finalizeRows } = createCertificateMergeActivities(bench.deps);
  const summary: BatchSummary = await environment(work).run(finalizeRows, {
    folder: work.folder,
    jobId: 'w1',
    edition: 0,
    startedAt: bench.now(),
    neverSent: 'never sent',
    failedLanes: [],
  });
  expect((await records()).map(({ id, result }) => [id, result])).toEqual([
    [idOf(documentA), 'unknown'],
    ['outcome/w1/0/1/-', 'unknown_outcome'],
  ]);
  const { auditHead = '' } = summary;
  const onFinding = (): never => {
    throw new Error('a finding');
  };
  const totals = await verifyAudit(bench.place.store, bench.idKey, {
    head: auditHead,
    onFinding,
  });
  expect(totals).toMatchObject({ records: 2, anchors: 1, head: auditHead });
});

it('is told at the end of the run when the receipt could not be stored with it', async () => {
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-1' });
  const work = await bench.work('w1', [documentA]);
  const { store } = bench.place;
  const commit = store.commit.bind(store);
  let refused = 0;
  jest.spyOn(store, 'commit').mockImplementation(async (statements, entries = []) => {
    if (entries.length > 0 && refused++ === 0) throw new Error('EIO');
    return commit(statements, entries);
  });
  expect(await bench.request(work)).toMatchObject([{ kind: 'accepted', certidaoId: 'c-1' }]);
  expect(refused).toBe(2);
  const [attempt] = await bench.attempts.of(certificateSubject('cnpj', nameOf(documentA)));
  expect(attempt?.receipt).toBeNull();
  expect((await records()).map(({ id, result }) => [id, result])).toEqual([
    [idOf(documentA), 'accepted'],
  ]);
});
