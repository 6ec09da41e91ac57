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

/** Longer than a response takes, shorter than the timeouts of probes. */
const usualPatienceMs = 2_000;
/** Faster probes share a response: each one writes to the store. */
const freshForMs = 1_000;

/** Whether this worker can work now. */
export class ReadinessProbe {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #patienceMs: number;
  #workers: RunningWorkers | null = null;
  #stopping = false;
  #last: { at: number; checks: Promise<Readiness['checks']> } | null = null;

  /** @param patienceMs time for server and store to respond */
  constructor(store: Store, now: () => number = Date.now, patienceMs: number = usualPatienceMs) {
    this.#store = store;
    this.#now = now;
    this.#patienceMs = patienceMs;
  }

  started(workers: RunningWorkers): void {
    this.#workers = workers;
    this.#last = null;
  }

  stopping(): void {
    this.#stopping = true;
  }

  async look(): Promise<Readiness> {
    const workers = this.#workers;
    if (this.#last === null || this.#now() - this.#last.at > freshForMs) {
      this.#last = { at: this.#now(), checks: this.#check(workers) };
    }
    const checks = await this.#last.checks;
    const state = this.#stopping ? 'stopping' : workers === null ? 'starting' : 'running';
    const allOk = Object.values(checks).every((reported) => reported === 'ok');
    return { ready: allOk && state === 'running', state, checks };
  }

  async #check(workers: RunningWorkers | null): Promise<Readiness['checks']> {
    const idle = workers?.idleQueues() ?? [];
    const patienceMs = this.#patienceMs;
    const [engine, store] = await Promise.all([
      workers === null
        ? 'not connected yet'
        : verdict(
            workers.reachEngine(patienceMs),
            'the Temporal server does not answer',
            patienceMs,
          ),
      verdict(this.#store.prove(), 'the store cannot be read and written', patienceMs),
    ]);
    return {
      workers:
        workers === null
          ? 'not started yet'
          : idle.length === 0
            ? 'ok'
            : `not polling: ${idle.join(', ')}`,
      engine,
      store,
    };
  }
}

/** Names of errors only: a message may quote a path or an address. */
async function verdict(
  check: Promise<unknown>,
  sentence: string,
  patienceMs: number,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`${sentence} (nothing within ${patienceMs} ms)`), patienceMs);
  });
  const reported = check.then(
    () => 'ok',
    (error: unknown) => `${sentence} (${nameOf(error)})`,
  );
  try {
    return await Promise.race([reported, late]);
  } finally {
    clearTimeout(timer);
  }
}

function nameOf(error: unknown): string {
  if (error instanceof StoreError) return `${error.name}: ${error.code}`;
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error';
}
