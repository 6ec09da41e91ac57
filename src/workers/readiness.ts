import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../store/store';
import { StoreError } from '../store/store-error';
import type { RunningWorkers } from './run-workers';

/** Response of `/readyz`. */
export interface Readiness {
  ready: boolean;
  state: 'starting' | 'running' | 'stopping';
  /** `ok`, or a sentence about the problem. */
  checks: { workers: string; engine: string; store: string };
}

/** Whether this worker can work now. */
export class ReadinessProbe {
  readonly #store: Store;
  readonly #patienceMs: number;
  #workers: RunningWorkers | null = null;
  #state: Readiness['state'] = 'starting';

  /** @param patienceMs longer than a response takes, shorter than the timeouts of probes */
  constructor(store: Store, patienceMs = 2_000) {
    this.#store = store;
    this.#patienceMs = patienceMs;
  }

  started(workers: RunningWorkers): void {
    this.#workers = workers;
    this.#state = 'running';
  }

  stopping(): void {
    this.#state = 'stopping';
  }

  async look(): Promise<Readiness> {
    const workers = this.#workers;
    const idle = workers?.idleQueues() ?? [];
    const [engine, store] = await Promise.all([
      workers === null
        ? 'not connected yet'
        : this.#verdict(
            workers.reachEngine(this.#patienceMs),
            'the Temporal server does not answer',
          ),
      this.#verdict(this.#store.prove(), 'the store cannot be read and written'),
    ]);
    const polling = idle.length === 0 ? 'ok' : `not polling: ${idle.join(', ')}`;
    const checks = { workers: workers === null ? 'not started yet' : polling, engine, store };
    const ready = Object.values(checks).every((check) => check === 'ok');
    return { ready: ready && this.#state === 'running', state: this.#state, checks };
  }

  /** Names of errors only: a message may quote a path or an address. */
  #verdict(check: Promise<unknown>, sentence: string): Promise<string> {
    const ms = this.#patienceMs;
    return Promise.race([
      check.then(
        () => 'ok',
        (error: unknown) => `${sentence} (${nameOf(error)})`,
      ),
      sleep(ms, `${sentence} (nothing within ${ms} ms)`, { ref: false }),
    ]);
  }
}

function nameOf(error: unknown): string {
  if (error instanceof StoreError) return `${error.name}: ${error.code}`;
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error';
}
