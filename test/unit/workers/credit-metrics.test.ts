import { samplesOf, sumOf } from '../../support/prometheus-text';
import { CreditBench, json } from '../activities/credit-bench';

let bench: CreditBench;
beforeEach(async () => {
  bench = await CreditBench.start();
});
afterEach(() => bench.close());

const samples = async () => samplesOf(await bench.metrics.page());

it('says what is zero of the credit side before anything happened', async () => {
  const found = await samples();
  for (const name of ['outcomes_total', 'responses_lost_total', 'uploads_total']) {
    const ours = found.filter((sample) => sample.name === `diligence_${name}`);
    const kinds = ours.map(({ labels }) => labels['kind']);
    expect(kinds).toContain('credit-analysis');
    expect(sumOf(found, `diligence_${name}`)).toBe(0);
  }
});

it('counts tries to upload by what they ended with', async () => {
  bench.replies.upload = json(429, {});
  await bench.request('r1');
  // The pause after it is over.
  bench.ahead += 2_000;
  bench.replies.upload = json(202, { id: 'op-1' });
  await bench.request('r2');
  const found = await samples();
  const told = (result: string) =>
    sumOf(found, 'diligence_uploads_total', { kind: 'credit-analysis', result });
  expect([told('not_sent'), told('accepted'), told('unknown')]).toEqual([1, 1, 0]);
});

it('counts a lost answer of an upload as one of the credit service, not of certificates', async () => {
  bench.replies.upload = (_request, response) => void response.destroy();
  await bench.request('r1');
  const found = await samples();
  const reason = 'no_answer';
  expect(sumOf(found, 'diligence_responses_lost_total', { kind: 'credit-analysis', reason })).toBe(
    1,
  );
  expect(sumOf(found, 'diligence_responses_lost_total', { kind: 'certificate' })).toBe(0);
});

it('counts each end that was put on file once, however often it is reported', async () => {
  await bench.conclude('failed');
  bench.ahead = 5_000;
  await bench.conclude('failed');
  const found = await samples();
  expect(
    sumOf(found, 'diligence_outcomes_total', { kind: 'credit-analysis', status: 'failed' }),
  ).toBe(1);
  expect(sumOf(found, 'diligence_outcomes_total')).toBe(1);
});
