import { DefaultLogger, Runtime } from '@temporalio/worker';
import pino, { type Logger } from 'pino';

/**
 * The worker's log: JSON lines on standard error. What is logged never holds a document, a token,
 * a query string or a body; the SDK's own lines pass the same door.
 */
export function installLog(level: string): Logger {
  const log = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const levels = {
    TRACE: 'trace',
    DEBUG: 'debug',
    INFO: 'info',
    WARN: 'warn',
    ERROR: 'error',
  } as const;
  Runtime.install({
    logger: new DefaultLogger(level === 'debug' ? 'DEBUG' : 'INFO', (entry) => {
      const { error, ...meta } = (entry.meta ?? {}) as Record<string, unknown>;
      const about = { ...plain(meta), ...(error instanceof Error && { error: error.name }) };
      log[levels[entry.level]](about, entry.message);
    }),
    telemetryOptions: {
      logging: {
        forward: {},
        filter: { core: level === 'debug' ? 'INFO' : 'WARN', other: 'ERROR' },
      },
    },
    // The process decides when to stop, so that runs of requests end between rows.
    shutdownSignals: [],
  });
  return log;
}

/** Numbers, booleans and short words; anything deeper is left out. */
function plain(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).filter(([, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value),
    ),
  );
}
