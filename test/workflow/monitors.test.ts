import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { ProbeInput } from '../../src/activities/monitors/probe-monitors';
import type { ReconcileReport } from '../../src/activities/monitors/reconcile';
import type {
  FinalizeSweepInput,
  SweepPagesInput,
} from '../../src/activities/monitors/sweep-pages';
import type { ProbeReport, ScanOutcome } from '../../src/domain/monitors/scan';
import {
  emptyBacklog,
  noCounts,
  plainTerms,
  sweepOutcome,
  type SweepOutcome,
  type SweepRef,
} from '../../src/domain/monitors/sweep';
import { firstWalk, type SweepReport } from '../../src/domain/monitors/walk';
import { queueName } from '../../src/domain/core/queues';
import { cancelUpdate } from '../../src/workflows/messages';
import type { monitorSweep } from '../../src/workflows/monitors/monitor-sweep';
import type { monitorScan } from '../../src/workflows/monitors/monitor-scan';
import { dataConverter, workflowSuite, type WorkflowRig } from '../support/workflow-environment';

const pageSize = 100;
const at = '2026-05-04T10:00:00.000Z';
let desks = 0;

/** Monitors with so many open changes each; pages of a scan. */
class FakeDesk {
  readonly open = new Map<string, number>();
  readonly pages: string[][];
  readonly swept: string[] = [];
  /** Whose sweeps have a stop mark. */
  readonly stopped = new Set<string>();
  /** How sweeps ended. */
  readonly finalized: FinalizeSweepInput[] = [];
  /** Scans that are jobs. */
  readonly stored: ScanOutcome[] = [];
  walkFault: ReconcileReport['fault'] = null;
  /** Changes that a walk leaves due to a sink. */
  pending = 0;
  /** What the store says when a sweep ends. */
  undelivered = 0;
  /** Sweeps that cannot be had, pages that cannot be probed. */
  readonly broken = new Set<string>();
  readonly lost = new Set<number>();
  /** Pages after which the token is refused. */
  refusedFrom = Infinity;
  /** Called by a sweep that begins, which waits for what it promises. */
  hold: () => Promise<void> = async () => undefined;
  /** Sweeps under way at once, at most. */
  most = 0;
  #underWay = 0;

  /** The probe of the first page lasts until so many others were probed. */
  heldUntil = 0;
  probed = 0;
  /** On the clock of the server, which skips what nobody works in. */
  rest: (ms: number) => Promise<void> = sleep;

  constructor(pages: string[][] = []) {
    this.pages = pages;
  }

  activities() {
    return {
      probeMonitors: async ({ page }: ProbeInput): Promise<ProbeReport> => {
        while (page === 0 && this.probed < this.heldUntil) await this.rest(1_000);
        this.probed += 1;
        if (this.lost.has(page)) throw ApplicationFailure.nonRetryable('no such page');
        const ids = this.pages[page] ?? [];
        const due = ids
          .filter((id) => (this.open.get(id) ?? 0) > 0 || this.broken.has(id))
          .map((monitorId) => ({ monitorId, reconcile: false }));
        const isCredentials = page >= this.refusedFrom;
        return { probed: ids.length, due, failing: 0, escalated: 0, isCredentials };
      },
      sweepPages: async ({ ref }: SweepPagesInput): Promise<SweepReport> => {
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
        return {
          counts: { ...noCounts(), pages: 1, delivered: settled, acknowledged: settled },
          warnings: [],
          unsure: false,
          walk: before > settled ? firstWalk : null,
          fault: null,
          isStopped: this.stopped.has(monitorId),
        };
      },
      stopSweep: async ({ monitorId }: SweepRef): Promise<void> => void this.stopped.add(monitorId),
      reconcilePages: async (): Promise<ReconcileReport> => ({
        walk: null,
        pages: 1,
        found: 3,
        pending: this.pending,
        fault: this.walkFault,
      }),
      finalizeSweep: async (input: FinalizeSweepInput): Promise<SweepOutcome> => {
        this.finalized.push(input);
        const { record, end } = input;
        const backlog = { ...emptyBacklog, undelivered: this.undelivered };
        return sweepOutcome(record, end, { backlog, health: [] }, at);
      },
      finalizeScan: async ({ outcome }: { outcome: ScanOutcome }): Promise<void> => {
        this.stored.push(outcome);
      },
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

async function swept(
  rig: WorkflowRig,
  desk: FakeDesk,
  monitorId: string,
  reconcile = false,
  begun?: (sweep: WorkflowHandle) => void,
) {
  return withDesk(rig, desk, async (queueSuffix) => {
    const workflowId = `monitor-sweep/${monitorId}/${queueSuffix}`;
    const handle = await rig.env.client.workflow.start<typeof monitorSweep>('monitorSweep', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          record: {
            jobId: `monitor-sweep/${monitorId}/1`,
            monitorId,
            terms: plainTerms,
            reconcile,
            createdAt: at,
            createdBy: 'tester',
          },
          interactive: false,
          queueSuffix,
          carryover: null,
        },
      ],
    });
    begun?.(handle);
    const outcome: SweepOutcome = await handle.result();
    return { outcome, histories: await rig.histories(workflowId, handle.firstExecutionRunId) };
  });
}

