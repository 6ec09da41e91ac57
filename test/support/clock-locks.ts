import { setTimeout as breathe } from 'node:timers/promises';
import type { Info } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { GrowingHistories, type HistoryEvents, type Run } from './growing-histories';

const standstillMs = 15_000;
/** Longer than any work holds the clock on a busy machine: an activity that history shows open may be lost. */
const longestHoldMs = 60_000;
const leastSkipMs = 750;

/**
 * The locks that the time-skipping server forgets (TestWorkflowMutableStateImpl, 1.38.0). It locks
 * its clock when an activity is scheduled, and does not unlock it when that activity is cancelled
 * before a worker has taken it, nor when its workflow has ended before it: from then on time only
 * passes as on the wall. Histories tell how many there were, and each is unlocked once.
 */
export class ClockLocks {
  readonly #env: TestWorkflowEnvironment;
  readonly #histories: GrowingHistories;
  readonly #open = new Map<string, Run>();
  /** Activities that were forgotten, by run. */
  readonly #forgotten = new Map<string, number>();
  /** Activities whose last try has failed: until the next one they hold no lock. */
  readonly #betweenTries = new Set<string>();
  /** What each run is waited for: its activities, and a workflow task. */
  readonly #underWay = new Map<string, { activities: number; task: boolean }>();
  #reported = 0;
  #asleep = 0;
  /** Times that the test itself waits for. */
  #passing = 0;
  #pace: { wall: number; virtual: number } | null = null;
  #released = 0;
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> = Promise.resolve();

  constructor(env: TestWorkflowEnvironment) {
    this.#env = env;
    this.#histories = new GrowingHistories(env.connection, env.namespace ?? 'default');
  }

  watch(workflowId: string, runId: string): void {
    if (!this.#forgotten.has(runId)) this.#open.set(runId, { workflowId, runId });
  }

  /** For a worker whose activities fail and are tried again: no history tells of tries. */
  readonly noteTries: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        this.#betweenTries.delete(nameOf(info));
        try {
          return await next(input);
        } catch (error) {
          this.#betweenTries.add(nameOf(info));
          throw error;
        }
      },
    },
  });

  /** An activity reports itself that it is cancelled: history does not tell it from the others. */
  async reporting<T>(report: () => Promise<T>): Promise<T> {
    this.#reported += 1;
    try {
      return await report();
    } catch (error) {
      // Its workflow had ended before it.
      this.#reported -= 1;
      throw error;
    }
  }

  /** An activity sleeps: on a clock that is free it wakes at once. */
  async asleep<T>(sleep: Promise<T>): Promise<T> {
    this.#asleep += 1;
    return sleep.finally(() => (this.#asleep -= 1));
  }

  /** A test lets time pass, perhaps while nothing else waits. */
  async passing(pass: Promise<unknown>): Promise<void> {
    this.#passing += 1;
    await pass.finally(() => (this.#passing -= 1));
  }

  start(everyMs = 500): void {
    this.#timer = setInterval(() => void this.release(), everyMs);
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#turn;
  }

  /** Looks through what runs, and the children and next runs of it. */
  release(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      // What a look adds is looked at in the same turn.
      for (const run of this.#open.values()) await this.#look(run);
      const forgotten = [...this.#forgotten.values()].reduce((sum, count) => sum + count, 0);
      for (; this.#released < forgotten - this.#reported; this.#released += 1) await this.#unlock();
      await this.#unlockStandstill();
    });
    return this.#turn;
  }

  /**
   * What the histories do not tell, as of a run that ended with a signal still to be sent: for a quarter of a
   * minute nothing has been under way but sleep, or for a whole one whatever was, and the clock only goes as on
   * the wall.
   */
  async #unlockStandstill(): Promise<void> {
    const now = { wall: Date.now(), virtual: await this.#env.currentTimeMs() };
    const from = (this.#pace ??= now);
    const skipped = now.virtual - from.virtual - (now.wall - from.wall);
    const boundMs = this.#isAtWork() ? longestHoldMs : standstillMs;
    if (this.#asleep + this.#passing === 0 || skipped > leastSkipMs) this.#pace = now;
    else if (now.wall - from.wall > boundMs) {
      this.#pace = null;
      await this.#unlock();
    }
  }

  /** Something holds the clock that has every right to, however slow the machine is. */
  #isAtWork(): boolean {
    const runs = [...this.#underWay.values()];
    const activities = runs.reduce((sum, run) => sum + run.activities, 0);
    return activities > this.#asleep || runs.some(({ task }) => task);
  }

  /** Until no workflow task of a run is under way. */
  async untilNoTask(run: Run): Promise<void> {
    while (isAtTask(await this.#histories.of(run))) await breathe(5);
  }

  async #look(run: Run): Promise<void> {
    const { workflowId, runId } = run;
    const events = await this.#histories.of(run);
    const open = new Map<string, string>();
    let cancelled = 0;
    for (const event of events) {
      const { activityId } = event.activityTaskScheduledEventAttributes ?? {};
      if (activityId != null) open.set(String(event.eventId), `${runId} ${activityId}`);
      const scheduled = String(activityEnd(event)?.scheduledEventId);
      const isHeld = !this.#betweenTries.has(open.get(scheduled) ?? '');
      if (event.activityTaskCanceledEventAttributes && isHeld) cancelled += 1;
      open.delete(scheduled);
      const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
      if (child?.workflowId && child.runId) this.watch(child.workflowId, child.runId);
      const next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (next) this.watch(workflowId, next);
    }
    const over = endOf(events);
    const held = [...open.values()].filter((name) => !this.#betweenTries.has(name)).length;
    this.#forgotten.set(runId, cancelled + (over ? held : 0));
    this.#underWay.set(runId, { activities: open.size, task: isAtTask(events) });
    if (!over) return;
    this.#histories.forget(run);
    this.#open.delete(runId);
    this.#underWay.delete(runId);
  }

  async #unlock(): Promise<void> {
    const { testService } = this.#env.connection as unknown as {
      testService: { unlockTimeSkipping: (request: object) => Promise<unknown> };
    };
    await testService.unlockTimeSkipping({});
  }
}

function activityEnd(event: HistoryEvents[number]) {
  return (
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes
  );
}

/** A workflow task is scheduled, and has not ended. */
function isAtTask(events: HistoryEvents): boolean {
  const last = events.findLast(
    (event) =>
      event.workflowTaskScheduledEventAttributes ?? event.workflowTaskCompletedEventAttributes,
  );
  return Boolean(last?.workflowTaskScheduledEventAttributes) && !endOf(events);
}

function nameOf({ workflowExecution, activityId }: Info): string {
  return `${workflowExecution?.runId} ${activityId}`;
}

function endOf(events: HistoryEvents): boolean {
  const last = events.at(-1);
  return Boolean(
    last?.workflowExecutionCompletedEventAttributes ??
    last?.workflowExecutionFailedEventAttributes ??
    last?.workflowExecutionCanceledEventAttributes ??
    last?.workflowExecutionTerminatedEventAttributes ??
    last?.workflowExecutionContinuedAsNewEventAttributes,
  );
}
