import type { Billing } from '../../../src/domain/core/billing';
import type { ProfileOutcome, ProfileStatus } from '../../../src/domain/profiles/lookup';
import type { TraceOutcome, TraceStatus } from '../../../src/domain/traces/search';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { samplesOf, sumOf } from '../../support/prometheus-text';

let metrics: WorkerMetrics;
beforeEach(() => (metrics = new WorkerMetrics('1.2.3')));

async function figure(name: string, labels: Record<string, string> = {}): Promise<number> {
  return sumOf(samplesOf(await metrics.page()), `diligence_${name}`, labels);
}

const times = { startedAt: '2026-01-05T10:00:00.000Z', settledAt: '2026-01-05T10:00:02.500Z' };

function searchEnded(status: TraceStatus, billing: Billing | null): void {
  const outcome = { status, seen: { billing, state: status }, ...times };
  metrics.traces.searchEnded(outcome as unknown as TraceOutcome);
}

function lookupEnded(status: ProfileStatus, answered: number): void {
  metrics.profiles.lookupEnded({ status, answered, ...times } as ProfileOutcome);
}

it('counts searches and lookups by how they ended, from nothing', async () => {
  const zeros = samplesOf(await metrics.page()).filter(({ value }) => value === 0);
  const statusesOf = (name: string) =>
    zeros
      .filter((sample) => sample.name === `diligence_${name}`)
      .map(({ labels }) => labels['status']);
  expect(statusesOf('traces_total')).toContain('unknown_outcome');
  expect(statusesOf('profile_lookups_total')).toContain('invalid');
  searchEnded('completed', null);
  lookupEnded('found', 1);
  lookupEnded('not_found', 0);
  expect(await figure('traces_total', { status: 'completed' })).toBe(1);
  expect(await figure('profile_lookups_total', { status: 'found' })).toBe(1);
  expect(await figure('profile_lookups_total')).toBe(2);
});

it('times them', async () => {
  searchEnded('failed', null);
  lookupEnded('found', 1);
  expect(await figure('trace_duration_seconds_sum', { status: 'failed' })).toBe(2.5);
  expect(await figure('profile_lookup_duration_seconds_sum', { status: 'found' })).toBe(2.5);
});

it('adds up what was charged for, once for each search that has settled', async () => {
  const billed = (status: string, amount: number | null) => ({ status, amount, unit: 'tokens' });
  searchEnded('completed', billed('charged', 2));
  searchEnded('completed', billed('not_charged', 7));
  searchEnded('completed', billed('charged', null));
  searchEnded('expired', billed('charged', 3));
  lookupEnded('found', 2);
  lookupEnded('cancelled', 0);
  expect(await figure('trace_billing_amount_total')).toBe(2);
  expect(await figure('profile_answers_total')).toBe(2);
});
