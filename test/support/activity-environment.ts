import { EventEmitter } from 'node:events';
import { Context, asyncLocalStorage, type Info } from '@temporalio/activity';
import {
  ActivityCancellationDetails,
  CancelledFailure,
  noopMetricMeter,
  type ActivityFunction,
  type Logger,
} from '@temporalio/common';

/**
 * Runs activities as a worker does, and without one: it tells heartbeats and can cancel. It is the
 * `MockActivityEnvironment` of `@temporalio/testing` over the same context of the SDK; that one loads
 * the whole worker, which takes every test file half a second.
 */
export class ActivityEnvironment extends EventEmitter<{ heartbeat: [unknown] }> {
  readonly context: Context;
  /** Whatever it runs from then on is cancelled, too. */
  readonly cancel: () => void;

  constructor(info: Partial<Info> = {}) {
    super();
    const cancelling = new AbortController();
    const cancelled = new Promise<never>((_, reject) => {
      const { signal } = cancelling;
      signal.addEventListener('abort', () => reject(signal.reason as CancelledFailure));
    });
    // Not every activity waits for it.
    cancelled.catch(() => undefined);
    const about: { details?: ActivityCancellationDetails } = {};
    this.cancel = () => {
      about.details = new ActivityCancellationDetails({ cancelRequested: true });
      cancelling.abort(new CancelledFailure('CANCELLED'));
    };
    this.context = new Context(
      { ...usualInfo, ...info },
      cancelled,
      cancelling.signal,
      (details) => void this.emit('heartbeat', details),
      undefined,
      silent,
      noopMetricMeter,
      about,
    );
  }

  run<P extends unknown[], R>(fn: ActivityFunction<P, R>, ...args: P): Promise<R> {
    return asyncLocalStorage.run(this.context, async () => fn(...args));
  }
}

const silent: Logger = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const usualInfo: Info = {
  attempt: 1,
  taskQueue: 'test',
  isLocal: false,
  taskToken: Buffer.from('test'),
  activityId: 'test',
  activityType: 'unknown',
  workflowType: 'test',
  base64TaskToken: Buffer.from('test').toString('base64'),
  heartbeatDetails: undefined,
  activityNamespace: 'default',
  workflowNamespace: 'default',
  workflowExecution: { workflowId: 'test', runId: '00000000-0000-0000-0000-000000000000' },
  scheduledTimestampMs: 1,
  startToCloseTimeoutMs: 1_000,
  scheduleToCloseTimeoutMs: 1_000,
  currentAttemptScheduledTimestampMs: 1,
  namespace: 'test',
  inWorkflow: true,
};
