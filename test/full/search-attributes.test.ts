import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { searchAttributeNames } from '../../src/domain/core/search-attributes';
import { Installation, eventually, sandboxToken } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const calm = { waitingMs: [20, 50], processingMs: [100, 400], distribution: 'uniform' } as const;
const { INDEXED_VALUE_TYPE_INT } = temporal.api.enums.v1.IndexedValueType;

describe('looking for work in the engine', () => {
  let place: Installation;
  let client: Client;
  const batch = ['certificate', 'batch', '--input', 'input.csv'];

  beforeAll(async () => {
    place = await Installation.start({ issuance: calm } as never);
    client = await place.client();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(120));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  async function found(query: string): Promise<WorkflowExecutionInfo[]> {
    const all = [];
    for await (const one of client.workflow.list({ query })) all.push(one);
    return all;
  }
  const idsOf = async (query: string): Promise<string[]> =>
    (await found(query)).map(({ workflowId }) => workflowId).sort();

  test('finds what waits for a token, all of a batch, and how it ended', async () => {
    place.sandbox.configure({ documents: { [cnpj(1)]: { request: ['reset_after'] } } } as never);
    await place.startWorkerHere();
    const command = place.begin([...batch, '--out', 'out', '--concurrency', '10']);
    const posts = () => place.sandbox.received().filter(({ method }) => method === 'POST').length;
    await eventually('some rows are requested', () => posts() >= 20);
    expect(await idsOf('DiligenceNeedsAttention = true')).toEqual([]);

    place.sandbox.setToken(sandboxToken, false);
    let waiting: string[] = [];
    await eventually('the lane that waits is found', async () => {
      waiting = await idsOf('DiligenceNeedsAttention = true');
      return waiting.length > 0;
    });
    place.sandbox.setToken(sandboxToken, true);
    expect(waiting).toEqual([expect.stringMatching(/\/lane-0000$/)]);
    await eventually('it is found no more', async () => {
      return (await idsOf('DiligenceNeedsAttention = true')).length === 0;
    });

    expect((await command.result).code).toBe(3);
    const [ended] = await found("DiligenceOutcome = 'unknown_outcome'");
    const id = ended?.workflowId ?? '';
    expect(id).toMatch(/^certificate-batch\/[0-9a-f]{32}$/);
    await eventually('both are known to have ended', async () => {
      return (await found(`DiligenceBatch = '${id}' AND CloseTime IS NOT NULL`)).length === 2;
    });
    expect(await idsOf(`DiligenceBatch = '${id}'`)).toEqual([id, `${id}/lane-0000`]);
    expect(await idsOf("DiligenceKind = 'certificate-lane'")).toEqual([`${id}/lane-0000`]);
    expect(
      await idsOf("DiligenceNeedsAttention = true AND DiligenceService = 'investigation'"),
    ).toEqual([id]);
  }, 180_000);

  test('finds a decision under the work that it is about', async () => {
    const [ended] = await found("DiligenceOutcome = 'unknown_outcome'");
    const id = ended?.workflowId ?? '';
    const words = [id, '--all', '--action', 'abandon', '--note', 'why'];
    expect((await place.run(['resolve', ...words])).code).toBe(0);
    await eventually('the decision is found', async () => {
      const query = `DiligenceKind = 'certificate-decision' AND DiligenceBatch = '${id}' AND DiligenceOutcome = 'cancelled'`;
      return (await idsOf(query)).length === 1;
    });
  }, 120_000);
});

describe('a namespace that was not set up', () => {
  let place: Installation;
  let client: Client;

  beforeAll(async () => {
    place = await Installation.start({ issuance: calm } as never);
    client = await place.client();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(2));
    await client.connection.operatorService.removeSearchAttributes({
      namespace: place.namespace,
      searchAttributes: searchAttributeNames,
    });
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('gets no worker and no work; both, and doctor, say `diligence setup`', async () => {
    const batch = ['certificate', 'batch', '--input', 'input.csv', '--detach'];
    const worker = await place.begin(['worker']).result;
    const command = await place.run(batch);
    for (const refused of [worker, command]) {
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('lacks the search attributes DiligenceKind, '),
      });
      expect(refused.stderr).toContain('run `diligence setup` once');
    }
    const doctor = await place.run(['doctor']);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining('`diligence setup`') });
    const { count } = await client.workflow.count();
    expect(count).toBe(0);
  }, 120_000);

  test('is set up once: again says what is there, and work can be started at once', async () => {
    const setUp = async (env?: Record<string, string>) => {
      const { code, stdout } = await place.run(['setup', '--json'], env);
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { searchAttributes: Record<string, string[]> })
        .searchAttributes;
    };
    // It reads no payload, and needs no key.
    const first = await setUp({ DILIGENCE_PAYLOAD_KEYS: '' });
    expect(first).toEqual({ added: searchAttributeNames, present: [] });
    await place.startWorkerHere();
    const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out'];
    expect((await place.run(batch)).code).toBe(0);
    expect(await setUp()).toEqual({ added: [], present: searchAttributeNames });
  }, 120_000);

  test('that has one of another type is left as it is, and says which', async () => {
    const { operatorService } = client.connection;
    const name = 'DiligenceOutcome';
    const { namespace } = place;
    await operatorService.removeSearchAttributes({ namespace, searchAttributes: [name] });
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { [name]: INDEXED_VALUE_TYPE_INT },
    });
    const { code, stderr } = await place.run(['setup']);
    expect(code).toBe(2);
    expect(stderr).toContain('DiligenceOutcome with another type than Keyword');
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    expect(customAttributes?.[name]).toBe(INDEXED_VALUE_TYPE_INT);
  }, 120_000);

  test('that has no room for ours says so', async () => {
    const { workflowService, operatorService } = client.connection;
    const namespace = 'crowded';
    await workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    const searchAttributes = Object.fromEntries(
      Array.from({ length: 8 }, (_, number) => [
        `Theirs${number}`,
        temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
      ]),
    );
    await eventually('the namespace is served', () =>
      operatorService.addSearchAttributes({ namespace, searchAttributes }).then(
        () => true,
        () => false,
      ),
    );
    const { code, stderr } = await place.run(['setup'], { TEMPORAL_NAMESPACE: namespace });
    expect(code).toBe(2);
    expect(stderr).toContain('use a namespace of its own for diligence');
  }, 120_000);
});
