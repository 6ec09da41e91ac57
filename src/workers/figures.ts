import { counters, type CounterName } from '../activities/counters';

/** A metric of a worker. */
export interface Figure {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** With the values that are known beforehand: a counter of which all are begins at 0, so that an increase is visible. */
  labels: Readonly<Record<string, readonly string[]>>;
  buckets?: readonly number[];
}

/** Seconds. A call takes up to 35, a PDF up to 140, an upload ten minutes. */
const callBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 35, 60, 140, 600];
/** Seconds. Retry-After may be up to an hour. */
const waitBuckets = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 3_600];

const call = { service: [], method: [], route: [], status: [] };

/** Metrics of the process. Labels hold our words and route templates: never a document, an id or a token. */
const own = {
  diligence_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels tell the version of diligence and of Node.js.',
    labels: { version: [], node: [] },
  },
  diligence_jobs_open: {
    type: 'gauge',
    help: 'Jobs in the store that have not ended. Every worker of a store says the same: take the highest, not the sum.',
    labels: { kind: [] },
  },
  diligence_jobs_needing_attention: {
    type: 'gauge',
    help: 'Jobs in the store that need a person, as in the inbox. Every worker of a store says the same: take the highest, not the sum.',
    labels: { kind: [] },
  },
  diligence_jobs_oldest_open_seconds: {
    type: 'gauge',
    help: 'Age of the oldest job in the store that has not ended. Every worker of a store says the same.',
    labels: { kind: [] },
  },
  diligence_workflows_standing_still: {
    type: 'gauge',
    help: 'Workflows whose task fails again and again: a worker of another version, or a defect. They need a person.',
    labels: {},
  },
  diligence_outstanding_rows: {
    type: 'gauge',
    help: 'Issuances that this worker polls: accepted by the service, not settled yet.',
    labels: {},
  },
  diligence_oldest_outstanding_seconds: {
    type: 'gauge',
    help: 'Age of the oldest issuance that this worker polls, from its request; 0 when there is none.',
    labels: {},
  },
  diligence_http_calls_total: {
    type: 'counter',
    help: 'Calls to a service that ended, by route template and by how they ended: a class of HTTP status, no_answer (it may have arrived), not_sent (nothing left) or broken_off (a read that the worker gave up).',
    labels: call,
  },
  diligence_http_call_duration_seconds: {
    type: 'histogram',
    help: 'Time from the start of a call to a service to its last byte, without the wait for a permit.',
    labels: call,
    buckets: callBuckets,
  },
  diligence_http_calls_in_flight: {
    type: 'gauge',
    help: 'Calls to a service that are under way.',
    labels: { service: [] },
  },
  diligence_http_throttled_total: {
    type: 'counter',
    help: 'Answers 429 of a service: it was asked too often, and the worker slows down.',
    labels: { service: [] },
  },
  diligence_http_credentials_refused_total: {
    type: 'counter',
    help: 'Answers of a service that refuse our token (401, or 403 unauthorized): requests wait until it works.',
    labels: { service: [] },
  },
  diligence_service_rate: {
    type: 'gauge',
    help: 'Calls a second that this worker makes to a service at most now, and why: nothing was refused yet (growing), it stays below what was refused (refused), the settings allow no more (capped), or it holds no lease (no_lease).',
    labels: { service: [], reason: [] },
  },
  diligence_limiter_wait_seconds: {
    type: 'histogram',
    help: "Time that calls waited for a permit of the service's rate, whether they got it or gave up.",
    labels: { service: [], priority: [] },
    buckets: waitBuckets,
  },
} as const satisfies Record<`diligence_${string}`, Figure>;

export type FigureName = keyof typeof own | CounterName;

/** All metrics of a worker, by name. */
export const figures: Readonly<Record<string, Figure>> = {
  ...own,
  ...Object.fromEntries(
    Object.entries(counters).map(([name, counter]) => [name, { type: 'counter', ...counter }]),
  ),
};
