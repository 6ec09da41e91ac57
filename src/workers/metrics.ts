import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type {
  CertificateMetrics,
  CreditMetrics,
  LostAnswer,
  MonitorMetrics,
} from '../activities/dependencies';
import type { DossierMetrics } from '../activities/dependencies';
import type { CallObserver, CallReport } from '../apis/http/observer';
import { analysisStatuses } from '../domain/credit/work';
import type { LensMetrics } from '../activities/dependencies';
import type { ProfileMetrics } from '../activities/profiles/profiles';
import type { RetentionMetrics } from '../activities/core/retention';
import type { TraceMetrics } from '../activities/traces/traces';
import { dossierStatuses } from '../domain/dossiers/follow';
import { lensStatuses } from '../domain/lens/analyze';
import type { OutcomeRecord } from '../domain/certificates/outcomes';
import { profileStatuses } from '../domain/profiles/lookup';
import { nothingExpired, type RetentionCounts } from '../domain/core/retention';
import { standsForGood, traceStatuses } from '../domain/traces/search';

const outcomeStatuses: readonly OutcomeRecord['status'][] = [
  'issued',
  'failed',
  'expired',
  'unknown_outcome',
  'cancelled',
];
const waysToLose: readonly LostAnswer[] = ['no_answer', 'unreadable', 'status'];

/** Seconds. A call takes up to 35, a PDF up to 140. */
const callBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 35, 60, 140];
/** Seconds. Pauses that a service asks for last up to an hour. */
const waitBuckets = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 3_600];
/** Seconds. An upload may last as long as credit.timeoutSeconds allows: 10 minutes at most. */
const uploadBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** Seconds. A lookup is answered while one waits, or its service is out of order. */
const lookupBuckets = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];
/** Seconds. A search takes seconds to hours. */
const searchBuckets = [5, 15, 60, 300, 900, 3_600, 21_600, 86_400];
/** What a try to upload ends with. */
const uploadResults = ['accepted', 'refused', 'not_sent', 'unknown'] as const;

/**
 * The figures of one worker process, as Prometheus reads them (docs/reference/metrics.md lists them).
 * Labels hold words of ours and route templates: never a document, an id or a token.
 */
export class WorkerMetrics {
  readonly #registry = new Registry();
  readonly certificates: CertificateMetrics;
  readonly credit: CreditMetrics;
  readonly monitors: MonitorMetrics;
  readonly dossiers: DossierMetrics;
  readonly lens: LensMetrics;
  readonly traces: TraceMetrics;
  readonly profiles: ProfileMetrics;
  readonly retention: RetentionMetrics;
  readonly #calls;
  readonly #callSeconds;
  readonly #inFlight;
  readonly #throttled;
  readonly #unauthorized;
  readonly #waitSeconds;

