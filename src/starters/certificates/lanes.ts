import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import type { EngineClient } from '../../temporal/connection';
import { controlSignal } from '../../workflows/messages';
import type { Job, Order } from '../jobs/job-kind';

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
