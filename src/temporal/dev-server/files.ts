import { chmod, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** The server did not come up, or must not be started on this data. The message ends with its log. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
  readonly code: 'DEV_SERVER_FAILED' | 'DEV_SERVER_VERSION';

  constructor(code: DevServerError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The process that keeps the data, as `temporal-server.json` has it. */
export const recordSchema = z.object({
  pid: z.number().int().positive(),
  /** When it was started: its pid may be another's after a reboot. */
  start: z.string(),
});

const writtenBySchema = z.object({ serverVersion: z.string() });

/** What a data directory holds of a dev server. */
export interface DataPaths {
  record: string;
  database: string;
  writtenBy: string;
}

export function pathsIn(dataDir: string): DataPaths {
  const folder = resolve(dataDir);
  return {
    record: join(folder, 'temporal-server.json'),
    database: join(folder, 'temporal.db'),
    writtenBy: join(folder, 'temporal-db.json'),
  };
}

/** A database of before may be open to others, and so may what a crash left beside it. */
export async function shut(database: string): Promise<void> {
  await chmod(database, 0o600);
  for (const beside of ['-wal', '-shm']) {
    await chmod(`${database}${beside}`, 0o600).catch(() => undefined);
  }
}

/** The schemas of two versions differ, and the server changes the file without asking. */
export async function refuseOtherVersion(
  paths: DataPaths,
  serverVersion: string,
  executable: string,
): Promise<void> {
  const writtenBy = await readJson(paths.writtenBy, writtenBySchema);
  if (writtenBy === null || writtenBy.serverVersion === serverVersion) return;
  if ((await stat(paths.database).catch(() => null)) === null) return;
  throw new DevServerError(
    'DEV_SERVER_VERSION',
    `${paths.database} was written by Temporal server ${writtenBy.serverVersion}, but ${executable} is server ${serverVersion}: ` +
      `set TEMPORAL_CLI_PATH to a CLI with server ${writtenBy.serverVersion}, or choose another data directory.`,
  );
}

/** The last lines that were printed since the file was so long. */
export async function tailOf(path: string, from: number): Promise<string> {
  const printed = (await readFile(path)).subarray(from).toString('utf8');
  return printed.trimEnd().split('\n').slice(-15).join('\n');
}

export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
