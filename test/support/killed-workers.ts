import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type Installation } from './diligence-process';

/** How many items stood in which phase. */
export type Phases = Readonly<Record<string, number>>;

/** The worker of an installation, killed with kill -9 again and again and followed by another. */
export class KilledWorkers {
  readonly #place: Installation;
  #worker: ChildProcess;
  /** What was under way at each kill. */
  readonly kills: Phases[] = [];
  readonly #killedAt: number[] = [];

  private constructor(place: Installation, worker: ChildProcess) {
    this.#place = place;
    this.#worker = worker;
  }

  static async start(place: Installation): Promise<KilledWorkers> {
    return new KilledWorkers(place, await place.startWorker());
  }

  /**
   * Kills as soon as items stand in the phases as wanted, and starts the next worker.
   *
   * @param meanwhile while there is none
   */
  async killWhen(
    what: string,
    phases: () => Phases,
    isDue: (phases: Phases) => boolean,
    meanwhile: () => void = () => undefined,
  ): Promise<void> {
    let seen: Phases = {};
    // To look costs the sandbox, which runs in this process.
    const look = async (): Promise<boolean> => {
      await sleep(100);
      return isDue((seen = phases()));
    };
    await eventually(what, look, 240_000);
    const exited = once(this.#worker, 'exit');
    this.#worker.kill('SIGKILL');
    this.#killedAt.push(Date.now());
    await exited;
    this.kills.push(seen);
    meanwhile();
    this.#worker = await this.#place.startWorker();
  }

  /** Items that stood in a phase when the worker was killed, over all kills. */
  interrupted(phase: string): number {
    return this.kills.reduce((sum, phases) => sum + (phases[phase] ?? 0), 0);
  }

  /** Whether a worker was killed while a work went on, by its outcome. */
  killedDuring({ startedAt, settledAt }: { startedAt: string; settledAt: string }): boolean {
    const begun = Date.parse(startedAt);
    return this.killedAfter(begun, Date.parse(settledAt) - begun);
  }

  /** Whether a worker was killed so soon after an instant, in epoch milliseconds. */
  killedAfter(at: number, withinMs: number): boolean {
    return this.#killedAt.some((killedAt) => killedAt >= at && killedAt - at < withinMs);
  }
}
