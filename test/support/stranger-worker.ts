import { DefaultLogger, Runtime } from '@temporalio/worker';
import { storeIn } from './temporary-store';
import { KeyRing } from '../../src/protection/key-ring';
import { dataConverterOf } from '../../src/temporal/payload/data-converter';
import { workerIdentity } from '../../src/temporal/payload/key-holders';
import { workflowOptions } from '../../src/workers/roles';
import { runWorkers } from '../../src/workers/run-workers';
import { eventually, type Installation } from './diligence-process';
import { historiesOf, type RunHistory } from './histories';

/** A payload key that no installation of the tests has. */
export const strangerKey = `stranger:${'0d'.repeat(32)}`;

export type TaskFailure = NonNullable<
  NonNullable<RunHistory['events'][number]['workflowTaskFailedEventAttributes']>['failure']
>;

/**
 * A worker for workflows that has another key and no guard before it: it takes the work, fails, and
 * is stopped. Once in a process.
 *
 * @returns the failure that it wrote
 */
export async function failedByStranger(place: Installation, jobId: string): Promise<TaskFailure> {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
  const keys = KeyRing.parse(strangerKey);
  const { address, namespace } = place;
  const workers = await runWorkers({
    connectionOptions: {},
    address,
    namespace,
    roles: [{ queues: () => ({ workflows: workflowOptions() }) }],
    store: storeIn(place.folder),
    dataConverter: dataConverterOf(keys, namespace),
    identity: workerIdentity(keys),
  });
  const client = await place.client();
  let failure: TaskFailure | null | undefined = null;
  try {
    await eventually('it has failed', async () => {
      const runs = await historiesOf(client, jobId);
      failure = runs
        .flatMap(({ events }) => events)
        .find((event) => event.workflowTaskFailedEventAttributes != null)
        ?.workflowTaskFailedEventAttributes?.failure;
      return failure != null;
    });
  } finally {
    await workers.stop();
  }
  if (failure == null) throw new Error('it has not failed');
  return failure;
}
