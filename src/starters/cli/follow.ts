import type { EngineClient } from '../../temporal/connection';
import type { Reader } from '../../report/reader';
import type { CommandContext } from '../jobs/context';
import { EngineStoppedError, followJob, type Audience } from '../jobs/follow-job';
import type { Progress } from '../jobs/progress';
import { Pace } from './pace';
import { isHeldUp, progressLine, settledOf } from './progress';
import { exitCodes, printNote } from './terminal';

/**
 * Follows a job on the terminal. Ctrl-C leaves it running: prints how to follow it again and exits
 * with 130.
 *
 * @param id argument of `show` and `result`
 */
export async function followHere<T>(
  ctx: CommandContext,
  engine: EngineClient,
  { id, workflowId }: { id: string; workflowId: string },
  readProgress: (engine: EngineClient) => Promise<Progress | null>,
): Promise<T> {
  const { say } = ctx.reader;
  const display = new Display(ctx.reader);
  const leave = (why: string): never => {
    display.clear();
    const ended = say('when it has ended', 'quando terminar');
    printNote(`${why}: \`diligence show ${id}\`, \`diligence result ${id}\` ${ended}`);
    process.exit(exitCodes.interrupted);
  };
  const onInterrupt = (): void => leave(say('the job goes on', 'o trabalho continua'));
  process.once('SIGINT', onInterrupt);
  try {
    return await followJob<T>(ctx, engine, workflowId, readProgress, display);
  } catch (error) {
    if (!(error instanceof EngineStoppedError)) throw error;
    return leave(
      say(
        'the engine was stopped, and the job goes on at its next start',
        'o servidor Temporal foi parado, e o trabalho continua quando ele voltar',
      ),
    );
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

/** Rewrites one line on a terminal; elsewhere prints a line from time to time. */
class Display implements Audience {
  readonly #reader: Reader;
  readonly #onTerminal = process.stderr.isTTY;
  readonly #pace = new Pace();
  readonly #startedAt = Date.now();
  #shown = '';
  #shownAt = 0;
  #news = '';

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get intervalMs(): number {
    return this.#onTerminal ? 500 : 1_000;
  }

  show(progress: Progress): void {
    const at = Date.now();
    const line = progressLine(progress, this.#estimate(progress, at), at, this.#reader);
    if (this.#onTerminal) {
      process.stderr.write(`\r\x1b[2K${line.slice(0, process.stderr.columns - 1)}`);
      this.#shown = line;
      return;
    }
    const { details, stage, waiting } = progress;
    const news = [stage, waiting?.reason ?? '', ...details].join('\n');
    const isNews = news !== this.#news;
    if (line === this.#shown || (!isNews && at - this.#shownAt < this.#quietMs(at))) return;
    printNote(line);
    this.#shown = line;
    this.#shownAt = at;
    this.#news = news;
  }

  clear(): void {
    if (this.#onTerminal && this.#shown !== '') process.stderr.write('\r\x1b[2K');
    this.#shown = '';
  }

  #estimate(progress: Progress, at: number) {
    const { total } = progress;
    if (total === null) return null;
    const settled = settledOf(progress.counts);
    return this.#pace.observe({ at, settled, total, held: isHeldUp(progress) });
  }

  /** Keeps a log of hours short. */
  #quietMs(at: number): number {
    const age = at - this.#startedAt;
    if (age < 60_000) return 3_000;
    return age < 600_000 ? 15_000 : 60_000;
  }
}
