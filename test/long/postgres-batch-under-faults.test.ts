import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { contradictions, postsOf } from '../support/batch-account';
import { DatabaseLink, type CutCommit } from '../support/database-link';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { sized } from '../support/full-size';
import { PostgresServer } from '../support/postgres-server';

const faults = sized(9, 200);
const rows = faults * 20;
const stopMs = sized(3_000, 60_000);
const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 1_000_000);

type Fault = (typeof loud)[number] | 'silent';
/** Of the end of a claim, or of any commit; each of these is met at least once. */
const loud = [
  'claim never arrives',
  'claim arrives late',
  'claim is done, and its answer is lost',
  'commit never arrives',
  'commit arrives late',
  'commit is done, and its answer is lost',
  'all are cut',
  'killed',
] as const;
/** Noticed by time-outs alone, half a minute each. */
const silentWeight = sized(0, 1);

/** Each kind at least once, the others drawn; in the middle the database is stopped for long. */
function plan(): { fault: Fault; at: number }[] {
  const drawn = fc.record({
    fault: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...loud) },
      { weight: silentWeight, arbitrary: fc.constant('silent' as const) },
    ),
    at: fc.double({ min: 0.02, max: 0.9, noNaN: true }),
  });
  const all = fc.sample(drawn, { seed, numRuns: faults });
  return all
    .map(({ fault, at }, n) => ({ fault: loud[n] ?? fault, at: at * rows }))
    .toSorted((one, other) => one.at - other.at);
}

describe('a batch whose database is cut off, killed and stopped again and again', () => {
  let database: PostgresServer;
  let link: DatabaseLink;
  let place: Installation;

  beforeAll(async () => {
    database = await PostgresServer.start();
    link = await DatabaseLink.to(database.port);
    place = await Installation.start(
      {
        latencyMs: [20, 60],
        issuance: { waitingMs: [20, 50], processingMs: [300, 900], distribution: 'uniform' },
      },
      {
        DILIGENCE_STORE_URL: `postgres://diligence@127.0.0.1:${link.port}/postgres`,
        DILIGENCE_BLOBS_URL: join(database.shared, 'blobs'),
      },
    );
    await place.startWorker();
  }, 60_000);

  afterAll(async () => {
    await place.stop();
    await link.close();
    await database.stop();
  }, 60_000);

  const bought = (): number => postsOf(place.sandbox).filter(({ accepted }) => accepted).length;

  async function strike(fault: Fault): Promise<void> {
    if (fault === 'all are cut') link.cutAll();
    else if (fault === 'silent') link.silenceAll();
    else if (fault === 'killed') {
      await database.down('SIGKILL');
      await database.up();
    } else {
      const [what = ''] = fault.split(' ');
      const how = fault.slice(what.length + 1) as CutCommit;
      await link.cutNextCommit(how, what === 'claim' ? 'INSERT INTO attempt' : '');
    }
  }

  test(
    `buys each document once and brings each home by itself (seed ${seed}, ${faults} faults)`,
    async () => {
      await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
      const batch = ['certificate', 'batch', '--input', 'input.csv', '--deadline', '60m'];
      const { stdout } = await place.run([...batch, '--detach', '--json']);
      const { id } = JSON.parse(stdout) as { id: string };
      const struck: Partial<Record<Fault, number>> = {};
      const longestMs: Partial<Record<Fault, number>> = {};
      for (const [n, { fault, at }] of plan().entries()) {
        await eventually('it is so far', () => bought() >= at, 120_000);
        await strike(fault);
        struck[fault] = (struck[fault] ?? 0) + 1;
        if (n === Math.floor(faults / 2)) {
          await database.down('SIGINT');
          await sleep(stopMs);
          await database.up();
        }
        const before = bought();
        const from = Date.now();
        await eventually(`it goes on after ${n} ${fault}`, () => bought() > before, 120_000);
        longestMs[fault] = Math.max(longestMs[fault] ?? 0, Date.now() - from);
      }
      const result = (await place.client()).workflow.getHandle(id).result();
      await result;
      const { code } = await place.run(['result', id, '--out', 'out']);
      const folder = join(place.folder, 'out');
      const lines = await readSheetLines(join(folder, 'results.csv'));
      expect(lines.map(({ document }) => document)).toEqual(
        Array.from({ length: rows }, (_, index) => cnpj(index + 1)),
      );
      expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
      expect([code, lines.filter(({ status }) => status !== 'issued')]).toEqual([0, []]);
      const times = lines.map(({ attempts }) => Number(attempts));
      process.stderr.write(
        `${JSON.stringify({ seed, struck, longestMs, attempts: Math.max(...times) })}\n`,
      );
      const verified = await place.run(['audit', 'verify']);
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('intact')]);
    },
    sized(180_000, 3_000_000),
  );
});
