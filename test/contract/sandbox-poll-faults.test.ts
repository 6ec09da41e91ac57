import {
  company,
  errorCodeOf,
  startManualSandbox,
  type RawCaller,
} from '../unit/sandbox/raw-caller';

describe('faults of a poll', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
  });
  afterEach(() => caller.close());

  test.each([
    ['429', 429],
    ['503', 503],
    ['503_bare', 503],
    ['500_html', 500],
    ['500_html_after', 500],
    ['502', 502],
    ['504_after', 504],
    ['redirect', 302],
    ['401', 401],
    ['403_unauthorized', 403],
  ] as const)('%s answers %i once, then the state', async (kind, status) => {
    caller.sandbox.configure({ documents: { [company]: { poll: [kind] } } });
    const id = await caller.settled(company);
    expect((await caller.poll(id)).status).toBe(status);
    expect((await caller.poll(id)).json['status']).toBe('completed');
  });

  test.each(['reset_before', 'reset_after', 'cut_answer'] as const)(
    '%s breaks the connection once, then the state comes',
    async (kind) => {
      caller.sandbox.configure({ documents: { [company]: { poll: [kind] } } });
      const id = await caller.settled(company);
      expect(await errorCodeOf(caller.poll(id))).toMatch(/ECONNRESET|UND_ERR/);
      expect((await caller.poll(id)).json['status']).toBe('completed');
    },
  );

  test('unreadable_2xx answers a poll with half a word', async () => {
    caller.sandbox.configure({ documents: { [company]: { poll: ['unreadable_2xx'] } } });
    const id = await caller.settled(company);
    expect(await caller.poll(id)).toMatchObject({ status: 200, json: undefined });
  });

  test('extra_fields reach into result and evidence', async () => {
    caller.sandbox.configure({ documents: { [company]: { poll: ['extra_fields'] } } });
    const { json } = await caller.poll(await caller.settled(company));
    const extra = { campo_novo: expect.any(String) };
    expect(json).toMatchObject({
      ...extra,
      evidence: extra,
      result: { ...extra, titular: extra },
    });
  });

  test('unknown_status shows for three polls, then the issuance goes on', async () => {
    caller.sandbox.configure({ documents: { [company]: { poll: ['unknown_status'] } } });
    const id = await caller.settled(company);
    for (let poll = 0; poll < 3; poll += 1) {
      const { json } = await caller.poll(id);
      expect(json['status']).toBe('aguardando_revisao');
      expect(json).not.toHaveProperty('result');
    }
    expect((await caller.poll(id)).json['status']).toBe('completed');
  });

  test('an unknown status may never go away', async () => {
    caller.sandbox.configure({
      documents: { [company]: { poll: [{ kind: 'unknown_status', times: 'forever' }] } },
    });
    const id = await caller.settled(company);
    for (let poll = 0; poll < 10; poll += 1) {
      expect((await caller.poll(id)).json['status']).toBe('aguardando_revisao');
    }
  });
});
