import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { LookInput } from '../../src/activities/monitors/looks';
import type { NotesInput } from '../../src/activities/monitors/notes';
import type { ReconcileEnd, ReconcileReport } from '../../src/activities/monitors/reconciles';
import type { StuckInput } from '../../src/activities/monitors/stuck';
import type { SweepPageInput } from '../../src/activities/monitors/sweeps';
import {
  noCounts,
  noStanding,
  plainTerms,
  type PageReport,
  type SweepOutcome,
} from '../../src/domain/monitors/sweep';
import type { LookReport, WatchOutcome } from '../../src/domain/monitors/watch';
import { queueName } from '../../src/domain/core/queues';
import { cancelUpdate } from '../../src/workflows/messages';
import type { monitorSweep } from '../../src/workflows/monitors/monitor-sweep';
import type { monitorWatch } from '../../src/workflows/monitors/monitor-watch';
import { dataConverter, workflowSuite, type WorkflowRig } from '../support/workflow-environment';

const pageSize = 100;
let desks = 0;

/** Monitors with so many open changes each; pages of a watch. */
class FakeDesk {
  readonly open = new Map<string, number>();
  readonly pages: string[][];
  readonly swept: string[] = [];
  readonly reconciled: [string, boolean][] = [];
  /** What sweeps left: whether a pass has some on file, and what was noted. */
  isNoted = false;
  readonly notes: NotesInput[] = [];
  /** Named beside the last page; refused when it is sent. */
  afterEnd: string | null = null;
  walkFault: ReconcileReport['fault'] = null;
  /** Changes that a walk leaves due to a sink. */
  owed = 0;
  /** Left by every page, and what was told of whole sweeps. */
  stuck = 0;
  readonly stuckTold: StuckInput[] = [];
  /** Sweeps that cannot be had, pages that cannot be looked at. */
  readonly broken = new Set<string>();
  readonly lost = new Set<number>();
  /** Pages after which the token is refused. */
  refusedFrom = Infinity;
  /** Called by a sweep that begins, which waits for what it promises. */
  hold: () => Promise<void> = async () => undefined;
  /** Sweeps under way at once, at most. */
  most = 0;
  #underWay = 0;

  /** The look at the first page lasts until so many others were looked at. */
  heldUntil = 0;
  looked = 0;
  /** On the clock of the server, which skips what nobody works in. */
  rest: (ms: number) => Promise<void> = sleep;

  constructor(pages: string[][] = []) {
    this.pages = pages;
  }

  activities() {
    return {
      lookAtMonitors: async ({ page }: LookInput): Promise<LookReport> => {
        while (page === 0 && this.looked < this.heldUntil) await this.rest(1_000);
        this.looked += 1;
        if (this.lost.has(page)) throw ApplicationFailure.nonRetryable('no such page');
        const ids = this.pages[page] ?? [];
        const due = ids
          .filter((id) => (this.open.get(id) ?? 0) > 0 || this.broken.has(id))
          .map((monitorId) => ({ monitorId, isOpen: true, reconcile: false }));
        const credentials = page >= this.refusedFrom;
        const looked = { looked: ids.length, due, failing: 0, escalated: 0, blocked: 0 };
        return { ...looked, credentials, noted: this.isNoted };
      },
      sweepPage: async ({ ref, cursor }: SweepPageInput): Promise<PageReport> => {
        const { monitorId } = ref;
        if (this.broken.has(monitorId)) throw ApplicationFailure.nonRetryable('it is away');
        this.#underWay += 1;
        this.most = Math.max(this.most, this.#underWay);
        await new Promise((done) => setTimeout(done, 5));
        await this.hold();
        this.#underWay -= 1;
        this.swept.push(monitorId);
        const before = this.open.get(monitorId) ?? 0;
        const settled = Math.min(pageSize, before);
        this.open.set(monitorId, before - settled);
        const hasMore = before > settled;
        return {
          counts: { ...noCounts(), pages: 1, delivered: settled, acknowledged: settled },
          standing: { ...noStanding(), stuck: this.stuck },
          tried: noStanding(),
          ...(this.stuck > 0 && { why: 'the webhook answered 500' }),
          settled,
          staying: 0,
          deferred: false,
          hasMore,
          nextCursor: hasMore ? 'next' : this.afterEnd,
          ids: String(before),
          size: null,
          remarks: [],
          fault: cursor === null ? null : { fault: 'refused', message: 'no such cursor' },
          lost: false,
        };
      },
      noteSweeps: async (input: NotesInput) => void this.notes.push(input),
      reconcilePages: async (): Promise<ReconcileReport> => ({
        walk: null,
        pages: 1,
        found: 3,
        owed: this.owed,
        standing: { ...noStanding(), stuck: this.owed },
        tried: noStanding(),
        fault: this.walkFault,
      }),
      concludeReconcile: async ({ ref, isThrough }: ReconcileEnd) =>
        void this.reconciled.push([ref.monitorId, isThrough]),
      tellStuck: async (input: StuckInput) => void this.stuckTold.push(input),
    };
  }
}

async function withDesk<T>(
  rig: WorkflowRig,
  desk: FakeDesk,
  drive: (queueSuffix: string) => Promise<T>,
): Promise<T> {
  desks += 1;
  const queueSuffix = `${rig.suffix}-m${desks}`;
  desk.rest = (ms) => rig.pass(ms);
  const worker = await Worker.create({
    connection: rig.env.nativeConnection,
    ...(rig.env.namespace !== undefined && { namespace: rig.env.namespace }),
    dataConverter,
    activities: desk.activities(),
    taskQueue: queueName('investigation', queueSuffix),
  });
  return worker.runUntil(drive(queueSuffix));
}

async function swept(rig: WorkflowRig, desk: FakeDesk, monitorId: string, reconcile = false) {
  return withDesk(rig, desk, async (queueSuffix) => {
    const workflowId = `monitor-sweep/${monitorId}/${queueSuffix}`;
    const handle = await rig.env.client.workflow.start<typeof monitorSweep>('monitorSweep', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          monitorId,
          by: 'tester',
          terms: plainTerms,
          reconcile,
          interactive: false,
          queueSuffix,
          carried: null,
        },
      ],
    });
    const outcome: SweepOutcome = await handle.result();
    return { outcome, histories: await rig.histories(workflowId, handle.firstExecutionRunId) };
  });
}

