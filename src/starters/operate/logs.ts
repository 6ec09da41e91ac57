import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { prettyFactory } from 'pino-pretty';
import { readEnvironment } from '../../environment';
import { print, sinceOf } from '../cli/terminal';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';

interface LogsFlags {
  follow?: true;
  since?: { at: number };
  json?: true;
}

const lookEveryMs = 250;

export function logsCommand(): Command {
  return new Command('logs')
    .description('Show the log of the embedded worker: what happened, to which job.')
    .argument('[id]', 'only of this job, and of what belongs to it')
    .option('--follow', 'go on with what is written, until Ctrl-C')
    .option('--since <when>', 'since a date, an instant, or a time ago like 7d', sinceOf)
    .option('--json', 'the lines as they are written: one JSON document each')
    .action(showLogs);
}

async function showLogs(id: string | undefined, flags: LogsFlags): Promise<void> {
  const { dataDir } = readEnvironment();
  const files = workerLogs(dataDir);
  const newest = files.at(-1);
  if (newest === undefined)
    throw new CommandError(
      `no log in ${dataDir}: no embedded worker has run here; a \`diligence worker\` of your own writes to its standard error`,
    );
  const show = printerOf(id, flags);
  let end = 0;
  for (const file of files) end = await showFrom(file, 0, show);
  while (flags.follow === true) {
    await sleep(lookEveryMs);
    // A truncated file is read from its beginning.
    const { size } = await stat(newest);
    end = await showFrom(newest, size < end ? 0 : end, show);
  }
}

/** Shows the whole lines from a position. @returns the position behind them */
async function showFrom(
  file: string,
  start: number,
  show: (line: string) => void,
): Promise<number> {
  let at = start;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { start }) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    const cut = rest.lastIndexOf('\n') + 1;
    if (cut === 0) continue;
    for (const line of rest.toString('utf8', 0, cut - 1).split('\n')) show(line);
    at += cut;
    rest = rest.subarray(cut);
  }
  return at;
}

function printerOf(id: string | undefined, { since, json }: LogsFlags): (line: string) => void {
  const pretty = prettyFactory({ colorize: process.stdout.isTTY, translateTime: 'SYS:standard' });
  return (line) => {
    const entry = parsed(line);
    // Other lines, such as a crash of the runtime, belong to no job.
    if (entry === null) {
      if (id === undefined && since === undefined && line !== '') print(printable(line));
      return;
    }
    const { job, time } = entry;
    if (id !== undefined && job !== id && job?.startsWith(`${id}/`) !== true) return;
    if (since !== undefined && !(Date.parse(time ?? '') >= since.at)) return;
    print(json === true ? line : pretty(entry).trimEnd());
  };
}

function parsed(line: string): { job?: string; time?: string } | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as { job?: string; time?: string };
  } catch {
    return null;
  }
}

/** A log file has two generations of at most about this size: the current one, and `.1` before it. */
const mostBytes = 20 * 1024 * 1024;
const lookAtSizesEveryMs = 60_000;

/**
 * Bounds the logs of a data directory while processes write to them. They append to an open file, which is
 * copied and truncated: lines written in between are lost.
 */
export function boundLogs(dataDir: string): void {
  const look = (): void => void cutLongLogs(dataDir).catch(() => undefined);
  look();
  setInterval(look, lookAtSizesEveryMs).unref();
}

/** @param most bytes of a file */
export async function cutLongLogs(dataDir: string, most: number = mostBytes): Promise<void> {
  const folder = join(dataDir, 'logs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.log')) continue;
    const path = join(folder, name);
    if ((await stat(path)).size <= most) continue;
    await copyFile(path, `${path}.1`);
    await truncate(path);
  }
}

export function workerLogs(dataDir: string): string[] {
  const path = join(dataDir, 'logs', 'worker.log');
  return [`${path}.1`, path].filter((one) => existsSync(one));
}
