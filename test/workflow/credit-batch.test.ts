import { Worker } from '@temporalio/worker';
import { thingOfAnalysis, type CreditBatchEnd } from '../../src/domain/credit/batch';
import { queueName } from '../../src/domain/core/queues';
import type { AnalysisOutcome, AnalysisStatus } from '../../src/domain/credit/work';
import type { creditBatch } from '../../src/workflows/credit/credit-batch';
import {
  cancelUpdate,
  creditBatchProgressQuery,
  pauseUpdate,
  resumeUpdate,
} from '../../src/workflows/messages';
import {
  dataConverter,
  hour,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

let batches = 0;

/** A store in memory, and a service whose analyses end when the test lets them. */
class FakeDesk {
  readonly outcomes = new Map<string, AnalysisStatus>();
  readonly uploads: string[] = [];
  /** Uploads under way at once, at most. */
  most = 0;
  end: CreditBatchEnd | null = null;
  /** Analyses that are waited for until they are taken from here. */
  readonly held = new Set<string>();
  readonly #parts: string[][];
  #underWay = 0;

  constructor(parts: string[][]) {
    this.#parts = parts;
  }

  activities() {
    return {
      requestAnalysis: async ({ ref }: { ref: { workId: string } }) => {
        this.uploads.push(ref.workId);
        this.#underWay += 1;
        this.most = Math.max(this.most, this.#underWay);
        return { kind: 'accepted', operationId: ref.workId, acceptedAt: 0, afterUnknown: false };
      },
      awaitAnalysis: async ({ operationId }: { operationId: string }) => {
        while (this.held.has(operationId)) await new Promise((done) => setTimeout(done, 20));
        return { kind: 'settled', value: { kind: 'ready', statusWord: null } };
      },
      fileResults: async () => ({ kind: 'settled', value: {} }),
      finalizeAnalysis: async ({
        ref,
        outcome,
      }: {
        ref: { workId: string };
        outcome: AnalysisOutcome;
      }) => {
        this.#underWay -= 1;
        this.outcomes.set(ref.workId, outcome.status);
        return outcome;
      },
      readBatchPart: async ({ part }: { part: number }) => {
        const ids = this.#parts[part] ?? [];
        const open = ids.filter((id) => !this.outcomes.has(id));
        return { open, ended: ids.flatMap((id) => this.outcomes.get(id) ?? []) };
      },
      awaitOutcome: async ({ workId }: { workId: string }) => {
        while (!this.outcomes.has(workId)) await new Promise((done) => setTimeout(done, 20));
        return this.outcomes.get(workId);
      },
      concludeBatch: async (end: CreditBatchEnd) => void (this.end = end),
    };
  }
}

function idsOf(parts: number, each: number): string[][] {
  batches += 1;
  const id = (n: number) => `credit/${batches}-${n}/20261121T000000000Z`;
  return Array.from({ length: parts }, (_, part) =>
    Array.from({ length: each }, (__, index) => id(part * each + index)),
  );
}

async function driven(
  rig: WorkflowRig,
  parts: string[][],
  desk: FakeDesk,
  {
    concurrency = 3,
    meanwhile = async () => undefined,
  }: { concurrency?: number; meanwhile?: (workflowId: string) => Promise<unknown> } = {},
) {
  const queueSuffix = `${rig.suffix}-b${batches}`;
  const common = {
    connection: rig.env.nativeConnection,
    ...(rig.env.namespace !== undefined && { namespace: rig.env.namespace }),
    dataConverter,
    activities: desk.activities(),
  };
  const uploads = await Worker.create({
    ...common,
    taskQueue: queueName('credit-uploads', queueSuffix),
  });
  const others = await Worker.create({ ...common, taskQueue: queueName('credit', queueSuffix) });
  const workflowId = `credit-batch/${queueSuffix}`;
  const drive = async () => {
    const { workflow } = rig.env.client;
    const handle = await workflow.start<typeof creditBatch>('creditBatch', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          batchId: workflowId,
          folder: 'f',
          analyses: parts.flat().length,
          notSent: 0,
          parts: parts.length,
          part: 0,
          carried: { underWay: [], counts: {}, paused: false },
          concurrency,
          deadlineMs: 24 * hour,
          queueSuffix,
        },
      ],
    });
    await meanwhile(workflowId);
    const counts = await handle.result();
    return { counts, histories: await rig.histories(workflowId, handle.firstExecutionRunId) };
  };
  return uploads.runUntil(others.runUntil(drive()));
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((done) => setTimeout(done, 20));
};

workflowSuite('a batch of analyses', (rig) => {
  it('drives each part in a run, each file once, so many at once', async () => {
    const parts = idsOf(3, 5);
    const desk = new FakeDesk(parts);
    const { counts, histories } = await driven(rig(), parts, desk);
    expect(counts).toEqual({ completed: 15 });
    expect([...desk.uploads].sort()).toEqual(parts.flat().sort());
    expect(histories).toHaveLength(3);
    expect(desk.most).toBeLessThanOrEqual(3);
    expect(desk.end).toMatchObject({ cancelled: false, counts: { completed: 15 } });
  });

  it('hands a slow one on from run to run, and it keeps one place and no more', async () => {
    const parts = idsOf(3, 4);
    const desk = new FakeDesk(parts);
    const slow = parts[0]?.[0] ?? '';
    desk.held.add(slow);
    const { counts, histories } = await driven(rig(), parts, desk, {
      meanwhile: async () => {
        await until(() => desk.outcomes.size === 11);
        desk.held.clear();
      },
    });
    expect(counts).toEqual({ completed: 12 });
    expect(desk.uploads.filter((id) => id === slow)).toHaveLength(1);
    expect(desk.most).toBeLessThanOrEqual(3);
    expect(histories.length).toBeGreaterThanOrEqual(3);
  });

  it('that was broken off counts what has ended, and starts the rest alone', async () => {
    const parts = idsOf(1, 4);
    const desk = new FakeDesk(parts);
    const [first = '', second = ''] = parts.flat();
    desk.outcomes.set(first, 'unknown_outcome').set(second, 'failed');
    const { counts } = await driven(rig(), parts, desk);
    expect(counts).toEqual({ unknown_outcome: 1, failed: 1, completed: 2 });
    expect(desk.uploads).not.toContain(first);
    expect(desk.uploads).not.toContain(second);
  });

  it('begins nothing while it is paused, and nothing more once it is cancelled', async () => {
    const parts = idsOf(2, 3);
    const desk = new FakeDesk(parts);
    for (const id of parts.flat()) desk.held.add(id);
    const { counts } = await driven(rig(), parts, desk, {
      concurrency: 1,
      meanwhile: async (workflowId) => {
        const handle = rig().env.client.workflow.getHandle(workflowId);
        await until(() => desk.uploads.length === 1);
        await handle.executeUpdate(pauseUpdate);
        desk.held.delete(desk.uploads[0] ?? '');
        await until(() => desk.outcomes.size === 1);
        const paused = await handle.query(creditBatchProgressQuery);
        expect(paused).toMatchObject({ total: 6, paused: true });
        expect(desk.uploads).toHaveLength(1);
        await handle.executeUpdate(resumeUpdate);
        await until(() => desk.uploads.length === 2);
        await expect(handle.executeUpdate(resumeUpdate)).rejects.toMatchObject({
          cause: { message: 'it is not paused' },
        });
        await handle.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        desk.held.clear();
      },
    });
    expect(counts).toEqual({ completed: 2 });
    expect(desk.end).toMatchObject({ cancelled: true });
    expect(desk.uploads.map(thingOfAnalysis)).toHaveLength(2);
  });
});