  constructor(version: string, now: () => number = Date.now) {
    const registers = [this.#registry];
    // Finer, its timer alone would take a hundredth of a processor.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 50 });
    new Gauge({
      name: 'diligence_build_info',
      help: 'Always 1; the labels tell the version of diligence and of Node.js.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version, node: process.version }, 1);
    this.#calls = new Counter({
      name: 'diligence_http_calls_total',
      help: 'Calls to a service that ended, by route template and by how they ended: a class of HTTP status, no_answer (it may have arrived), not_sent (nothing left) or broken_off (a read that the worker gave up).',
      labelNames: ['service', 'method', 'route', 'status'],
      registers,
    });
    this.#callSeconds = new Histogram({
      name: 'diligence_http_call_duration_seconds',
      help: 'Time from the start of a call to a service to its last byte, without the wait for a permit.',
      labelNames: ['service', 'method', 'route', 'status'],
      buckets: callBuckets,
      registers,
    });
    this.#inFlight = new Gauge({
      name: 'diligence_http_calls_in_flight',
      help: 'Calls to a service that are under way.',
      labelNames: ['service'],
      registers,
    });
    this.#throttled = new Counter({
      name: 'diligence_http_throttled_total',
      help: 'Answers 429 of a service: it was asked too often, and the worker slows down.',
      labelNames: ['service'],
      registers,
    });
    this.#unauthorized = new Counter({
      name: 'diligence_http_credentials_refused_total',
      help: 'Answers of a service that refuse our token (401, or 403 unauthorized): requests wait until it works.',
      labelNames: ['service'],
      registers,
    });
    this.#waitSeconds = new Histogram({
      name: 'diligence_limiter_wait_seconds',
      help: "Time that calls waited for a permit of the service's rate, whether they got it or gave up.",
      labelNames: ['service', 'priority'],
      buckets: waitBuckets,
      registers,
    });
    this.certificates = certificateMetrics(this.#registry, now);
    this.credit = creditMetrics(this.#registry);
    this.monitors = monitorMetrics(this.#registry);
    this.dossiers = dossierMetrics(this.#registry);
    this.lens = lensMetrics(this.#registry);
    this.traces = traceMetrics(this.#registry);
    this.profiles = profileMetrics(this.#registry);
    this.retention = retentionMetrics(this.#registry);
  }

  /** What a service reports to. `service` is its name in the labels. */
  observerOf(service: string): CallObserver {
    this.#inFlight.set({ service }, 0);
    this.#throttled.inc({ service }, 0);
    this.#unauthorized.inc({ service }, 0);
    return {
      callStarted: () => this.#inFlight.inc({ service }),
      callEnded: (report) => {
        this.#inFlight.dec({ service });
        const { method, pathTemplate: route, durationMs } = report;
        const labels = { service, method, route, status: statusClass(report) };
        this.#calls.inc(labels);
        this.#callSeconds.observe(labels, durationMs / 1_000);
        if (report.status === 429) this.#throttled.inc({ service });
        if (report.credentialsRefused) this.#unauthorized.inc({ service });
      },
      permitAwaited: (priority, waitedMs) =>
        this.#waitSeconds.observe({ service, priority }, waitedMs / 1_000),
    };
  }

  /** The page of `/metrics`. */
  page(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}

function certificateMetrics(registry: Registry, now: () => number): CertificateMetrics {
  const registers = [registry];
  const watches = new Set<() => readonly number[]>();
  const rows = new Counter({
    name: 'diligence_rows_total',
    help: 'Outcomes of rows put on file by this worker. A row that goes again (a retryable failure, a decision) is counted once for each outcome.',
    labelNames: ['status'],
    registers,
  });
  const unknown = new Counter({
    name: 'diligence_unknown_outcomes_total',
    help: 'Rows put on file as unknown_outcome: they may have been bought, the id is lost, and a person decides.',
    registers,
  });
  const lost = new Counter({
    name: 'diligence_answers_lost_total',
    help: 'Requests that left and whose answer tells nothing: none came (no_answer), a 2xx without an id (unreadable), or a status such as 500 (status). Each may have been charged.',
    labelNames: ['reason'],
    registers,
  });
  for (const status of outcomeStatuses) rows.inc({ status }, 0);
  for (const reason of waysToLose) lost.inc({ reason }, 0);
  registry.registerMetric(
    new Gauge({
      name: 'diligence_outstanding_rows',
      help: 'Issuances under a watch of this worker: accepted by the service, not settled yet.',
      registers: [],
      collect() {
        let count = 0;
        for (const requestedAt of watches) count += requestedAt().length;
        this.set(count);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'diligence_oldest_outstanding_seconds',
      help: 'Age of the oldest issuance under a watch of this worker, from its request; 0 when there is none.',
      registers: [],
      collect() {
        const at = now();
        let oldest = at;
        for (const requestedAt of watches) {
          for (const instant of requestedAt()) oldest = Math.min(oldest, instant);
        }
        this.set((at - oldest) / 1_000);
      },
    }),
  );
  return {
    outcomesFiled: (records) => {
      for (const { status } of records) {
        rows.inc({ status });
        if (status === 'unknown_outcome') unknown.inc();
      }
    },
    answerLost: (reason) => lost.inc({ reason }),
    watchStarted: (requestedAt) => {
      watches.add(requestedAt);
      return () => watches.delete(requestedAt);
    },
  };
}

function creditMetrics(registry: Registry): CreditMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: 'diligence_analyses_total',
    help: 'Outcomes of analyses put on file by this worker. A decision about one makes another outcome.',
    labelNames: ['status'],
    registers,
  });
  const lost = new Counter({
    name: 'diligence_analysis_answers_lost_total',
    help: 'Uploads that left and whose answer tells nothing: none came (no_answer), a 2xx without an id (unreadable), or a status such as 500 (status). Each may have been charged.',
    labelNames: ['reason'],
    registers,
  });
  const seconds = new Histogram({
    name: 'diligence_upload_duration_seconds',
    help: 'Time of a try to upload a file for analysis, by what it ended with.',
    labelNames: ['result'],
    buckets: uploadBuckets,
    registers,
  });
  const bytes = new Counter({
    name: 'diligence_upload_bytes_total',
    help: 'Bytes of the files and ZIPs of tries to upload, by what each ended with; one that was turned away counts in full.',
    labelNames: ['result'],
    registers,
  });
  for (const status of analysisStatuses) ended.inc({ status }, 0);
  for (const reason of waysToLose) lost.inc({ reason }, 0);
  for (const result of uploadResults) bytes.inc({ result }, 0);
  return {
    analysisEnded: (status) => ended.inc({ status }),
    answerLost: (reason) => lost.inc({ reason }),
    uploadEnded: ({ result, bytes: size, durationMs }) => {
      seconds.observe({ result }, durationMs / 1_000);
      bytes.inc({ result }, size);
    },
  };
}

function monitorMetrics(registry: Registry): MonitorMetrics {
  const registers = [registry];
  const filed = new Counter({
    name: 'diligence_changes_filed_total',
    help: 'Changes of monitors put on file for the first time.',
    registers,
  });
  const delivered = new Counter({
    name: 'diligence_changes_delivered_total',
    help: 'Changes that a sink has taken; after a crash one may be counted twice.',
    labelNames: ['sink'],
    registers,
  });
  const acknowledged = new Counter({
    name: 'diligence_changes_acknowledged_total',
    help: 'Changes whose acknowledgement was put on file: ours (us), that of somebody else (elsewhere), or none, since the service does not know them any more (gone).',
    labelNames: ['by'],
    registers,
  });
  const stuck = new Counter({
    name: 'diligence_changes_stuck_total',
    help: 'Tries to bring a change through that failed, one for each sweep: at a sink (deliver) or at the service (acknowledge). `escalated`: it has failed so often that a person must look.',
    labelNames: ['step', 'escalated'],
    registers,
  });
  const unreadable = new Counter({
    name: 'diligence_changes_unreadable_total',
    help: 'Items of lists of changes that cannot be read, each time that they are listed.',
    registers,
  });
  const looked = new Counter({
    name: 'diligence_monitors_looked_total',
    help: 'Looks at monitors of a watch: nothing to do (idle), a sweep is due (due), or it could not be had (failing).',
    labelNames: ['result'],
    registers,
  });
  for (const by of ['us', 'elsewhere', 'gone']) acknowledged.inc({ by }, 0);
  for (const step of ['deliver', 'acknowledge']) {
    for (const escalated of ['true', 'false']) stuck.inc({ step, escalated }, 0);
  }
  for (const result of ['idle', 'due', 'failing']) looked.inc({ result }, 0);
  return {
    changesFiled: (count) => filed.inc(count),
    changesDelivered: (sink, count) => delivered.inc({ sink }, count),
    changesAcknowledged: (by, count) => acknowledged.inc({ by }, count),
    changeStuck: (step, escalated) => stuck.inc({ step, escalated: String(escalated) }),
    changesUnreadable: (count) => unreadable.inc(count),
    monitorsLooked: (result, count) => looked.inc({ result }, count),
  };
}

function dossierMetrics(registry: Registry): DossierMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: 'diligence_dossiers_total',
    help: 'Outcomes of dossiers put on file by this worker. One that is followed again has another.',
    labelNames: ['status'],
    registers,
  });
  const retries = new Counter({
    name: 'diligence_dossier_retries_total',
    help: 'Requests for another attempt at a dossier that came to an end: accepted, accepted as its status showed after the answer was lost (read_back), refused, not sent since somebody else had begun one (not_sent), or left open at the end of its work (unknown).',
    labelNames: ['result'],
    registers,
  });
  for (const status of dossierStatuses) ended.inc({ status }, 0);
  for (const result of ['accepted', 'read_back', 'refused', 'not_sent', 'unknown']) {
    retries.inc({ result }, 0);
  }
  return {
    dossierEnded: (status) => ended.inc({ status }),
    retryEnded: (result) => retries.inc({ result }),
  };
}

function lensMetrics(registry: Registry): LensMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: 'diligence_lens_analyses_total',
    help: 'Outcomes of analyses of files put on file by this worker.',
    labelNames: ['status'],
    registers,
  });
  const uploads = new Counter({
    name: 'diligence_lens_uploads_total',
    help: 'Files handed in: taken, refused by the store, or expired before they arrived, so that another analysis was to be made.',
    labelNames: ['result'],
    registers,
  });
  for (const status of lensStatuses) ended.inc({ status }, 0);
  for (const result of ['taken', 'refused', 'expired']) uploads.inc({ result }, 0);
  return {
    lensEnded: (status) => ended.inc({ status }),
    uploadEnded: (result) => uploads.inc({ result }),
  };
}