async function scanned(
  rig: WorkflowRig,
  desk: FakeDesk,
  more: { eventsPerExecution?: number; begun?: (scan: WorkflowHandle) => void } = {},
) {
  return withDesk(rig, desk, async (queueSuffix) => {
    const { begun, ...input } = more;
    const monitors = desk.pages.flat().length;
    const workflowId = `monitor-scan/${queueSuffix}`;
    const handle = await rig.env.client.workflow.start<typeof monitorScan>('monitorScan', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          ...input,
          list: { name: 'test', edition: 'e', monitors, pages: desk.pages.length },
          by: 'tester',
          terms: plainTerms,
          reconcileAll: false,
          jobId: null,
          interactive: false,
          queueSuffix,
          carryover: null,
        },
      ],
    });
    begun?.(handle);
    const outcome: ScanOutcome = await handle.result();
    return { outcome, histories: await rig.histories(workflowId, handle.firstExecutionRunId) };
  });
}

function idsOf(count: number): string[] {
  desks += 1;
  return Array.from({ length: count }, (_, n) => `monitor-${desks}-${n}`);
}

workflowSuite('sweeps of monitors', (rig) => {
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

  it('its end is stored once a sweep, however many pages it is, and what is left makes it partly', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.open.set(id, 250);
    desk.undelivered = 30;
    const { outcome } = await swept(rig(), desk, id);
    expect(outcome).toMatchObject({
      status: 'partly',
      counts: { pages: 3 },
      backlog: { undelivered: 30 },
    });
    expect(desk.finalized).toMatchObject([
      { end: { counts: { acknowledged: 250 }, fault: null, reconciled: null } },
    ]);
  });

  it.each<[string, Partial<FakeDesk>, Partial<SweepOutcome>]>([
    ['comes through', {}, { status: 'swept', fault: null }],
    ['leaves changes due to a sink', { pending: 2, undelivered: 2 }, { status: 'partly' }],
    [
      'finds something and goes no further',
      { walkFault: { fault: 'no cursor', message: 'no way on' } },
      { status: 'partly', fault: { fault: 'no cursor', message: 'no way on' } },
    ],
  ])('a walk over all states follows what is open when it is due, and %s', async (_, part, end) => {
    const [id = ''] = idsOf(1);
    const desk = Object.assign(new FakeDesk(), part);
    desk.open.set(id, 1);
    const { outcome } = await swept(rig(), desk, id, true);
    const reconciled = { pages: 1, found: 3, pending: desk.pending, fault: desk.walkFault };
    expect(outcome).toMatchObject({ ...end, reconciled });
    expect(desk.finalized).toMatchObject([{ end: { reconciled } }]);
  });

  it('one that is cancelled from outside leaves a stop mark for the pages under way', async () => {
    const [id = ''] = idsOf(1);
    const desk = new FakeDesk();
    desk.open.set(id, 250);
    const { outcome } = await swept(rig(), desk, id, true, (sweep) => {
      desk.hold = async () => {
        await sweep.cancel();
        while (!desk.stopped.has(id)) await sleep(5);
      };
    });
    const counts = { pages: 1, acknowledged: 100 };
    expect(outcome).toMatchObject({ stopped: 'cancelled', status: 'partly', counts });
    expect(outcome.reconciled).toBeNull();
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

  it('a scan sweeps what has something open, fifty at once, and one that fails costs nothing', async () => {
    const ids = idsOf(130);
    const desk = new FakeDesk([ids.slice(0, 100), ids.slice(100)]);
    for (const id of ids.slice(0, 56)) desk.open.set(id, 120);
    desk.broken.add(ids[3] ?? '').add(ids[110] ?? '');
    const { outcome } = await scanned(rig(), desk);
    expect(outcome.counts).toMatchObject({
      probed: 130,
      sweeps: 57,
      failed: 2,
      running: 0,
      acknowledged: 55 * 120,
    });
    expect(new Set(desk.swept).size).toBe(55);
    expect(desk.most).toBeLessThanOrEqual(50);
  });

  it('a page of monitors that cannot be probed is counted, and the next one is', async () => {
    const [first, second] = [idsOf(5), idsOf(5)];
    const desk = new FakeDesk([first, second]);
    desk.lost.add(0);
    desk.open.set(second[0] ?? '', 1);
    const { outcome } = await scanned(rig(), desk);
    expect(outcome.counts).toMatchObject({ lostPages: 1, probed: 5, sweeps: 1, acknowledged: 1 });
  });

  it('a page in which a monitor does not answer holds up no other page', async () => {
    const pages = [idsOf(5), idsOf(5), idsOf(5)];
    const desk = new FakeDesk(pages);
    desk.heldUntil = 2;
    for (const [id = ''] of pages) desk.open.set(id, 1);
    const { outcome } = await scanned(rig(), desk);
    expect(outcome.counts).toMatchObject({ probed: 15, sweeps: 3, acknowledged: 3 });
  });

  it('a scan that is cancelled while it waits to continue as new ends there', async () => {
    const pages = Array.from({ length: 9 }, () => idsOf(1));
    const desk = new FakeDesk(pages);
    desk.open.set(pages[0]?.[0] ?? '', 1);
    const { outcome, histories } = await scanned(rig(), desk, {
      eventsPerExecution: 3,
      begun: (scan) => {
        // By the time that its sweep has begun, the scan waits for it.
        desk.hold = async () => {
          await scan.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        };
      },
    });
    expect(outcome).toMatchObject({ stopped: 'cancelled', counts: { acknowledged: 1 } });
    expect(outcome.counts.probed).toBeLessThan(9);
    expect(histories).toHaveLength(1);
  });

  it('a scan of many pages goes on in runs of bounded history', async () => {
    const pages = Array.from({ length: 20 }, () => idsOf(1));
    const desk = new FakeDesk(pages);
    for (const [id = ''] of pages) desk.open.set(id, 1);
    const { outcome, histories } = await scanned(rig(), desk, { eventsPerExecution: 20 });
    expect(outcome.counts).toMatchObject({ probed: 20, sweeps: 20, acknowledged: 20 });
    expect(histories.length).toBeGreaterThan(1);
  });

  it('a refused token ends a scan, and nothing more is asked than what was under way', async () => {
    const desk = new FakeDesk(Array.from({ length: 20 }, () => idsOf(5)));
    desk.refusedFrom = 1;
    const { outcome } = await scanned(rig(), desk);
    expect(outcome.stopped).toBe('credentials');
    expect(outcome.counts.probed).toBeLessThanOrEqual(5 * 5);
  });
});
