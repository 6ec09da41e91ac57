import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { IdKey } from '../../../src/protection/id-key';
import { SqliteConnection } from '../../../src/store/sqlite/connection';
import type { Statement } from '../../../src/store/statement';
import type { Database } from '../../../src/store/database';
import { openDatabase, databaseToRead } from '../../../src/store/sqlite/database';

const built = join(__dirname, '..', '..', '..', 'dist', 'store', 'sqlite', 'database.js');
const builtKey = join(__dirname, '..', '..', '..', 'dist', 'protection', 'id-key.js');
const idKeyText = 'ab'.repeat(32);

let folder: string;
let root: string;
const opened: Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-store-'));
  root = join(folder, 'store');
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Database> {
  const store = await openDatabase(root, IdKey.parse(idKeyText));
  opened.push(store);
  return store;
}

const put = (key: string, body = 'x'): Statement => ({
  sql: 'INSERT INTO record (key, body) VALUES (?, ?)',
  parameters: [key, Buffer.from(body)],
});

async function keysOf(store: Database): Promise<string[]> {
  const rows = await store.read<{ key: string }>({
    sql: 'SELECT key FROM record ORDER BY key',
    parameters: [],
  });
  return rows.map(({ key }) => key);
}

describe('a commit', () => {
  it('is seen by who reads after it, and returns what its statements return', async () => {
    const store = await open();
    const results = await store.commit([
      put('a'),
      { sql: 'UPDATE record SET body = ? RETURNING key', parameters: [Buffer.from('y')] },
      { sql: 'DELETE FROM record WHERE key = ?', parameters: ['b'] },
    ]);
    expect(results).toEqual([
      { rows: [], changes: 1 },
      { rows: [{ key: 'a' }], changes: 1 },
      { rows: [], changes: 0 },
    ]);
    expect(await keysOf(store)).toEqual(['a']);
  });

  it('is all of its statements, or none', async () => {
    const store = await open();
    await store.commit([put('a')]);
    await expect(store.commit([put('b'), put('a')])).rejects.toMatchObject({
      name: 'StoreError',
      code: 'constraint',
    });
    expect(await keysOf(store)).toEqual(['a']);
  });

  it('that fails does not take those along that were asked for beside it', async () => {
    const store = await open();
    const asked = Array.from({ length: 60 }, (_, n) =>
      store.commit([put(n % 10 === 3 ? 'taken' : `k${String(n).padStart(2, '0')}`)]),
    );
    const ended = await Promise.allSettled(asked);
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(5);
    expect(await keysOf(store)).toHaveLength(55);
  });

  it('of many callers is seen in the order in which they asked', async () => {
    const store = await open();
    const bodies = Array.from({ length: 300 }, (_, n) => `${n}`);
    await store.commit([put('a', 'first')]);
    await Promise.all(
      bodies.map((body) =>
        store.commit([
          {
            sql: `UPDATE record SET body = CAST(body || ',' || ? AS BLOB)`,
            parameters: [body],
          },
        ]),
      ),
    );
    const [row] = await store.read<{ text: string }>({
      sql: 'SELECT CAST(body AS TEXT) AS text FROM record',
      parameters: [],
    });
    expect(row?.text).toBe(['first', ...bodies].join());
  });

  it('of processes that write at once waits for its turn', async () => {
    const stores = await Promise.all([open(), open(), open(), open()]);
    await Promise.all(
      stores.map(async (store, writer) => {
        for (let n = 0; n < 50; n += 1) await store.commit([put(`${writer}-${n}`)]);
      }),
    );
    expect(await keysOf(await open())).toHaveLength(200);
  });

  it('that was acknowledged is there after its process was killed', async () => {
    await open();
    const script = `
      const { openDatabase } = require(${JSON.stringify(built)});
      const { IdKey } = require(${JSON.stringify(builtKey)});
      openDatabase(${JSON.stringify(root)}, IdKey.parse('${idKeyText}')).then(async (store) => {
        for (let n = 0; ; n += 1) {
          await store.commit([{ sql: 'INSERT INTO record (key, body) VALUES (?, ?)', parameters: ['k' + n, Buffer.from('x')] }]);
          process.stdout.write(n + '\\n');
        }
      });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    const many = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.length > 500) resolve();
      });
    });
    await many;
    child.kill('SIGKILL');
    await once(child, 'exit');
    const keys = new Set(await keysOf(await open()));
    for (const n of printed.split('\n').slice(0, -1)) expect(keys.has(`k${n}`)).toBe(true);
  });

  it('keeps its process alive until it is made, and no longer', async () => {
    const script = `
      const { openDatabase } = require(${JSON.stringify(built)});
      const { IdKey } = require(${JSON.stringify(builtKey)});
      openDatabase(${JSON.stringify(root)}, IdKey.parse('${idKeyText}')).then((store) =>
        store.commit([{ sql: 'INSERT INTO record (key, body) VALUES (?, ?)', parameters: ['a', Buffer.from('x')] }])
          .then(() => process.stdout.write('made')));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      timeout: 20_000,
    });
    expect(stdout).toBe('made');
    expect(await keysOf(await open())).toEqual(['a']);
  });
});

