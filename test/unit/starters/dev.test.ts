import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MonitorsApi } from '../../../src/apis/investigation/monitors';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { readEnvironment } from '../../../src/environment';
import {
  sandboxSettings,
  startSandboxProcess,
} from '../../../src/starters/operate/dev/dev-sandbox';
import { startSandbox } from '../../../src/sandbox';
import { TemporaryStore } from '../../support/temporary-store';

it('prints settings by which a command reaches both services of the sandbox', async () => {
  const sandbox = await startSandbox({ scenario: { monitors: { held: { [monitorId]: {} } } } });
  try {
    const pairs = sandboxSettings(sandbox).map((line) => line.replace('export ', '').split('='));
    const environment = readEnvironment(Object.fromEntries(pairs) as Record<string, string>);
    expect(environment.credit?.baseUrl).toBe(sandbox.creditBaseUrl);
    const { baseUrl, token } = environment.investigation ?? { baseUrl: '', token: { value: '' } };
    const service = new Service({
      baseUrl,
      token: 'value' in token ? Token.of(token.value) : Token.fromFile(token.file),
      ratePerSecond: 100,
    });
    const api = new MonitorsApi(service, environment.monitorNames);
    const updated = await api.update(monitorId, { frequencyHours: 12 });
    expect(updated.monitor.frequencyHours).toBe(12);
    await service.close();
  } finally {
    await sandbox.close();
  }
});

it('says why a sandbox did not start, and not only where its log is', async () => {
  const place = new TemporaryStore();
  const dataDir = await mkdtemp(join(tmpdir(), 'diligence-dev-'));
  const [, main = ''] = process.argv;
  process.argv[1] = join(dataDir, 'main.js');
  await writeFile(process.argv[1], `console.error('cannot read it'); process.exit(2);`);
  try {
    const environment = readEnvironment({ DILIGENCE_DATA_DIR: dataDir });
    await expect(startSandboxProcess(environment, place.store, {})).rejects.toThrow(
      'did not start; the end of its log:\ncannot read it',
    );
  } finally {
    process.argv[1] = main;
    place.remove();
    await rm(dataDir, { recursive: true });
  }
});

const monitorId = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