function traceMetrics(registry: Registry): TraceMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: 'diligence_traces_total',
    help: 'Outcomes of searches put on file by this worker. One that is gone on with has another.',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'diligence_trace_duration_seconds',
    help: 'Time from the start of a search to its outcome.',
    labelNames: ['status'],
    buckets: searchBuckets,
    registers,
  });
  const billed = new Counter({
    name: 'diligence_trace_billing_amount_total',
    help: 'Sum of the amounts that the service told as charged for searches that have settled, each once, in its own unit.',
    registers,
  });
  for (const status of traceStatuses) ended.inc({ status }, 0);
  return {
    searchEnded: (outcome) => {
      const { status, seen } = outcome;
      ended.inc({ status });
      seconds.observe({ status }, secondsOf(outcome));
      const { amount = null, status: word = null } = seen?.billing ?? {};
      // One that has not settled may be followed again, and tells its billing then.
      const isCharged = standsForGood(outcome) && word !== 'not_charged';
      if (isCharged && amount !== null && amount > 0) billed.inc(amount);
    },
  };
}

function profileMetrics(registry: Registry): ProfileMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: 'diligence_profile_lookups_total',
    help: 'Outcomes of lookups of profiles put on file by this worker.',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'diligence_profile_lookup_duration_seconds',
    help: 'Time from the start of a lookup to its outcome.',
    labelNames: ['status'],
    buckets: lookupBuckets,
    registers,
  });
  const answers = new Counter({
    name: 'diligence_profile_answers_total',
    help: 'Profiles that the service answered with. Each may have been charged.',
    registers,
  });
  for (const status of profileStatuses) ended.inc({ status }, 0);
  return {
    lookupEnded: (outcome) => {
      const { status, answered } = outcome;
      ended.inc({ status });
      seconds.observe({ status }, secondsOf(outcome));
      answers.inc(answered);
    },
  };
}

function secondsOf({ startedAt, settledAt }: { startedAt: string; settledAt: string }): number {
  return Math.max(0, Date.parse(settledAt) - Date.parse(startedAt)) / 1_000;
}

function statusClass({ ending, status }: CallReport): string {
  return status === null ? ending : `${Math.floor(status / 100)}xx`;
}

function retentionMetrics(registry: Registry): RetentionMetrics {
  const jobs = new Counter({
    name: 'diligence_retention_jobs_total',
    help: 'Jobs older than DILIGENCE_RETENTION lets them be that a run came to: erased, left since they run (under_way), or left since something of them may have been bought and nobody has decided (undecided).',
    labelNames: ['result'],
    registers: [registry],
  });
  const count = ({ erased, underWay, undecided }: RetentionCounts): void => {
    jobs.inc({ result: 'erased' }, erased);
    jobs.inc({ result: 'under_way' }, underWay);
    jobs.inc({ result: 'undecided' }, undecided);
  };
  count(nothingExpired);
  return { jobsExpired: count };
}
