import type { Client } from '@temporalio/client';
import { runsOf } from '../../../src/temporal/job-runs';

/** An engine that knows closed runs, by their ids, with the workflow that started each. */
function engineOf(parents: Record<string, string | null>): Client {
  const runs = Object.entries(parents).map(([workflowId, parent]) => ({
    workflowId,
    runId: `run of ${workflowId}`,
    status: { name: 'COMPLETED' },
    parentExecution: parent === null ? undefined : { workflowId: parent },
  }));
  const list = async function* ({ query }: { query: string }) {
    const prefix = JSON.parse(query.replace('WorkflowId STARTS_WITH ', '')) as string;
    yield* runs.filter(({ workflowId }) => workflowId.startsWith(prefix));
  };
  const getHandle = () => ({ describe: async () => ({ status: { name: 'COMPLETED' } }) });
  return { workflow: { list, getHandle } } as unknown as Client;
}

const idsOf = async (engine: Client, jobId: string): Promise<string[]> =>
  (await runsOf(engine, [jobId])).closed.map(({ workflowId }) => workflowId);

it.each([
  ['credit/a1', 'credit-batch/b1'],
  ['dossier/a1', 'dossier-batch/20260105T101530123Z'],
  ['trace/a1', 'trace-batch/b1'],
  ['profile/a1', 'profile-batch/b1'],
])('finds the batch that started %s: its history holds the outcome', async (id, batch) => {
  const engine = engineOf({ [id]: batch, [batch]: null, 'other-batch/b2': null });
  expect(await idsOf(engine, `${id}/20260105T101530123Z`)).toEqual([id, batch]);
});

it('leaves what begins alike, and is of another job', async () => {
  const engine = engineOf({ 'dossier/a1': null, 'dossier/a10': null });
  expect(await idsOf(engine, 'dossier/a1/20260105T101530123Z')).toEqual(['dossier/a1']);
});
