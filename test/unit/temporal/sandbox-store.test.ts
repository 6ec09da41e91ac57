import { readEnvironment } from '../../../src/environment';
import { writeEngineRecord } from '../../../src/temporal/engine-record';
import { refuseSandboxStore, takeStoreForSandbox } from '../../../src/temporal/sandbox-store';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const sandbox = 'http://127.0.0.1:4010/api/v1';

function environmentOf(baseUrl: string | null) {
  const service = { INVESTIGATION_BASE_URL: baseUrl ?? '', INVESTIGATION_TOKEN: 't' };
  return readEnvironment({
    DILIGENCE_DATA_DIR: place.folder,
    ...(baseUrl === null ? {} : service),
  });
}

test('what a sandbox answered is never reused as a result of a service', async () => {
  await takeStoreForSandbox(environmentOf(null), place.store);
  // The next start of the sandbox.
  await takeStoreForSandbox(environmentOf(null), place.store);
  await refuseSandboxStore(environmentOf(null), place.store);
  const atService = environmentOf('https://service.example/api/v1');
  const refusal =
    /^DILIGENCE_DATA_DIR: .* holds results of a sandbox, .* https:\/\/service\.example/;
  await expect(refuseSandboxStore(atService, place.store)).rejects.toThrow(refusal);
  await writeEngineRecord(place.folder, {
    pid: process.pid,
    address: '127.0.0.1:7233',
    namespace: 'default',
    uiUrl: null,
    sandboxUrl: sandbox,
    investigationBaseUrl: sandbox,
    creditBaseUrl: null,
  });
  await refuseSandboxStore(environmentOf(sandbox), place.store);
  await expect(refuseSandboxStore(atService, place.store)).rejects.toThrow(refusal);
});

test('a sandbox does not take over work of a service', async () => {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const job = { id: 'trace/a', kind: 'trace', createdAt, label: null } as const;
  await place.store.jobs.start('trace/a', job, {});
  await expect(takeStoreForSandbox(environmentOf(null), place.store)).rejects.toThrow(
    /^DILIGENCE_DATA_DIR: .* holds results of a service/,
  );
  await refuseSandboxStore(environmentOf('https://service.example/api/v1'), place.store);
});
