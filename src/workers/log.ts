import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import pino, { type Logger } from 'pino';
import type { ListenAddress } from '../environment';

/** The SDK warns of every queue that has one kind of task only, as ours are meant to be. */
const sdkNoise = new Set([
  'No workflows registered, not polling for workflow tasks',
  'No activities registered, not polling for activity tasks',
]);

/**
 * The worker's log: JSON lines on standard error. What is logged never holds a document, a token,
 * a query string or a body; the SDK's own lines pass the same door.
 *
 * @param sdkMetrics where the SDK serves figures of its own; null for nowhere
 */
export function installLog(level: string, sdkMetrics: ListenAddress | null = null): Logger {
  const log = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const levels = {
    TRACE: 'trace',
    DEBUG: 'debug',
    INFO: 'info',
    WARN: 'warn',
    ERROR: 'error',
  } as const;
  const options = {
    logger: new DefaultLogger(level === 'debug' ? 'DEBUG' : 'INFO', (entry) => {
      if (sdkNoise.has(entry.message)) return;
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
  } satisfies RuntimeOptions;
  if (sdkMetrics === null || !installWithMetrics(options, sdkMetrics, log)) {
    Runtime.install(options);
  }
  return log;
}

/** False when the address cannot be had: no reason to leave work undone. */
function installWithMetrics(
  options: RuntimeOptions,
  { host, port }: ListenAddress,
  log: Logger,
): boolean {
  const bindAddress = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const metrics = { prometheus: { bindAddress } };
  try {
    Runtime.install({ ...options, telemetryOptions: { ...options.telemetryOptions, metrics } });
    return true;
  } catch {
    log.warn({ address: bindAddress }, 'DILIGENCE_SDK_METRICS_ADDRESS: cannot be listened on');
    return false;
  }
}

/** Numbers, booleans and short words; anything deeper is left out. */
function plain(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).filter(([, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value),
    ),
  );
}
