import { samplesOf, sumOf } from '../../support/prometheus-text';
import { CreditBench } from '../activities/credit-bench';

let bench: CreditBench;
beforeEach(async () => {
  bench = await CreditBench.start();
});
afterEach(() => bench.close());

const samples = async () => samplesOf(await bench.metrics.page());

it('says what is zero of the credit side before anything happened', async () => {
  const found = await samples();
  const ours = found.filter(({ name }) => name === 'diligence_outcomes_total');
  expect(ours.map(({ labels }) => labels['kind'])).toContain('credit-analysis');
  expect(sumOf(found, 'diligence_outcomes_total')).toBe(0);
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
