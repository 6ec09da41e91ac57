import type { WorkflowService } from '@temporalio/client';
import { refuseOtherStore, takeNamespace } from '../../../src/temporal/namespace-store';

const ours = 'aaaaaaaa-0000-4000-8000-000000000000';
const theirs = 'bbbbbbbb-0000-4000-8000-000000000000';

/** A namespace with its data; `update` stands in for what the server makes of a change. */
function namespaceWith(
  data: Record<string, string>,
  update: (change: Record<string, string>) => void = (change) => Object.assign(data, change),
) {
  const workflowService = {
    describeNamespace: () => Promise.resolve({ namespaceInfo: { data } }),
    updateNamespace: async (request: { updateInfo: { data: Record<string, string> } }) =>
      update(request.updateInfo.data),
  } as unknown as WorkflowService;
  return { connection: { workflowService }, namespace: 'default', address: '127.0.0.1:7233' };
}

describe('the store that a namespace belongs to', () => {
  test('is the one of the first worker, and stays it', async () => {
    const engine = namespaceWith({});
    await takeNamespace(engine, ours);
    await takeNamespace(engine, ours);
    await expect(takeNamespace(engine, theirs)).rejects.toMatchObject({
      name: 'ConfigError',
      variable: 'DILIGENCE_STORE_URL',
      message: expect.stringContaining('belongs to the store aaaaaaaa'),
    });
  });

  test('is the one that came first when two workers take it at once', async () => {
    const engine = namespaceWith({}, () => undefined);
    const data = { 'diligence.store': theirs };
    let looks = 0;
    engine.connection.workflowService.describeNamespace = (() =>
      Promise.resolve({
        namespaceInfo: { data: (looks += 1) === 1 ? {} : data },
      })) as unknown as WorkflowService['describeNamespace'];
    await expect(takeNamespace(engine, ours)).rejects.toMatchObject({ name: 'ConfigError' });
  });

  test('is nobody’s where the server keeps namespaces to itself, and no hindrance', async () => {
    const engine = namespaceWith({}, () => {
      throw Object.assign(new Error('7 PERMISSION_DENIED'), { code: 7, details: '', metadata: {} });
    });
    await expect(takeNamespace(engine, ours)).resolves.toBeUndefined();
    await expect(refuseOtherStore(engine, theirs)).resolves.toBeUndefined();
  });
});
