import { examineCredit } from '../../../src/doctor/credit';
import { examineService } from '../../../src/doctor/service';
import type { Environment } from '../../../src/environment';

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
  expect(finding).toMatchObject({ state: 'warn', cure: expect.any(String) });
  for (const name of ['INVESTIGATION_BASE_URL', 'INVESTIGATION_TOKEN']) {
    expect(finding?.detail).toContain(name);
  }
});

it('names what is not set of the credit service', async () => {
  const [finding] = await examineCredit({ credit: null } as unknown as Environment);
  expect(finding?.detail).toMatch(/CREDIT_BASE_URL and CREDIT_TOKEN are not set/);
});
