import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { deliveryBody } from '../../domain/monitors/delivery';
import { ChangeQueries } from '../../store/monitors/change-queries';
import { idOf } from '../../store/monitors/change-rows';
import { exitCodes, tell } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';
import { unknownMonitors, unknownWords, withChangeFlags, type ChangeFlags } from './changes';

/** Between two queries of what was stored. */
const pollEveryMs = 1_000;
/** From the instant at which a change was seen until it is stored; clocks differ, too. */
const longestStoringMs = 600_000;

/** `monitor follow`: changes as they are stored, a JSON document a line, for a pipe. */
export function followCommand(): Command {
  return withChangeFlags(
    new Command('follow').description(
      'Print changes as they are stored, each once, one JSON document a line, until Ctrl-C. Resumes where --since says: what this prints when it ends.',
    ),
  ).action(async (flags: ChangeFlags) => {
    process.exitCode = await follow(await openContext(tell), flags);
  });
}

async function follow(ctx: CommandContext, flags: ChangeFlags): Promise<number> {
  const unknown = await unknownMonitors(ctx, flags.monitor ?? []);
  if (unknown.length > 0)
    tell(`${unknownWords(unknown)} yet: its changes follow when there are any`);
  const stop = new AbortController();
  const { signal } = stop;
  const interrupt = (): void => stop.abort('interrupted');
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    stop.abort('reader gone');
  });
  const feed = new Feed(ctx, { ...flags, since: flags.since ?? new Date().toISOString() });
  try {
    while (!signal.aborted) {
      for await (const line of feed.next()) {
        if (signal.aborted) break;
        if (!process.stdout.write(line)) await once(process.stdout, 'drain', { signal });
      }
      await sleep(pollEveryMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  if (signal.reason === 'reader gone') return exitCodes.done;
  tell(`to resume from here: --since ${feed.resumePoint()}`);
  return exitCodes.interrupted;
}

/** What was stored since an instant, each change once. */
export class Feed {
  readonly #changes: ChangeQueries;
  readonly #flags: ChangeFlags & { since: string };
  /** `seen_at` of what was printed and would be found again. */
  readonly #printed = new Map<string, string>();
  /** `seen_at` of the newest change that was printed. */
  #reached: string;

  constructor({ store }: Pick<CommandContext, 'store'>, flags: ChangeFlags & { since: string }) {
    this.#changes = new ChangeQueries(store);
    this.#flags = flags;
    this.#reached = flags.since;
  }

  /** A `--since` that misses nothing: what was seen at an earlier instant may be stored later still. */
  resumePoint(): string {
    const from = new Date(Date.parse(this.#reached) - longestStoringMs).toISOString();
    return from > this.#flags.since ? from : this.#flags.since;
  }

  /** Lines of what came since the last call, oldest first. */
  async *next(): AsyncGenerator<string> {
    const { monitor, severity } = this.#flags;
    const since = this.resumePoint();
    for (const [id, seenAt] of this.#printed) if (seenAt < since) this.#printed.delete(id);
    const filter = { since, monitors: monitor, severities: severity };
    const files = this.#changes.files(filter, (key) => !this.#printed.has(idOf(key)));
    for await (const { filed } of files) {
      const { monitorId, change, seenAt, sweep } = filed;
      const { changeId } = change;
      this.#printed.set(idOf({ monitorId, changeId }), seenAt);
      if (seenAt > this.#reached) this.#reached = seenAt;
      const body = deliveryBody({ kind: 'change', id: changeId, filed });
      yield `${JSON.stringify({ ...body, sweep })}\n`;
    }
  }
}
