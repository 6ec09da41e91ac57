const sampleEveryMs = 250;
/** Some milliseconds of work on an idle machine: it shows who else wants the cores. */
const turns = 3_000_000;

/**
 * How much longer work takes while a test runs than it would on the same machine alone, so that a
 * bound in seconds tells of the product and not of its neighbours: multiply the bound by it.
 */
export class MachineLoad {
  readonly #took: number[] = [];
  readonly #timer = setInterval(() => this.#sample(), sampleEveryMs).unref();

  /** Stops the watch. @returns 1 on a machine that nobody else used, 3 where work took thrice as long */
  slowness(): number {
    clearInterval(this.#timer);
    this.#sample();
    const mean = this.#took.reduce((sum, ms) => sum + ms, 0) / this.#took.length;
    return mean / Math.min(...this.#took);
  }

  #sample(): void {
    const from = performance.now();
    let sum = 0;
    for (let turn = 0; turn < turns; turn += 1) sum = (sum * 31 + turn) % 65_521;
    this.#took.push(performance.now() - from + (sum < 0 ? 1 : 0));
  }
}