async function watched(
  rig: WorkflowRig,
  desk: FakeDesk,
  more: { eventsPerRun?: number; begun?: (watch: WorkflowHandle) => void } = {},
) {
  return withDesk(rig, desk, async (queueSuffix) => {
    const { begun, ...input } = more;
    const monitors = desk.pages.flat().length;
    const workflowId = `monitor-watch/${queueSuffix}`;
    const handle = await rig.env.client.workflow.start<typeof monitorWatch>('monitorWatch', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          ...input,
          list: { name: 'test', edition: 'e', monitors, pages: desk.pages.length },
          by: 'tester',
          terms: plainTerms,
          reconcileAll: false,
          interactive: false,
          queueSuffix,
          carried: null,
        },
      ],
    });
    begun?.(handle);
    const outcome: WatchOutcome = await handle.result();
    return { outcome, histories: await rig.histories(workflowId, handle.firstExecutionRunId) };
  });
}

function idsOf(count: number): string[] {
  desks += 1;
  return Array.from({ length: count }, (_, n) => `monitor-${desks}-${n}`);
}

workflowSuite('sweeps of monitors', (rig) => {
  it('a cursor after the end that is refused is the end', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.open.set(id, 1);
    desk.afterEnd = 'past';
    const { outcome } = await swept(rig(), desk, id);
    expect(outcome).toMatchObject({ status: 'swept', fault: null, counts: { acknowledged: 1 } });
  });

  it('a backlog of 11,000 changes is worked off in runs of bounded history', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.open.set(id, 11_000);
    const { outcome, histories } = await swept(rig(), desk, id);
    expect(outcome).toMatchObject({
      status: 'swept',
      counts: { pages: 110, acknowledged: 11_000 },
    });
    expect(histories).toHaveLength(2);
    const events = histories.reduce((sum, history) => sum + history.length, 0);
    expect(events / 11).toBeLessThanOrEqual(100);
    for (const history of histories) expect(history.length).toBeLessThan(1_000);
  });

  it('what could not be brought through is told once a sweep, however many pages it is', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.open.set(id, 250);
    await swept(rig(), desk, id);
    expect(desk.stuckTold).toEqual([]);
    desk.open.set(id, 250);
    desk.stuck = 30;
    const { outcome } = await swept(rig(), desk, id);
    expect(outcome).toMatchObject({ status: 'partly', counts: { pages: 3 } });
    expect(desk.stuckTold).toMatchObject([
      { standing: { stuck: 30 }, why: 'the webhook answered 500' },
    ]);
  });

  it('a walk over all states follows what is open, when it is due', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.open.set(id, 1);
    const { outcome } = await swept(rig(), desk, id, true);
    expect(outcome).toMatchObject({
      status: 'swept',
      reconciled: { pages: 1, found: 3, owed: 0, fault: null },
    });
    expect(desk.reconciled).toEqual([[id, true]]);
  });

  it('a walk that leaves changes due to a sink has not come through, and the sweep says so', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.owed = 2;
    const { outcome } = await swept(rig(), desk, id, true);
    expect(outcome).toMatchObject({ status: 'partly', standing: { stuck: 2 } });
    expect(desk.reconciled).toEqual([[id, false]]);
  });

  it('a walk over all states that finds something and goes no further is not a failure as a whole', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.walkFault = { fault: 'no cursor', message: 'no way on' };
    const { outcome } = await swept(rig(), desk, id, true);
    expect(outcome).toMatchObject({ status: 'partly', fault: { fault: 'no cursor' } });
    expect(desk.reconciled).toEqual([[id, false]]);
  });

  it('a page that cannot be had is an outcome, not an error', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.broken.add(id);
    const { outcome } = await swept(rig(), desk, id);
    expect(outcome).toMatchObject({
      status: 'failed',
      fault: { fault: 'unavailable', message: 'it is away' },
    });
  });

  it('a watch sweeps what has something open, fifty at once, and one that fails costs nothing', async () => {
    const ids = idsOf(130);
    const desk = new FakeDesk([ids.slice(0, 100), ids.slice(100)]);
    for (const id of ids.slice(0, 56)) desk.open.set(id, 120);
    desk.broken.add(ids[3] ?? '').add(ids[110] ?? '');
    const { outcome } = await watched(rig(), desk);
    expect(outcome.counts).toMatchObject({
      looked: 130,
      sweeps: 57,
      failed: 2,
      running: 0,
      acknowledged: 55 * 120,
    });
    expect(new Set(desk.swept).size).toBe(55);
    expect(desk.most).toBeLessThanOrEqual(50);
  });

  it('what sweeps of a pass left is noted by page, and nothing is where all came through', async () => {
    const [first, second] = [idsOf(5), idsOf(5)];
    const desk = new FakeDesk([first, second]);
    desk.open.set(first[0] ?? '', 1).set(second[0] ?? '', 1);
    desk.broken.add(second[1] ?? '');
    await watched(rig(), desk);
    const fault = 'unavailable: it is away';
    const fine = { monitorId: second[0], fault: null, left: [] };
    const failed = { monitorId: second[1], fault, left: [fault] };
    expect(desk.notes).toEqual([{ sweeps: [fine, failed] }]);
  });

  it('a sweep that comes through takes away what an earlier one left', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk([[id]]);
    desk.open.set(id, 1);
    desk.isNoted = true;
    await watched(rig(), desk);
    const sweeps = [{ monitorId: id, fault: null, left: [] }];
    expect(desk.notes).toEqual([{ sweeps }]);
  });

  it('a page of monitors that cannot be looked at is counted, and the next one is', async () => {
    const [first, second] = [idsOf(5), idsOf(5)];
    const desk = new FakeDesk([first, second]);
    desk.lost.add(0);
    desk.open.set(second[0] ?? '', 1);
    const { outcome } = await watched(rig(), desk);
    expect(outcome.counts).toMatchObject({ lostPages: 1, looked: 5, sweeps: 1, acknowledged: 1 });
  });

  it('a page in which a monitor does not answer holds up those after it for a while, and then no more', async () => {
    const pages = [idsOf(5), idsOf(5), idsOf(5)];
    const desk = new FakeDesk(pages);
    desk.heldUntil = 2;
    for (const [id = ''] of pages) desk.open.set(id, 1);
    const { outcome } = await watched(rig(), desk);
    expect(outcome.counts).toMatchObject({ looked: 15, sweeps: 3, acknowledged: 3 });
  });

  it('a pass that is cancelled while it waits to hand on to the next run ends there', async () => {
    const [first, second] = [idsOf(1), idsOf(1)];
    const desk = new FakeDesk([first, second]);
    desk.open.set(first[0] ?? '', 1);
    const { outcome, histories } = await watched(rig(), desk, {
      eventsPerRun: 6,
      begun: (watch) => {
        // By the time that its sweep has begun, the pass waits for it.
        desk.hold = async () => {
          await watch.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        };
      },
    });
    expect(outcome).toMatchObject({ stopped: 'cancelled', counts: { looked: 1, acknowledged: 1 } });
    expect(histories).toHaveLength(1);
  });

  it('a refused token ends a pass, and nothing more is asked', async () => {
    const desk = new FakeDesk([idsOf(5), idsOf(5), idsOf(5)]);
    desk.refusedFrom = 1;
    const { outcome } = await watched(rig(), desk);
    expect(outcome).toMatchObject({ stopped: 'credentials', counts: { looked: 10 } });
  });
});
