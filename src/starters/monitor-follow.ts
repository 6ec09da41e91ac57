import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { MonitorRecords, type FiledOn } from '../archive/monitor-records';
import { deliveryBody } from '../domain/monitors/delivery';
import {
  unknownMonitors,
  unknownWords,
  withChangeFlags,
  type ChangeFlags,
} from './monitor-changes';
import { exitCodes, tell } from './terminal';
import { openWorkplace, type Workplace } from './workplace';

/** Between two looks at what was filed. */
const lookEveryMs = 1_000;
/** What the index names and is not there after this long was never filed: it will be named again. */
const longestFilingMs = 600_000;

/** A change is named twice when whoever filed it had to try again, soon after. */
const mostRemembered = 100_000;

/** `monitor follow`: changes as they are filed, a JSON document a line, for a pipe. */
export function followCommand(): Command {
  return withChangeFlags(
    new Command('follow').description(
      'Print changes as they are filed, each once, one JSON document a line, until Ctrl-C. Goes on where --since says: what this tells when it ends.',
    ),
  ).action(async (flags: ChangeFlags) => {
    process.exitCode = await follow(await openWorkplace(), flags);
  });
}

async function follow(place: Workplace, flags: ChangeFlags): Promise<number> {
  const unknown = await unknownMonitors(place, flags.monitor ?? []);
  if (unknown.length > 0)
    tell(`${unknownWords(unknown)} yet: its changes follow when there are any`);
  const stop = new AbortController();
  const ending = endingOf(stop);
  const feed = new Feed(place, { ...flags, since: flags.since ?? new Date().toISOString() });
  try {
    while (!stop.signal.aborted) {
      for await (const line of feed.next()) {
        if (stop.signal.aborted) break;
        if (!process.stdout.write(line))
          await once(process.stdout, 'drain', { signal: stop.signal });
      }
      await sleep(lookEveryMs, undefined, { signal: stop.signal });
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    ending.forget();
  }
  if (ending.reason() === 'closed') return exitCodes.done;
  tell(`to go on from here: --since ${feed.wayOn()}`);
  return exitCodes.interrupted;
}

/** Watches for Ctrl-C, a kill, and a reader that went away. */
function endingOf(stop: AbortController): { reason(): string; forget(): void } {
  let reason = '';
  const end = (why: string) => (): void => {
    reason ||= why;
    stop.abort();
  };
  const [interrupted, gone] = [end('interrupted'), end('closed')];
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  const lost = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    gone();
  };
  process.stdout.on('error', lost);
  return {
    reason: () => reason,
    forget: () => {
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    },
  };
}

/** What was filed since an instant, each change once. */
export class Feed {
  readonly #records: MonitorRecords;
  readonly #flags: ChangeFlags & { since: string };
  readonly #readKeys = new Set<string>();
  readonly #told = new Set<string>();
  #waiting: FiledOn[] = [];
  /** `seen_at` of the newest change that was told. */
  #reached: string;

  constructor(
    { archive, idKey }: Pick<Workplace, 'archive' | 'idKey'>,
    flags: ChangeFlags & { since: string },
  ) {
    this.#records = new MonitorRecords(archive, (text) => idKey.nameOf('document', text));
    this.#flags = flags;
    this.#reached = flags.since;
  }

  /** A `--since` that misses nothing: what is named by an earlier instant may be filed later still. */
  wayOn(): string {
    const from = new Date(Date.parse(this.#reached) - longestFilingMs).toISOString();
    return from > this.#flags.since ? from : this.#flags.since;
  }

  /** Lines of what came since the last call, oldest first. */
  async *next(): AsyncGenerator<string> {
    for (const key of await this.#records.indexKeys(this.#flags.since)) {
      if (this.#readKeys.has(key)) continue;
      this.#readKeys.add(key);
      this.#waiting.push(...(await this.#records.indexLines(key)));
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const line of waiting) {
      const id = `${line.monitorId} ${line.changeId}`;
      if (this.#told.has(id) || !this.#isMeant(line)) continue;
      const filed = await this.#records.filed(line.monitorId, line.changeId);
      if (filed === null) {
        if (Date.parse(line.seenAt) > Date.now() - longestFilingMs) this.#waiting.push(line);
        continue;
      }
      this.#remember(id);
      const { severity } = this.#flags;
      if (severity !== undefined && !severity.some((word) => word === filed.change.severity))
        continue;
      if (filed.seenAt > this.#reached) this.#reached = filed.seenAt;
      const delivery = { kind: 'change' as const, id: filed.change.changeId, filed };
      yield `${JSON.stringify({ ...deliveryBody(delivery), sweep: filed.sweep })}\n`;
    }
  }

  #remember(id: string): void {
    if (this.#told.size >= mostRemembered)
      this.#told.delete(this.#told.values().next().value ?? '');
    this.#told.add(id);
  }

  #isMeant({ monitorId, seenAt }: FiledOn): boolean {
    const { monitor, since } = this.#flags;
    return seenAt >= since && (monitor === undefined || monitor.includes(monitorId));
  }
}
