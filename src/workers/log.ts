import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import pino, { type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { ListenAddress } from '../environment';
import { redactedLog } from '../protection/redacted-log';
import { isError } from '../protection/redaction';
import { Happenings } from './happened';

/**
 * The worker's log on standard error: JSON lines, or lines for people when it is a terminal. What
 * is logged passes the one table of `protection/redaction`, the SDK's own lines as well: its errors, and at `debug`
 * all of them.
 *
 * @param sdkMetrics where the SDK serves figures of its own; null for nowhere
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
    // The process decides when to stop, so that runs of requests end between rows.
    shutdownSignals: [],
  } satisfies RuntimeOptions;
  if (sdkMetrics === null || !installWithMetrics(options, sdkMetrics, log)) {
    Runtime.install(options);
  }
  return { log, happenings };
}

/** Lines are written at once: the last ones are those that matter. */
const straight = { dest: 2, sync: true } as const;

function forPeople(): DestinationStream {
  return pretty({ destination: straight.dest, sync: straight.sync, errorLikeObjectKeys: [] });
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
    log.warn({ address: bindAddress }, 'metrics.sdkAddress: cannot be listened on');
    return false;
  }
}

/** What the SDK adds to a line: numbers, words, and the error; structures are left out. */
function plain(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([, value]) => isError(value) || ['string', 'number', 'boolean'].includes(typeof value),
    ),
  );
}
