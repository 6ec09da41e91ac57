import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DevServers, askServer, isAlive } from '../support/dev-servers';

let place: DevServers;
beforeEach(() => {
  place = new DevServers();
});
afterEach(() => place.stop());

describe('a server that was left behind', () => {
  it('is adopted when it answers', async () => {
    const first = await place.start();
    const second = await place.start();
    expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port });
    await second.stop();
    await first.exited;
    await second.exited;
    expect(isAlive(first.pid)).toBe(false);
  });

  it('is ended by its pid when it does not answer', async () => {
    const first = await place.start();
    place.changeRecord({ port: 1 });
    const second = await place.start({ adoptTimeoutMs: 200 });
    await first.exited;
    expect(second.adopted).toBe(false);
    expect(second.pid).not.toBe(first.pid);
  });

  it('is not missed when it was killed: the next start opens the same file', async () => {
    const first = await place.start();
    await askServer(first, ({ workflowService }) =>
      workflowService.registerNamespace({
        namespace: 'kept',
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      }),
    );
    first.kill('SIGKILL');
    await first.exited;
    const second = await place.start();
    expect(second.adopted).toBe(false);
    await askServer(second, ({ workflowService }) =>
      workflowService.describeNamespace({ namespace: 'kept' }),
    );
  });

  it('is never mistaken for another process that got its pid', async () => {
    const stranger = spawn('sleep', ['60']);
    await once(stranger, 'spawn');
    const first = await place.start();
    place.changeRecord({ pid: stranger.pid });
    first.kill('SIGKILL');
    await first.exited;
    const second = await place.start();
    expect(second.adopted).toBe(false);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  });
});
