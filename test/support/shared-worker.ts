import { Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import { queueName } from '../../src/domain/core/queues';
import { dataConverter, type WorkflowRig } from './workflow-environment';

/** The activities that a test has for its workflow, by the id of it. */
export type ActivitiesByWorkflow = Map<string, Record<string, (input: never) => Promise<unknown>>>;

/** To be called in a suite: its tests share a worker, at which each workflow has its own activities. */
export function shareWorker(
  rig: () => WorkflowRig,
  names: readonly string[],
  activities: ActivitiesByWorkflow,
): void {
  let worker: Worker;
  let ran: Promise<void>;
  const own = (name: string) => async (input: never) => {
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
    const activity = activities.get(workflowId)?.[name];
    if (activity === undefined) throw new Error(`no test has started ${workflowId}`);
    return activity(input);
  };
  beforeAll(async () => {
    const { env, interceptors, suffix } = rig();
    worker = await Worker.create({
      connection: env.nativeConnection,
      ...(env.namespace !== undefined && { namespace: env.namespace }),
      dataConverter,
      taskQueue: queueName('investigation', suffix),
      interceptors,
      activities: Object.fromEntries(names.map((name) => [name, own(name)])),
    });
    ran = worker.run();
  });
  afterAll(async () => {
    worker.shutdown();
    await ran;
  });
}
