import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { IdKey } from '../../src/protection/id-key';
import type { NewEvent } from '../../src/store/audit/chain';
import { BlobFiles } from '../../src/store/blob-files';
import { BlobDirectory } from '../../src/store/blobs';
import type { Database, DatabaseFacts } from '../../src/store/database';
import { openPostgres } from '../../src/store/postgres/database';
import type { Statement, StatementResult } from '../../src/store/statement';

/** A store in a schema of its own, opened by what is first asked of it. */
export class TemporaryPostgres implements Database {
  readonly id = 'a1b2c3d4-store-of-a-test';
  readonly epoch = 1;
  readonly blobs: BlobDirectory;
  readonly #opening: () => Promise<Database>;
  #opened: Promise<Database> | null = null;

  constructor(server: string, root: string, idKey: IdKey) {
    const schema = `store_${randomBytes(8).toString('hex')}`;
    const url = `${server}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    this.#opening = async () => {
      const client = new Client({ connectionString: server });
      await client.connect();
      await client.query(`CREATE SCHEMA ${schema}`);
      await client.end();
      return openPostgres(url, join(root, 'postgres-blobs'), idKey);
    };
    mkdirSync(join(root, 'blobs'), { recursive: true });
    writeFileSync(join(root, 'blobs', 'store-id'), this.id);
    const files = new BlobFiles(join(root, 'blobs'));
    this.blobs = new BlobDirectory(join(root, 'blobs'), async (blob) => {
      const [error] = files.put([blob]);
      if (error != null) throw error;
    });
  }

  async read<T>(statement: Statement): Promise<T[]> {
    return (await this.#database()).read<T>(statement);
  }

  async commit(
    statements: readonly Statement[],
    events?: readonly NewEvent[],
  ): Promise<StatementResult[]> {
    return (await this.#database()).commit(statements, events);
  }

  async prove(): Promise<DatabaseFacts> {
    return (await this.#database()).prove();
  }

  async forget(): Promise<void> {
    await (await this.#database()).forget();
  }

  async close(): Promise<void> {
    if (this.#opened !== null) await (await this.#opened).close();
  }

  #database(): Promise<Database> {
    return (this.#opened ??= this.#opening());
  }
}
