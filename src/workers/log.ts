import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import pino, { type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { ListenAddress } from '../environment';
import { redactedLog } from '../protection/redacted-log';
import { isError } from '../protection/redaction';
import { Happenings } from './happened';

/**
 * The worker's log on standard error: JSON lines, or lines for people on a terminal. Everything logged is redacted by
 * `protection/redaction`, also the SDK's lines: its errors, and at `debug` all of them.
 *
 * @param sdkMetrics where the SDK serves its own metrics; null: nowhere
 */
export function installLog(
  level: string,
  sdkMetrics: ListenAddress | null = null,
): { log: Logger; happenings: Happenings } {
  const log = redactedLog(level, process.stderr.isTTY ? forPeople() : pino.destination(straight));
  process.prependListener('uncaughtException', (error) => {
    log.fatal(error, 'the worker ends by an error that nobody caught');
    process.exit(1);
  });
  const happenings = new Happenings(log);
  const options = {
    logger: new DefaultLogger(level === 'debug' ? 'DEBUG' : 'INFO', (entry) => {
      const meta: Record<string, unknown> = entry.meta ?? {};
      if (meta['sdkComponent'] === 'workflow' && happenings.reportOfWorkflow(meta)) return;
      log[entry.level === 'ERROR' ? 'error' : 'debug'](plain(meta), entry.message);
    }),
    telemetryOptions: {
      logging: {
        forward: {},
        filter: { core: 'WARN', other: 'ERROR' },
      },
    },
    // The process decides when to stop, so that chunks of requests end between rows.
    shutdownSignals: [],
  } satisfies RuntimeOptions;
  if (sdkMetrics === null || !installWithMetrics(options, sdkMetrics, log)) {
    Runtime.install(options);
  }
  return { log, happenings };
}

/** Lines are written synchronously: the last ones matter most. */
const straight = { dest: 2, sync: true } as const;

function forPeople(): DestinationStream {
  return pretty({ destination: straight.dest, sync: straight.sync, errorLikeObjectKeys: [] });
}

/** False when the address is not available: jobs continue without metrics. */
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
    log.warn({ address: bindAddress }, 'metrics.sdkAddress: cannot be listened on');
    return false;
  }
}

/** Fields of the SDK in a line: numbers, words, and the error; no structures. */
function plain(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([, value]) => isError(value) || ['string', 'number', 'boolean'].includes(typeof value),
    ),
  );
}
