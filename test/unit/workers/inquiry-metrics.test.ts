import type { ProfileOutcome } from '../../../src/domain/profiles/lookup';
import type { ProfileStatus } from '../../../src/domain/profiles/kinds';
import type { TraceOutcome } from '../../../src/domain/traces/search';
import type { TraceStatus } from '../../../src/domain/traces/kinds';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { samplesOf, sumOf } from '../../support/prometheus-text';

let metrics: WorkerMetrics;
beforeEach(() => (metrics = new WorkerMetrics('1.2.3')));

async function figure(name: string, labels: Record<string, string> = {}): Promise<number> {
  return sumOf(samplesOf(await metrics.page()), `diligence_${name}`, labels);
}

const times = { startedAt: '2026-01-05T10:00:00.000Z', settledAt: '2026-01-05T10:00:02.500Z' };

function searchEnded(status: TraceStatus): void {
  const outcome = { status, seen: null, ...times };
  metrics.jobs.ended('trace', outcome as unknown as TraceOutcome);
}

function lookupEnded(status: ProfileStatus, answered: number): void {
  metrics.jobs.ended('profile', { status, answered, ...times } as ProfileOutcome);
}

it('counts searches and lookups by how they ended, from nothing', async () => {
  const zeros = samplesOf(await metrics.page()).filter(({ value }) => value === 0);
  const statusesOf = (kind: string) =>
    zeros
      .filter(({ name, labels }) => name === 'diligence_outcomes_total' && labels['kind'] === kind)
      .map(({ labels }) => labels['status']);
  expect(statusesOf('trace')).toContain('unknown_outcome');
  expect(statusesOf('profile')).toContain('invalid');
  searchEnded('completed');
  lookupEnded('found', 1);
  lookupEnded('not_found', 0);
  expect(await figure('outcomes_total', { kind: 'trace', status: 'completed' })).toBe(1);
  expect(await figure('outcomes_total', { kind: 'profile', status: 'found' })).toBe(1);
  expect(await figure('outcomes_total', { kind: 'profile' })).toBe(2);
});

it('times them', async () => {
  searchEnded('failed');
  lookupEnded('found', 1);
  expect(await figure('outcome_duration_seconds_sum', { kind: 'trace', status: 'failed' })).toBe(
    2.5,
  );
  expect(await figure('outcome_duration_seconds_sum', { kind: 'profile', status: 'found' })).toBe(
    2.5,
  );
});
