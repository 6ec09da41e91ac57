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
  for (const name of ['analyses_total', 'analysis_answers_lost_total', 'upload_bytes_total']) {
    const ours = found.filter((sample) => sample.name === `diligence_${name}`);
    expect(ours.length).toBeGreaterThan(0);
    expect(sumOf(found, `diligence_${name}`)).toBe(0);
  }
});

it('counts tries to upload by what they ended with, with their bytes and durations', async () => {
  bench.replies.upload = json(429, {});
  await bench.request('r1');
  // The pause after it is over.
  bench.ahead += 2_000;
  bench.replies.upload = (_request, response) => {
    setTimeout(() => void json(202, { id: 'op-1' })(_request, response), 100);
  };
  await bench.request('r2');
  const found = await samples();
  const told = (name: string, result: string) =>
    sumOf(found, `diligence_upload_${name}`, { result });
  expect(told('bytes_total', 'not_sent')).toBe('a file'.length);
  expect(told('bytes_total', 'accepted')).toBe('a file'.length);
  expect(told('duration_seconds_count', 'accepted')).toBe(1);
  expect(told('duration_seconds_sum', 'accepted')).toBeGreaterThanOrEqual(0.09);
  expect(sumOf(found, 'diligence_upload_duration_seconds_count')).toBe(2);
});

it('counts a lost answer of an upload as one of the credit service, not of certificates', async () => {
  bench.replies.upload = (_request, response) => void response.destroy();
  await bench.request('r1');
  const found = await samples();
  const reason = 'no_answer';
  expect(sumOf(found, 'diligence_analysis_answers_lost_total', { reason })).toBe(1);
  expect(sumOf(found, 'diligence_answers_lost_total')).toBe(0);
});

it('counts each end that was put on file once, however often it is reported', async () => {
  await bench.conclude('failed');
  bench.ahead = 5_000;
  await bench.conclude('failed');
  const found = await samples();
  expect(sumOf(found, 'diligence_analyses_total', { status: 'failed' })).toBe(1);
  expect(sumOf(found, 'diligence_analyses_total')).toBe(1);
});
