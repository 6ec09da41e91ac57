import { DefaultLogger, Runtime } from '@temporalio/worker';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import { redactedLog } from '../protection/redacted-log';
import { isError } from '../protection/redaction';
import { Happenings } from './happened';

/** Lines are written synchronously: the last ones matter most. */
const straight = { dest: 2, sync: true } as const;

/**
 * The worker's log on standard error: JSON lines, or lines for people on a terminal. Everything logged is redacted by
 * `protection/redaction`, also the SDK's lines: its errors, and at `debug` all of them.
 */
export function installLog(level: string): { log: Logger; happenings: Happenings } {
  const forPeople = { destination: straight.dest, sync: straight.sync, errorLikeObjectKeys: [] };
  const log = redactedLog(
    level,
    process.stderr.isTTY ? pretty(forPeople) : pino.destination(straight),
  );
  process.prependListener('uncaughtException', (error) => {
    log.fatal(error, 'the worker ends by an error that nobody caught');
    process.exit(1);
  });
  const happenings = new Happenings(log);
  Runtime.install({
    logger: new DefaultLogger(level === 'debug' ? 'DEBUG' : 'INFO', (entry) => {
      const meta: Record<string, unknown> = entry.meta ?? {};
      if (meta['sdkComponent'] === 'workflow' && happenings.reportOfWorkflow(meta)) return;
      log[entry.level === 'ERROR' ? 'error' : 'debug'](plain(meta), entry.message);
    }),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    // The process decides when to stop, so that chunks of requests end between rows.
    shutdownSignals: [],
  });
  return { log, happenings };
}

/** Fields of the SDK in a line: numbers, words, and the error; no structures. */
function plain(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([, value]) => isError(value) || ['string', 'number', 'boolean'].includes(typeof value),
    ),
  );
}
