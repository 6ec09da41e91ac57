import type { ProfileOutcome } from '../../src/domain/profiles/lookup';
import { LoopbackServer, sendJson } from '../support/loopback-server';
import { Installation, eventually } from '../support/diligence-process';
import { personProfile } from '../support/profile-answers';

/** A lookup whose worker is killed: the engine hears of it when no heartbeat has come for 20 seconds. */

const cpf = '11144477735';

let service: LoopbackServer;
let installation: Installation;

jest.setTimeout(120_000);
beforeAll(async () => {
  service = await LoopbackServer.start();
  installation = await Installation.start(
    {},
    { INVESTIGATION_BASE_URL: `${service.origin}/api/v1` },
  );
  await installation.startWorker();
});
afterAll(async () => {
  await installation.stop();
  await service.close();
});

test('a worker that is killed while the service thinks leaves the lookup to the next one', async () => {
  let asked = 0;
  service.reply = (_, response) => {
    asked += 1;
    if (asked === 1) return;
    sendJson(response, 200, personProfile());
  };
  const running = installation.run(['profile', 'lookup', '--json', '--cpf', cpf]);
  await eventually('it is asked', () => asked > 0);
  await installation.stopWorkers('SIGKILL');
  await installation.startWorker();
  const { code, stdout } = await running;
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { outcome: ProfileOutcome }).outcome).toMatchObject({
    status: 'found',
    answered: 1,
  });
});
