import { join } from 'node:path';
import { Client } from 'pg';
import { findIdKey } from '../../src/store/sealed/find-id-key';
import { openPostgres } from '../../src/store/postgres/database';
import { Installation } from '../support/diligence-process';
import { PostgresServer } from '../support/postgres-server';

interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  fix: string | null;
}

describe('a store on PostgreSQL', () => {
  let database: PostgresServer;
  let place: Installation;

  beforeAll(async () => {
    database = await PostgresServer.start(['fsync=off', 'synchronous_commit=off']);
    place = await Installation.start({}, { DILIGENCE_STORE_URL: database.url() });
  }, 60_000);

  afterAll(async () => {
    await place.stop();
    await database.stop();
  }, 60_000);

  async function ask<T extends object>(sql: string): Promise<T[]> {
    const client = new Client({ connectionString: database.url() });
    await client.connect();
    try {
      return (await client.query<T>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  const inBlobs = () => ({ DILIGENCE_BLOBS_URL: `${place.folder}/blobs` });

  async function findings(): Promise<Finding[]> {
    const { stdout } = await place.run(['doctor', '--json'], inBlobs());
    const { findings: all } = JSON.parse(stdout) as { findings: Finding[] };
    return all.filter(({ check }) => check === 'store');
  }

  test('is refused without a directory of bytes, and nothing is made', async () => {
    const { code, stderr } = await place.run(['setup']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('DILIGENCE_BLOBS_URL')]);
    expect(await ask(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  }, 30_000);

  test('is made by `setup`, which may run again, and shows no password', async () => {
    const url = new URL(database.url());
    url.password = 'hidden';
    const env = { ...inBlobs(), DILIGENCE_STORE_URL: url.href };
    const first = await place.run(['setup'], env);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toContain(`store postgres://127.0.0.1:${database.port}/postgres is ready`);
    expect(first.stdout).not.toContain('hidden');
    const before = await ask('SELECT id FROM install');
    expect((await place.run(['setup', '--json'], env)).code).toBe(0);
    expect(await ask('SELECT id FROM install')).toEqual(before);
  }, 60_000);

  test('that does not flush, or has a standby for which nobody waits, is told by `doctor` with the fix', async () => {
    expect(await findings()).toMatchObject([
      { state: 'ok', detail: expect.stringContaining('PostgreSQL 18') },
      { state: 'warn', detail: expect.stringContaining('fsync'), fix: expect.any(String) },
    ]);
    const standby = new Client({ connectionString: database.url(), replication: 'true' } as never);
    await standby.connect();
    expect(await findings()).toMatchObject([
      { state: 'ok' },
      { state: 'warn' },
      {
        state: 'warn',
        detail: expect.stringContaining('standby'),
        fix: expect.stringContaining('synchronous_standby_names'),
      },
    ]);
    await standby.end();
  }, 60_000);

  test('does not keep a command that is done from ending', async () => {
    const { code } = await place.begin(['list'], inBlobs()).result;
    expect(code).toBe(0);
    // Connections are given up after 10 s.
  }, 8_000);

  test('commits together what is asked for together, beside the pages of a batch', async () => {
    const { idKey } = await findIdKey(join(place.folder, 'data'), null);
    const opened = await openPostgres(database.url(), `${place.folder}/blobs`, idKey);
    const sql = 'SELECT txid_current() AS tx';
    const page = { sql: `${sql}, ARRAY[${'?, '.repeat(999)}?]`, parameters: Array(1_000).fill('') };
    const asked = [{ sql, parameters: [] }, page, { sql, parameters: [] }];
    const ended = await Promise.all(asked.map((one) => opened.commit([one])));
    const [first, beside, second] = ended.map(([result]) => result?.rows.at(0));
    expect(first).toEqual(second);
    expect(beside).not.toMatchObject(first ?? {});
    await opened.close();
  }, 60_000);

  test('flushes what is written, whatever the database says to others', async () => {
    const { idKey } = await findIdKey(join(place.folder, 'data'), null);
    const url = database.url();
    const opened = await openPostgres(url, `${place.folder}/blobs`, idKey);
    const sql = `SELECT current_setting('synchronous_commit') AS flushed`;
    const [result] = await opened.commit([{ sql, parameters: [] }]);
    expect(result?.rows).toEqual([{ flushed: 'on' }]);
    await opened.close();
  }, 60_000);

  test('of a later version is refused by commands and workers, which say what to do', async () => {
    await ask('UPDATE schema_version SET version = version + 1');
    const refused = expect.stringMatching(/later version .*update this program/);
    for (const words of [['list'], ['setup']]) {
      const { code, stderr } = await place.run(words, inBlobs());
      expect([words, code, stderr]).toEqual([words, 1, refused]);
    }
    await expect(place.startWorker(inBlobs())).rejects.toThrow(/update this program/);
    expect(await findings()).toMatchObject([{ state: 'fail', detail: refused }]);
  }, 60_000);
});
