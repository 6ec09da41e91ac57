import type { EngineClient } from '../../temporal/connection';
import {
  batchProgressQuery,
  rowsProgressQuery,
  controlSignal,
  type BatchProgress,
  type RowCounts,
  type RowsProgress,
  type WaitingFor,
} from '../../workflows/messages';
import { queried, type Progress } from '../jobs/progress';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import type { Job, Order } from '../jobs/job-kind';

/** Progress of one issuance: a batch of one row. Null when no worker answers. */
export async function issuanceProgress(
  engine: EngineClient,
  workflowId: string,
): Promise<Progress | null> {
  const rows = await queried(engine, workflowId, rowsProgressQuery);
  if (rows === null) return null;
  const { requesting: _, ...shown } = rows;
  return { stage: 'issuing', ...shown, counts: { ...shown.counts }, details: [] };
}

/** Progress of a batch or a resolution, summed over its lanes. Null when no worker answers. */
export async function batchProgress(
  engine: EngineClient,
  workflowId: string,
): Promise<Progress | null> {
  const batch = await queried(engine, workflowId, batchProgressQuery);
  if (batch === null) return null;
  return addUp(batch, await Promise.all(batch.lanes.map((lane) => laneProgress(engine, lane))));
}

/** The last answers of lanes: a busy one may miss a query, and a count does not fall. */
const lastAnswers = new WeakMap<EngineClient, Map<string, RowsProgress>>();

async function laneProgress(engine: EngineClient, lane: BatchProgress['lanes'][number]) {
  const last = lastAnswers.get(engine) ?? new Map<string, RowsProgress>();
  lastAnswers.set(engine, last);
  if (lane.counts !== null) {
    last.delete(lane.id);
    const idle = { outstanding: 0, requesting: 0, again: 0, paused: false, cancelling: false };
    return { total: lane.items, counts: lane.counts, ...idle, waiting: null };
  }
  const answer = await queried(engine, lane.id, rowsProgressQuery);
  if (answer !== null) last.set(lane.id, answer);
  return answer ?? last.get(lane.id) ?? null;
}

type Waiting = RowsProgress['waiting'];

/** Most important first: reasons that need a person before those that pass by themselves. */
const reasonsByWeight: readonly WaitingFor[] = [
  'credentials',
  'decision',
  'unknown',
  'budget',
  'paused',
  'store',
  'fault',
  'service',
  'another job',
  'rate limit',
  'retry',
];

const noRows: RowCounts = { issued: 0, failed: 0, expired: 0, unknown: 0, cancelled: 0 };

/** The batch's progress with that of its lanes; one that never answered is left out. */
export function addUp(batch: BatchProgress, lanes: (RowsProgress | null)[]): Progress {
  const answered = lanes.filter((lane) => lane !== null);
  const sum = (of: (lane: RowsProgress) => number): number =>
    answered.reduce((total, lane) => total + of(lane), 0);
  const counts = { ...noRows };
  for (const word of Object.keys(counts) as (keyof RowCounts)[]) {
    counts[word] = sum((lane) => lane.counts[word]);
  }
  return {
    stage: batch.stage,
    total: batch.items,
    counts: { ...counts },
    outstanding: sum((lane) => lane.outstanding),
    again: sum((lane) => lane.again),
    waiting: heaviest([batch.waiting, ...answered.map((lane) => lane.waiting)]),
    paused: batch.paused,
    cancelling: batch.cancelling,
    details: [],
  };
}

/** Of equal reasons the one that ends first. */
function heaviest(all: Waiting[]): Waiting {
  const weigh = (one: NonNullable<Waiting>): number => reasonsByWeight.indexOf(one.reason);
  const until = (one: NonNullable<Waiting>): number => one.until ?? 0;
  const present = all.filter((one) => one !== null);
  return present.sort((a, b) => weigh(a) - weigh(b) || until(a) - until(b))[0] ?? null;
}

/** Lanes that a batch or resolution may have: they outlive it when it is terminated. */
const mostLanes = 8;

export function laneIds(id: string): string[] {
  const [, work = id, decision] = /^(.*?)(?:\/(decision-\d{1,9}))?$/.exec(id) ?? [];
  const prefix = decision === undefined ? 'lane' : `${decision}-lane`;
  return Array.from({ length: mostLanes }, (_, number) => {
    const owner = decision === undefined ? work : id;
    return `${owner}/${prefix}-${String(number).padStart(4, '0')}`;
  });
}

/** Lanes outlive a terminated batch, so each is cancelled by itself. */
export async function cancelLanes(
  { client }: EngineClient,
  { id }: Pick<Job, 'id'>,
  order: Order,
): Promise<OrderAnswer | null> {
  if (order !== 'cancel' && order !== 'cancel_now') return null;
  const cancel = order === 'cancel' ? 'wait' : 'now';
  let signalled = 0;
  for (const laneId of laneIds(id)) {
    await client.workflow
      .getHandle(laneId)
      .signal(controlSignal, { cancel })
      .then(
        () => (signalled += 1),
        () => undefined,
      );
  }
  return signalled === 0 ? null : orderAnswer('lanes_cancelled', signalled);
}
