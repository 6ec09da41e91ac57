import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevServers, isAlive } from '../../support/dev-servers';

let place: DevServers;
beforeEach(() => {
  place = new DevServers();
});
afterEach(() => place.stop());

/** By executables that are no servers: those that are stand in the integration layer. */
describe('a start that must fail', () => {
  it('carries the end of the log, of this start only', async () => {
    const earlier = place.fakeCli('1.29.1', 'echo earlier; exit 1');
    await expect(place.start({ executable: earlier })).rejects.toThrow('earlier');
    const failing = place.fakeCli('1.29.2', 'echo starting; echo "disk full" >&2; exit 7');
    const failure = place.start({ executable: failing });
    await expect(failure).rejects.toMatchObject({ name: 'DevServerError' });
    await expect(failure).rejects.toThrow(
      /ended with exit code 7 while it started\. The end of .*temporal\.log:\nstarting\ndisk full$/,
    );
  });

  it('is bounded when the server never answers, and leaves no process', async () => {
    const pidFile = join(place.folder, 'pid');
    const silent = place.fakeCli('1.29.1', `echo $$ > ${pidFile}; echo waiting; exec sleep 60`);
    await expect(place.start({ executable: silent, startTimeoutMs: 500 })).rejects.toThrow(
      /did not answer on 127\.0\.0\.1:\d+ within 0\.5 s .*\nwaiting$/s,
    );
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('says so when the executable is no Temporal CLI', async () => {
    await expect(place.start({ executable: '/bin/true' })).rejects.toThrow(
      /\/bin\/true does not run as a Temporal CLI: it prints no server version/,
    );
  });
});
