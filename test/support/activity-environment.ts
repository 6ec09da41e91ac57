import { EventEmitter } from 'node:events';
import type { Context, Info } from '@temporalio/activity';
import {
  ActivityCancellationDetails,
  defaultFailureConverter,
  defaultPayloadConverter,
  noopMetricMeter,
  type ActivityFunction,
  type Logger,
} from '@temporalio/common';
import { Activity, type CancelReason } from '@temporalio/worker/lib/activity';

/**
 * Runs activities as a worker does, and without one: it tells heartbeats and can cancel. It is the
 * `MockActivityEnvironment` of `@temporalio/testing` over the same class of the SDK; that one loads the
 * whole worker, which takes every test file half a second.
 */
export class ActivityEnvironment extends EventEmitter<{ heartbeat: [unknown] }> {
  readonly context: Context;
  readonly #activity: Activity;

  constructor(info: Partial<Info> = {}) {
    super();
    const whole = { ...usualInfo, ...info };
    this.#activity = new Activity(
      whole,
      undefined,
      {
        payloadConverter: defaultPayloadConverter,
        payloadCodecs: [],
        failureConverter: defaultFailureConverter,
      },
      {
        type: 'activity',
        namespace: whole.namespace,
        activityId: whole.activityId,
        ...(whole.workflowExecution && { workflowId: whole.workflowExecution.workflowId }),
        isLocal: whole.isLocal,
      },
      undefined,
      (details) => void this.emit('heartbeat', details),
      undefined,
      silent,
      noopMetricMeter,
      [],
    );
    this.context = this.#activity.context;
  }

  /** Whatever it runs from then on is cancelled, too. */
  cancel(reason: CancelReason = 'CANCELLED'): void {
    const asked = new ActivityCancellationDetails({ cancelRequested: true });
    this.#activity.cancel(reason, asked);
  }

  run<P extends unknown[], R>(fn: ActivityFunction<P, R>, ...args: P): Promise<R> {
    return this.#activity.runNoEncoding(fn, { args, headers: {} }) as Promise<R>;
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