describe('a store that is not where it was', () => {
  const gone = { name: 'StoreError', code: 'gone' };

  it('takes nothing, and goes on when it is back', async () => {
    const store = await open();
    await store.commit([put('a')]);
    renameSync(root, `${root}-away`);
    await expect(store.commit([put('b')])).rejects.toMatchObject(gone);
    await expect(store.blobs.put('bytes')).rejects.toMatchObject(gone);
    expect(readdirSync(folder)).toEqual(['store-away']);
    renameSync(`${root}-away`, root);
    await store.commit([put('c')]);
    expect(await keysOf(store)).toEqual(['a', 'c']);
  });

  it('takes nothing into another one that stands in its place', async () => {
    const store = await open();
    await store.commit([put('a')]);
    renameSync(root, `${root}-away`);
    const other = await open();
    expect(other.id).not.toBe(store.id);
    await expect(store.commit([put('b')])).rejects.toMatchObject(gone);
    expect(await keysOf(other)).toEqual([]);
  });

  it('is not made anew by the first commit of who opened it', async () => {
    const store = await open();
    rmSync(root, { recursive: true });
    mkdirSync(root);
    await expect(store.commit([put('a')])).rejects.toMatchObject(gone);
    await expect(store.prove()).rejects.toMatchObject(gone);
    expect(readdirSync(root)).toEqual([]);
  });

  it('is refused with the bytes of another one', async () => {
    await open();
    writeFileSync(join(root, 'blobs', 'store-id'), 'another\n');
    await expect(open()).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('opening a store', () => {
  it('of a later program is refused, with the fix', async () => {
    await open();
    const connection = new SqliteConnection(join(root, 'store.db'));
    connection.exec('UPDATE schema_version SET version = 99');
    connection.close();
    const refused = {
      code: 'refused',
      message: expect.stringContaining('update this program') as string,
    };
    await expect(open()).rejects.toMatchObject(refused);
    expect(() => databaseToRead(root)).toThrow('update this program');
  });

  it('to read makes none where there is none', () => {
    expect(databaseToRead(root)).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('to read sees what another process writes', async () => {
    const store = await open();
    const reader = databaseToRead(root);
    if (reader === null) throw new Error('there is one');
    opened.push(reader);
    await store.commit([put('a')]);
    expect(await keysOf(reader)).toEqual(['a']);
  });
});

it('has nothing on the disk of what was removed, once it forgets', async () => {
  const store = await open();
  await store.commit([put('a', 'a name that is to go')]);
  await store.commit([{ sql: 'DELETE FROM record', parameters: [] }]);
  await store.forget();
  for (const name of readdirSync(root).filter((one) => one.startsWith('store.db'))) {
    expect(readFileSync(join(root, name)).includes('a name that is to go')).toBe(false);
  }
});

describe('bytes', () => {
  it('are read as they were put, under a name that is never used again', async () => {
    const { blobs } = await open();
    const names = await Promise.all(['one', 'two', ''].map((body) => blobs.put(body)));
    expect(new Set(names).size).toBe(3);
    expect(await Promise.all(names.map(async (name) => String(await blobs.get(name))))).toEqual([
      'one',
      'two',
      '',
    ]);
    await blobs.remove(names[0] ?? '');
    await blobs.remove(names[0] ?? '');
    expect(await blobs.get(names[0] ?? '')).toBeNull();
  });

  it.each(['../store.db', 'store-id', '2026-01-01/../../x'])(
    'are not read from %s',
    async (name) => {
      const { blobs } = await open();
      await expect(blobs.get(name)).rejects.toThrow(RangeError);
    },
  );
});
