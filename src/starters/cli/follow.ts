import type { Reader } from '../../report/reader';
import type { EngineClient } from '../../temporal/connection';
import type { CommandContext } from '../jobs/context';
import { followJob, type Display, type ReadProgress, type Result } from '../jobs/follow-job';
import type { JobKind } from '../jobs/job-kind';
import { Pace } from './pace';
import { isHeldUp, progressLine, settledOf } from './progress';
import { exitCodes, printNote } from './terminal';

/**
 * Follows a job on the terminal to the result of its workflow. Ctrl-C leaves it running: prints how to follow it
 * again and exits with 130.
 * @param id argument of `show` and `result`
 */
export async function followHere(
  ctx: CommandContext,
  engine: EngineClient,
  { id, workflowId }: { id: string; workflowId: string },
  kind: Pick<JobKind, 'readProgress'>,
): Promise<Result> {
  const { say } = ctx.reader;
  const display = displayOf(ctx.reader);
  const readProgress: ReadProgress = (current) =>
    kind.readProgress(current, workflowId, ctx.reader);
  const leave = (why: string): never => {
    display.clear();
    const ended = say('when it has ended', 'quando terminar');
    printNote(`${why}: \`diligence show ${id}\`, \`diligence result ${id}\` ${ended}`);
    process.exit(exitCodes.interrupted);
  };
  const onInterrupt = (): void => leave(say('the job goes on', 'o trabalho continua'));
  process.once('SIGINT', onInterrupt);
  try {
    const end = await followJob(ctx, engine, workflowId, readProgress, display);
    if (end.kind === 'ended') return end.result;
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

/** Rewrites one line on a terminal; elsewhere prints what is new, or a line now and then. */
function displayOf(reader: Reader): Display {
  const onTerminal = process.stderr.isTTY;
  const pace = new Pace();
  const startedAt = Date.now();
  let [shown, shownAt, news] = ['', 0, ''];
  return {
    intervalMs: onTerminal ? 500 : 1_000,
    show: (progress) => {
      const at = Date.now();
      const { counts, details, stage, total, waiting } = progress;
      const rate =
        total === null || isHeldUp(progress) ? null : pace.observe(at, settledOf(counts));
      const line = progressLine(progress, rate, at, reader);
      if (onTerminal) {
        process.stderr.write(`\r\x1b[2K${line.slice(0, process.stderr.columns - 1)}`);
        shown = line;
        return;
      }
      // Keeps a log of hours short.
      const quietMs = at - startedAt < 60_000 ? 3_000 : 60_000;
      const told = [stage, waiting?.reason ?? '', ...details].join('\n');
      if (line === shown || (told === news && at - shownAt < quietMs)) return;
      printNote(line);
      [shown, shownAt, news] = [line, at, told];
    },
    clear: () => {
      if (onTerminal && shown !== '') process.stderr.write('\r\x1b[2K');
      shown = '';
    },
  };
}
