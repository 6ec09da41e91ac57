import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { deliveryBody } from '../../domain/monitors/delivery';
import { ChangeQueries } from '../../store/monitors/change-queries';
import { idOf } from '../../store/monitors/change-rows';
import { unknownMonitors, unknownWords, withChangeFlags, type ChangeFlags } from './changes';
import { exitCodes, tell } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

/** Between two looks at what was filed. */
const lookEveryMs = 1_000;
/** From the instant at which a change was seen until it is filed; clocks differ, too. */
const longestFilingMs = 600_000;

/** `monitor follow`: changes as they are filed, a JSON document a line, for a pipe. */
export function followCommand(): Command {
  return withChangeFlags(
    new Command('follow').description(
      'Print changes as they are filed, each once, one JSON document a line, until Ctrl-C. Goes on where --since says: what this tells when it ends.',
    ),
  ).action(async (flags: ChangeFlags) => {
    process.exitCode = await follow(await openContext(tell), flags);
  });
}

async function follow(place: CommandContext, flags: ChangeFlags): Promise<number> {
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
  readonly #changes: ChangeQueries;
  readonly #flags: ChangeFlags & { since: string };
  /** `seen_at` of what was told and would be found again. */
  readonly #told = new Map<string, string>();
  /** `seen_at` of the newest change that was told. */
  #reached: string;

  constructor({ store }: Pick<CommandContext, 'store'>, flags: ChangeFlags & { since: string }) {
    this.#changes = new ChangeQueries(store);
    this.#flags = flags;
    this.#reached = flags.since;
  }

  /** A `--since` that misses nothing: what was seen at an earlier instant may be filed later still. */
  wayOn(): string {
    const from = new Date(Date.parse(this.#reached) - longestFilingMs).toISOString();
    return from > this.#flags.since ? from : this.#flags.since;
  }

  /** Lines of what came since the last call, oldest first. */
  async *next(): AsyncGenerator<string> {
    const { monitor, severity } = this.#flags;
    const since = this.wayOn();
    for (const [id, seenAt] of this.#told) if (seenAt < since) this.#told.delete(id);
    const filter = { since, monitors: monitor, severities: severity };
    const files = this.#changes.files(filter, (key) => !this.#told.has(idOf(key)));
    for await (const { filed } of files) {
      const { monitorId, change, seenAt } = filed;
      const { changeId } = change;
      this.#told.set(idOf({ monitorId, changeId }), seenAt);
      if (seenAt > this.#reached) this.#reached = seenAt;
      const delivery = { kind: 'change' as const, id: changeId, filed };
      yield `${JSON.stringify({ ...deliveryBody(delivery), sweep: filed.sweep })}\n`;
    }
  }
}
