import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Claim } from '../../src/domain/core/service/attempts';
import { IdKey } from '../../src/protection/id-key';
import { AuditTrail } from '../../src/store/audit/trail';
import { verifyAudit } from '../../src/store/audit/verify';
import type { Database } from '../../src/store/database';
import { openPostgres } from '../../src/store/postgres/database';
import { statement } from '../../src/store/statement';
import { Store } from '../../src/store/store';
import { StoreError } from '../../src/store/store-error';
import { entry } from '../support/audit-entries';
import { sized } from '../support/full-size';
import { PostgresServer } from '../support/postgres-server';

const idKey = IdKey.parse('ab'.repeat(32));
const processes = 3;
const subjects = 40;
const rounds = sized(10, 200);

let server: PostgresServer;
let folder: string;
let databases: Database[];
let stores: Store[];

beforeAll(async () => {
  server = await PostgresServer.start();
  folder = mkdtempSync(join(tmpdir(), 'diligence-postgres-blobs-'));
  databases = await Promise.all(
    Array.from({ length: processes }, () => openPostgres(server.url(), folder, idKey)),
  );
  stores = databases.map((database) => new Store(database));
}, 60_000);

afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const claimOf = (nonce: string): Claim => ({
  owner: { workflowId: `work-${nonce}`, chunk: 'r' },
  kind: 'send',
  nonce,
  answerBy: 5_000,
  claimedAt: 1_000,
  afterUnknown: false,
});

/** As a sender does: what is not known is read back, again and again, before anything leaves. */
async function claim(store: Store, subject: string, nonce: string): Promise<boolean> {
  for (;;) {
    try {
      return (await store.attempts.claim(subject, 1, claimOf(nonce), 'job')) === 'ours';
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (!['gone', 'other', 'busy'].includes(error.code)) throw error;
      await sleep(10);
    }
  }
}

async function cutAll(): Promise<void> {
  const client = new Client({ connectionString: server.url() });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'diligence'`,
  );
  await client.end();
}

test(`connections cut ${rounds} times in the middle of claims: each subject is claimed by one of many`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const wanted = Array.from({ length: subjects }, (_, n) => `certificate/${round}/${n}`);
    const claims = stores.flatMap((store, process) =>
      wanted.map((subject) => claim(store, subject, `${process}-${subject}`)),
    );
    await sleep(Math.random() * 20);
    await cutAll();
    const ours = await Promise.all(claims);
    for (const [n, subject] of wanted.entries()) {
      const winners = stores.filter((_, process) => ours[process * subjects + n]);
      expect([subject, winners.length]).toEqual([subject, 1]);
      const history = await stores[0]?.attempts.of(subject);
      expect(history).toHaveLength(1);
    }
  }
}, 600_000);

test('killed and started again, it is written to by itself', async () => {
  const [store] = stores as [Store];
  await server.down('SIGKILL');
  const error = await store.attempts.claim('a', 1, claimOf('a'), 'job').catch((one) => one);
  expect(error).toMatchObject({ code: 'gone' });
  await server.up();
  expect(await claim(store, 'a', 'a')).toBe(true);
}, 60_000);

test('what it was told while connections were cut is on the audit trail, and every chain holds', async () => {
  const [store] = stores as [Store];
  const told: string[] = [];
  const tell = async (n: number): Promise<void> => {
    const id = `happening/${n}`;
    const line = {
      kind: 'request',
      id,
      result: 'accepted',
      by: 'ana',
      happenedAt: '2026',
    } as const;
    const [own = store] = stores.slice(n % processes);
    const { attempts } = own;
    const subject = `told/${n}`;
    await claim(own, subject, id);
    const receipt = { kind: 'accepted', externalId: `c-${n}`, at: 1 } as const;
    const attempt = { n: 1, claim: claimOf(id) };
    for (;;) {
      try {
        await attempts.putReceipt(subject, attempt, receipt, [line]);
        told.push(id);
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await sleep(10);
      }
    }
  };
  const all = Promise.all(Array.from({ length: 200 }, (_, n) => tell(n)));
  for (let cut = 0; cut < 5; cut += 1) {
    await sleep(30);
    await cutAll();
  }
  await all;
  await new AuditTrail(store, idKey).anchor();
  const found: unknown[] = [];
  const verdict = await verifyAudit(store, idKey, { onFinding: (one) => found.push(one) });
  expect(found).toEqual([]);
  expect(told).toHaveLength(200);
  expect(verdict.records).toBe(200);
}, 120_000);

test('a role with the rights of docker/writer-role.sql does all the work, and cannot change the trail', async () => {
  const owner = new Client({ connectionString: server.url() });
  await owner.connect();
  await owner.query('CREATE ROLE diligence_writer LOGIN');
  await owner.query(readFileSync(join(__dirname, '..', '..', 'docker', 'writer-role.sql'), 'utf8'));
  await owner.query('DROP TRIGGER event_no_delete ON event');
  await owner.end();
  const url = server.url().replace('//diligence@', '//diligence_writer@');
  const database = await openPostgres(url, folder, idKey);
  const store = new Store(database);
  expect(await claim(store, 'by the writer', 'nonce')).toBe(true);
  await store.commit([], [entry(1)]);
  expect(await new AuditTrail(store, idKey).anchor()).toMatch(/^\d+-/);
  const refused = ['DELETE FROM event', 'UPDATE anchor SET at = at', 'DROP TABLE event'];
  for (const sql of refused) await expect(store.commit([statement(sql)])).rejects.toThrow('42501');
  await database.close();
}, 60_000);

test('a process that finds another store at the address writes nothing more', async () => {
  const [database] = databases as [Database];
  const client = new Client({ connectionString: server.url() });
  await client.connect();
  await client.query(`UPDATE install SET id = 'another'`);
  await cutAll();
  await client.end().catch(() => undefined);
  await expect(
    database.commit([{ sql: 'UPDATE install SET one = 1', parameters: [] }]),
  ).rejects.toMatchObject({ code: 'gone' });
}, 60_000);
