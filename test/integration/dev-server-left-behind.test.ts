import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DevServers, askServer, isAlive } from '../support/dev-servers';

let place: DevServers;
beforeEach(() => {
  place = new DevServers();
});
afterEach(() => place.stop());

describe('a server that was left behind', () => {
  it('is ended by its pid, and its database is opened by the next', async () => {
    const first = await place.start();
    const second = await place.start();
    await first.exited;
    expect(isAlive(first.pid)).toBe(false);
    expect(second.pid).not.toBe(first.pid);
    expect(place.record()).toMatchObject({ pid: second.pid });
  });

  it('is not missed when it was killed: the next start opens the same file', async () => {
    const first = await place.start();
    await askServer(first, ({ workflowService }) =>
      workflowService.registerNamespace({
        namespace: 'kept',
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      }),
    );
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await place.start();
    const { namespaceInfo } = await askServer(second, ({ workflowService }) =>
      workflowService.describeNamespace({ namespace: 'kept' }),
    );
    expect(namespaceInfo?.name).toBe('kept');
  });

  it('is never mistaken for another process that got its pid', async () => {
    const stranger = spawn('sleep', ['60']);
    await once(stranger, 'spawn');
    const first = await place.start();
    place.changeRecord({ pid: stranger.pid });
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    await place.start();
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  });
});
