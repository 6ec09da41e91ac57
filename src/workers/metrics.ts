import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Count } from '../activities/counters';
import type { CertificateMetrics } from '../activities/dependencies';
import type { CallObserver, CallReport } from '../apis/http/observer';
import { kindFacts } from '../domain/job';
import type { Store } from '../store/store';
import type { SharedRate } from './rate-leases';
import { figures, type Figure, type FigureName } from './figures';

type Labels = Record<string, string>;

/** Initial zeros, so that an increase is visible. */
function* zeros(): Generator<readonly [FigureName, Labels]> {
  for (const [name, { type, labels }] of Object.entries(figures)) {
    let known: Labels[] = type === 'counter' && Object.keys(labels).length > 0 ? [{}] : [];
    for (const [label, values] of Object.entries(labels))
      known = known.flatMap((so) => values.map((value) => ({ ...so, [label]: value })));
    for (const each of known) yield [name as FigureName, each];
  }
  for (const [kind, { rows, statuses }] of Object.entries(kindFacts))
    if (rows === undefined)
      for (const status of Object.keys(statuses))
        yield ['diligence_outcomes_total', { kind, status }];
}

/** The metrics of one worker process for Prometheus: those of `figures`, and the usual ones of Node. */
export class WorkerMetrics implements CertificateMetrics {
  readonly #registry = new Registry();
  readonly #now: () => number;
  /** Request instants of the polled issuances. */
  readonly #polled = new Set<() => readonly number[]>();
  #standing: () => number = () => 0;
  #store: Store | null = null;
  #rates: readonly SharedRate[] = [];

  constructor(version: string, now: () => number = Date.now) {
    this.#now = now;
    // A finer resolution would take a hundredth of a processor.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 50 });
    for (const [name, figure] of Object.entries(figures)) this.#register(name, figure);
    this.#gauge('diligence_build_info').set({ version, node: process.version }, 1);
    for (const [name, labels] of zeros()) this.#count(name, labels, 0);
  }

  readonly count: Count = (name, labels, by) => this.#count(name, labels as Labels, by);

  pollStarted(requestedAt: () => readonly number[]): () => void {
    this.#polled.add(requestedAt);
    return () => this.#polled.delete(requestedAt);
  }

  /** Observer of a service. `service`: its name in the labels. */
  observerOf(service: string): CallObserver {
    const inFlight = this.#gauge('diligence_http_calls_in_flight');
    inFlight.set({ service }, 0);
    this.#count('diligence_http_throttled_total', { service }, 0);
    this.#count('diligence_http_credentials_refused_total', { service }, 0);
    return {
      callStarted: () => inFlight.inc({ service }),
      callEnded: (report) => {
        inFlight.dec({ service });
        const { method, pathTemplate: route, durationMs } = report;
        const labels = { service, method, route, status: statusClass(report) };
        this.#count('diligence_http_calls_total', labels);
        this.#time('diligence_http_call_duration_seconds', labels, durationMs);
        if (report.status === 429) this.#count('diligence_http_throttled_total', { service });
        if (report.credentialsRefused)
          this.#count('diligence_http_credentials_refused_total', { service });
      },
      permitAwaited: (priority, waitedMs) =>
        this.#time('diligence_limiter_wait_seconds', { service, priority }, waitedMs),
    };
  }

  /** Sources: the store's jobs, the number of stalled workflows, and the rates. */
  watch(store: Store, stalled: () => number, rates: readonly SharedRate[] = []): void {
    this.#store = store;
    this.#standing = stalled;
    this.#rates = rates;
  }

  /** The page of `/metrics`. */
  async page(): Promise<string> {
    await this.#measure();
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #register(name: string, { type, help, labels, buckets }: Figure): void {
    const about = { name, help, labelNames: Object.keys(labels), registers: [] };
    this.#registry.registerMetric(
      type === 'counter'
        ? new Counter(about)
        : type === 'gauge'
          ? new Gauge(about)
          : new Histogram({ ...about, buckets: [...(buckets ?? [])] }),
    );
  }

  #gauge(name: FigureName): Gauge {
    return this.#registry.getSingleMetric(name) as Gauge;
  }

  #count(name: FigureName, labels: Labels, by = 1): void {
    (this.#registry.getSingleMetric(name) as Counter).inc(labels, by);
  }

  #time(name: FigureName, labels: Labels, ms: number): void {
    const histogram = this.#registry.getSingleMetric(name) as Histogram;
    histogram.observe(labels, Math.max(0, ms) / 1_000);
  }

  async #measure(): Promise<void> {
    const at = this.#now();
    const polled = [...this.#polled].flatMap((requestedAt) => requestedAt());
    const oldest = polled.reduce((first, one) => Math.min(first, one), at);
    this.#gauge('diligence_outstanding_rows').set(polled.length);
    this.#gauge('diligence_oldest_outstanding_seconds').set((at - oldest) / 1_000);
    this.#gauge('diligence_workflows_standing_still').set(this.#standing());
    const perSecond = this.#gauge('diligence_service_rate');
    perSecond.reset();
    for (const { name: service, rate } of this.#rates)
      perSecond.set({ service, reason: rate.reason }, rate.perSecond);
    // While the store is unavailable the values stay: `/readyz` reports it.
    const backlog = await this.#store?.inbox.backlog().catch(() => null);
    if (backlog == null) return;
    const [open, attention, age] = [
      this.#gauge('diligence_jobs_open'),
      this.#gauge('diligence_jobs_needing_attention'),
      this.#gauge('diligence_jobs_oldest_open_seconds'),
    ];
    for (const gauge of [open, attention, age]) gauge.reset();
    for (const { kind, open: count, attention: needed, oldestAt } of backlog) {
      open.set({ kind }, count);
      attention.set({ kind }, needed);
      age.set({ kind }, oldestAt === null ? 0 : (at - Date.parse(oldestAt)) / 1_000);
    }
  }
}

function statusClass({ ending, status }: CallReport): string {
  return status === null ? ending : `${Math.floor(status / 100)}xx`;
}
