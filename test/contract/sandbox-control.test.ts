import { company, person, startManualSandbox, type RawCaller } from '../unit/sandbox/raw-caller';

describe('the control routes of the sandbox', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
  });
  afterEach(() => caller.close());

  const control = (method: string, name: string, body?: unknown) =>
    caller.call(method, `/_sandbox/${name}`, body === undefined ? {} : { body });

  test('health answers without a token', async () => {
    const { status, json } = await control('GET', 'health');
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'ok', clock: 'manual' });
  });

  test('state shows what the service holds', async () => {
    const id = await caller.settled(company);
    expect((await control('GET', 'state')).json).toMatchObject({
      at: '2026-01-05T12:00:03.000Z',
      certificates: [
        {
          document: company,
          ordinal: 1,
          ending: 'completed',
          certificate: { certidao_id: id, status: 'completed' },
        },
      ],
    });
  });

  test('received shows requests in order, and can be emptied', async () => {
    await caller.order(company);
    await caller.poll('none');
    expect((await control('GET', 'received')).json).toMatchObject([
      {
        number: 1,
        method: 'POST',
        path: '/api/v1/certidoes/trabalhista',
        query: { token: '***' },
        body: { documento: company },
        status: 202,
        accepted: true,
        fault: null,
      },
      { number: 2, method: 'GET', body: null, status: 404, accepted: false },
    ]);
    await control('DELETE', 'received');
    expect((await control('GET', 'received')).json).toEqual([]);
  });

  test('counts make a certificate bought twice visible', async () => {
    await caller.order(company);
    await caller.order(company);
    await caller.poll(await caller.orderId(person));
    expect((await control('GET', 'counts')).json).toEqual([
      { document: company, tipo: 'cndt', requested: 2, started: 2, polls: 0, pdfs: 0 },
      { document: person, tipo: 'cndt', requested: 1, started: 1, polls: 1, pdfs: 0 },
    ]);
  });

  test('the log of requests forgets the oldest beyond its bound', async () => {
    const small = await startManualSandbox({ receivedCapacity: 3 });
    try {
      for (let call = 0; call < 5; call += 1) await small.poll(`none-${call}`);
      expect(small.sandbox.received().map(({ number }) => number)).toEqual([3, 4, 5]);
    } finally {
      await small.close();
    }
  });

  test('PATCH merges into the scenario, PUT replaces it', async () => {
    await control('PATCH', 'scenario', { documents: { [company]: { end: 'failed' } } });
    const merged = (await control('PATCH', 'scenario', { latencyMs: [0, 0] })).json;
    expect(merged).toMatchObject({
      issuance: { waitingMs: [1000, 1000] },
      documents: { [company]: { end: [{ kind: 'failed', times: 'forever' }] } },
    });
    const dropped = (await control('PATCH', 'scenario', { documents: { [company]: null } })).json;
    expect(dropped).toMatchObject({ documents: {}, issuance: { waitingMs: [1000, 1000] } });
    const replaced = (await control('PUT', 'scenario', { successStatus: 200 })).json;
    expect(replaced).toMatchObject({ successStatus: 200, issuance: { waitingMs: [50, 200] } });
    expect((await control('GET', 'scenario')).json).toEqual(replaced);
  });

  test('a scenario that cannot be used changes nothing', async () => {
    const { status, json } = await control('PUT', 'scenario', { successStatus: 204 });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: 'invalid_scenario',
      detail: expect.stringContaining('successStatus: expected 200, 201 or 202'),
    });
    expect(caller.sandbox.scenario().successStatus).toBe(202);
  });

  test('a document named in a patch begins its steps again', async () => {
    const patch = { documents: { [company]: { request: ['502' as const] } } };
    caller.sandbox.configure(patch);
    expect((await caller.order(company)).status).toBe(502);
    expect((await caller.order(company)).status).toBe(202);
    caller.sandbox.configure(patch);
    expect((await caller.order(company)).status).toBe(502);
  });

  test('the clock can be read, advanced and set', async () => {
    await control('POST', 'clock', { advanceMs: 60_000 });
    expect((await control('GET', 'clock')).json).toEqual({
      mode: 'manual',
      now: '2026-01-05T12:01:00.000Z',
    });
    await control('POST', 'clock', { set: '2027-03-01T00:00:00.000Z' });
    expect(caller.sandbox.clock.now()).toBe(Date.parse('2027-03-01T00:00:00.000Z'));
    expect((await control('POST', 'clock', { advanceMs: -1 })).status).toBe(400);
  });

  test('reset brings back the start', async () => {
    await caller.settled(company);
    caller.sandbox.configure({ successStatus: 200 });
    caller.sandbox.setToken('sandbox-token', false);
    await control('POST', 'reset');
    const { sandbox } = caller;
    expect(sandbox.state()).toEqual({ at: '2026-01-05T12:00:00.000Z', certificates: [] });
    expect([sandbox.received(), sandbox.counts()]).toEqual([[], []]);
    expect((await caller.order(company)).status).toBe(202);
  });

  test('an unknown control names the known ones', async () => {
    const { status, json } = await control('GET', 'nothing');
    expect(status).toBe(404);
    expect(json['detail']).toContain('PATCH scenario');
  });

  test('closing does not wait for clients that are kept waiting', async () => {
    const other = await startManualSandbox({
      scenario: { documents: { '*': { request: ['no_answer'] } } },
    });
    const order = other.order(company).catch((error: unknown) => error);
    while (other.sandbox.counts().length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await other.close();
    expect(await order).toBeInstanceOf(Error);
  });
});
