import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import * as fc from 'fast-check';
import { contradictions, everyFault, explainedByDeath, postsOf } from '../support/batch-account';
import { Installation, readSheetLines, sandboxToken } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { sized } from '../support/full-size';
import { configured } from '../support/configured';

const capSeconds = sized(40, 600);
/** That of the first round; each one after it has the next. */
const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 1_000_000);

/** What happens to the installation once a share of the rows has been requested. */
const disturbance = fc.record({
  atShare: fc.double({ min: 0.02, max: 0.98, noNaN: true }),
  kind: fc.constantFrom(
    'kill worker',
    'kill worker',
    'stop worker',
    'freeze worker',
    'kill server',
    'terminate batch',
    'revoke token',
  ),
  lastsMs: fc.integer({ min: 0, max: 4_000 }),
});

const plan = fc.record({
  rows: fc.integer({ min: 10, max: 90 }),
  laneRows: fc.option(fc.integer({ min: 10, max: 60 }), { nil: undefined }),
  concurrency: fc.integer({ min: 2, max: 80 }),
  onUnknown: fc.constantFrom('report' as const, 'report' as const, 'reissue' as const),
  rps: fc.integer({ min: 20, max: 400 }),
  scenarioSeed: fc.nat({ max: 100_000 }),
  waitingMs: fc.integer({ min: 0, max: 300 }),
  processingMs: fc.integer({ min: 50, max: 4_000 }),
  latencyMs: fc.integer({ min: 0, max: 250 }),
  rate: fc.double({ min: 0, max: 0.25, noNaN: true }),
  kinds: fc.subarray(everyFault, { minLength: 1 }),
  disturbances: fc.array(disturbance, { maxLength: 3 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never;
type Disturbance = Plan['disturbances'][number];

/** One batch under its plan: returns what contradicts the account, as sentences. */
class Round {
  readonly #plan: Plan;
  readonly #place: Installation;
  #worker: ChildProcess;
  #deaths = 0;

  private constructor(thePlan: Plan, place: Installation, worker: ChildProcess) {
    this.#plan = thePlan;
    this.#place = place;
    this.#worker = worker;
  }

  static async run(thePlan: Plan): Promise<string[]> {
    const { waitingMs, processingMs, latencyMs, rate, kinds, scenarioSeed } = thePlan;
    const place = await Installation.startAlone(
      {
        issuance: { waitingMs: [0, waitingMs], processingMs: [20, processingMs] },
        latencyMs: [0, latencyMs],
        background: { rate, kinds: kinds as never },
      },
      {
        CERTIFICATES_RPS: String(thePlan.rps),
        ...configured({ certificates: { timeoutSeconds: 2 } }),
      },
      scenarioSeed,
    );
    try {
      await writeFile(join(place.folder, 'input.csv'), sheetOf(thePlan.rows));
      const round = new Round(thePlan, place, await place.startWorker());
      return await round.#toItsEnd();
    } finally {
      await place.stop();
    }
  }

  async #toItsEnd(): Promise<string[]> {
    let over = false;
    const disturbing = this.#disturb(() => over);
    const code = await this.#bringHome().finally(() => (over = true));
    await disturbing;
    if (code !== 0 && code !== 3) return [`the command ended with ${code}`];
    const { rows, onUnknown, laneRows } = this.#plan;
    const folder = join(this.#place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    const asked = Array.from({ length: rows }, (_, index) => cnpj(index + 1));
    const { died, wrong } = explainedByDeath(
      await contradictions(this.#place.sandbox, lines, folder, onUnknown),
    );
    if (lines.map(({ document }) => document).join() !== asked.join()) wrong.push('lines differ');
    // One row per run in flight, three runs a lane.
    const lanes = laneRows === undefined ? 1 : Math.ceil(rows / laneRows);
    if (died.length > this.#deaths * 3 * lanes) wrong.push(...died);
    const held = new Set(
      this.#place.sandbox.state().certificates.map((one) => one.certificate['certidao_id']),
    );
    for (const { line, certidao_id: certidaoId, status } of lines) {
      if (status === 'issued' && !held.has(certidaoId)) wrong.push(`line ${line}: not its own id`);
      if (status === 'cancelled' || status === 'expired') wrong.push(`line ${line}: ${status}`);
    }
    return wrong;
  }

  /** A command whose batch is terminated under it is run again, as a person would. */
  async #bringHome(): Promise<number | null> {
    const { laneRows, concurrency, onUnknown } = this.#plan;
    const args = [
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--out',
      'out',
      '--deadline',
      '10m',
      '--concurrency',
      String(concurrency),
      '--on-unknown',
      onUnknown,
      ...(laneRows === undefined ? [] : ['--lane-rows', String(laneRows)]),
    ];
    const terminations = this.#plan.disturbances.filter(({ kind }) => kind === 'terminate batch');
    for (let left = terminations.length; ; left -= 1) {
      const { code, stderr } = await this.#place.run(args);
      if (code === 0 || code === 3) return code;
      if (left === 0) throw new Error(`the command ended with ${code}: ${stderr}`);
    }
  }

  async #disturb(isOver: () => boolean): Promise<void> {
    const inOrder = this.#plan.disturbances.toSorted((a, b) => a.atShare - b.atShare);
    for (const one of inOrder) {
      while (postsOf(this.#place.sandbox).length < one.atShare * this.#plan.rows) {
        if (isOver()) return;
        await sleep(20);
      }
      await this.#strike(one);
    }
  }

  async #strike({ kind, lastsMs }: Disturbance): Promise<void> {
    const place = this.#place;
    switch (kind) {
      case 'kill worker':
      case 'stop worker': {
        if (kind === 'kill worker') this.#deaths += 1;
        const exited = once(this.#worker, 'exit');
        this.#worker.kill(kind === 'kill worker' ? 'SIGKILL' : 'SIGTERM');
        await exited;
        await sleep(lastsMs);
        this.#worker = await place.startWorker();
        return;
      }
      case 'freeze worker':
        // Longer than the time of a call: an answer that comes meanwhile may count as lost.
        this.#deaths += 1;
        this.#worker.kill('SIGSTOP');
        await sleep(lastsMs);
        this.#worker.kill('SIGCONT');
        return;
      case 'kill server':
        process.kill(place.server.pid, 'SIGKILL');
        await place.server.exited;
        await sleep(lastsMs);
        await place.restartServer();
        return;
      case 'terminate batch': {
        const { workflow } = await place.client();
        const listed = await place.run(['list', '--json']);
        const [work] = (JSON.parse(listed.stdout) as { jobs: { id: string }[] }).jobs;
        // Ended already: nothing to terminate.
        await workflow
          .getHandle(work?.id ?? '')
          .terminate('by the fuzz test')
          .catch(() => undefined);
        return;
      }
      case 'revoke token':
        place.sandbox.setToken(sandboxToken, false);
        await sleep(lastsMs);
        place.sandbox.setToken(sandboxToken, true);
    }
  }
}

describe('random scenarios, faults and kills', () => {
  test(
    `lose nothing and buy nothing silently twice (seed ${seed}, ${capSeconds} s)`,
    async () => {
      const deadlineAt = Date.now() + capSeconds * 1_000;
      let rounds = 0;
      for (; Date.now() < deadlineAt; rounds += 1) {
        const roundSeed = seed + rounds;
        const [thePlan] = fc.sample(plan, { seed: roundSeed, numRuns: 1 });
        if (thePlan === undefined) throw new Error('no plan');
        const how = `PROPERTY_SEED=${roundSeed}: ${JSON.stringify(thePlan)}`;
        const wrong = await Round.run(thePlan).catch((error: unknown) => [String(error)]);
        expect({ how, wrong }).toEqual({ how, wrong: [] });
      }
      process.stderr.write(`fuzz: ${rounds} rounds from seed ${seed}\n`);
    },
    capSeconds * 1_000 + 400_000,
  );
});
