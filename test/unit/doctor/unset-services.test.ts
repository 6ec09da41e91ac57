import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineCredit } from '../../../src/doctor/credit';
import { queuesToPoll } from '../../../src/doctor/engine';
import { examineService, examineTransport } from '../../../src/doctor/service';
import { readEnvironment, type Environment } from '../../../src/environment';
import { writeEngineRecord } from '../../../src/temporal/engine-record';

const credit = {
  baseUrl: 'http://127.0.0.1:1/api/v1',
  token: { value: 't' },
  rps: 1,
  timeoutMs: 1,
};

it('names what is not set when only the credit service is, as something to know of', async () => {
  const environment = { investigation: null, credit } as unknown as Environment;
  const [finding, ...others] = await examineService(environment);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ state: 'warn', fix: expect.any(String) });
  for (const name of ['INVESTIGATION_BASE_URL', 'INVESTIGATION_TOKEN']) {
    expect(finding?.detail).toContain(name);
  }
});

it('looks for no worker of a service that is not set', () => {
  const alone = { investigation: null, credit } as unknown as Environment;
  expect(queuesToPoll(alone)).toEqual(['workflows', 'credit-uploads', 'credit']);
  const other = { investigation: credit, credit: null } as unknown as Environment;
  expect(queuesToPoll(other).join(' ')).not.toContain('credit');
  expect(queuesToPoll({ investigation: null, credit: null })).toHaveLength(4);
});

it('names what is not set of the credit service', async () => {
  const environment = { credit: null, dataDir: '/nonexistent' } as unknown as Environment;
  const [finding] = await examineCredit(environment);
  expect(finding?.detail).toMatch(/CREDIT_BASE_URL and CREDIT_TOKEN are not set/);
});

it.each([
  ['http://service.test/api/v1', ['INVESTIGATION_BASE_URL', 'CREDIT_BASE_URL']],
  ['http://10.0.0.7:8080/api/v1', ['INVESTIGATION_BASE_URL', 'CREDIT_BASE_URL']],
  ['https://service.test/api/v1', []],
  ['http://localhost:4010/api/v1', []],
  ['http://[::1]:4010/api/v1', []],
])('warns of %s when it carries a token in the clear', (address, warned) => {
  const environment = readEnvironment({
    INVESTIGATION_BASE_URL: address,
    INVESTIGATION_TOKEN: 't',
    CREDIT_BASE_URL: address,
    CREDIT_TOKEN: 't',
  });
  expect(examineTransport(environment)).toMatchObject(
    warned.map((check) => ({ check, state: 'warn', fix: expect.stringContaining('https') })),
  );
});

describe('beside an engine that runs', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'diligence-doctor-'));
    await writeEngineRecord(dataDir, {
      pid: process.pid,
      address: '127.0.0.1:1',
      namespace: 'default',
      uiUrl: null,
      sandboxUrl: 'http://127.0.0.1:2',
      investigationBaseUrl: 'http://127.0.0.1:2/api/v1',
      creditBaseUrl: 'http://127.0.0.1:2/credit',
    });
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('says which credit service that one works against', async () => {
    const environment = { credit: null, dataDir } as unknown as Environment;
    expect(await examineCredit(environment)).toMatchObject([
      { state: 'warn', detail: expect.stringContaining('http://127.0.0.1:2/credit') },
    ]);
  });
});
