import { company, startManualSandbox, type RawCaller } from '../unit/sandbox/raw-caller';

describe('endings of an issuance', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
  });
  afterEach(() => caller.close());

  const ended = async () => (await caller.poll(await caller.settled(company))).json;

  test('failure_retryable fails once and says when to ask again', async () => {
    caller.sandbox.configure({
      documents: { [company]: { end: { kind: 'failure_retryable', retryAfterSeconds: 30 } } },
    });
    expect(await ended()).toMatchObject({
      status: 'failed',
      stage: 'failed',
      error: {
        code: expect.any(String),
        category: expect.any(String),
        message: expect.any(String),
        retryable: true,
        retry_after_seconds: 30,
      },
    });
    expect((await ended())['status']).toBe('completed');
  });

  test('failure_retryable fails as often as it is told', async () => {
    caller.sandbox.configure({
      documents: { [company]: { end: { kind: 'failure_retryable', times: 2 } } },
    });
    expect([
      (await ended())['status'],
      (await ended())['status'],
      (await ended())['status'],
    ]).toEqual(['failed', 'failed', 'completed']);
  });

  test.each(['failure_permanent', 'failed'] as const)('%s fails every time', async (end) => {
    caller.sandbox.configure({ documents: { [company]: { end } } });
    for (let issuance = 0; issuance < 2; issuance += 1) {
      const json = await ended();
      expect(json).toMatchObject({ status: 'failed', error: { retryable: false } });
      expect(json).not.toHaveProperty('result');
      expect(json).not.toHaveProperty('evidence');
    }
  });

  test('the scenario words the failure', async () => {
    const failure = { code: 'cpf_de_menor', retryable: true, retry_after_seconds: 5 };
    caller.sandbox.configure({ documents: { [company]: { end: 'failed', failure } } });
    expect((await ended())['error']).toMatchObject(failure);
  });

  test('divergente: the official name is another', async () => {
    caller.sandbox.configure({ documents: { [company]: { end: 'divergente' } } });
    const result = (await ended())['result'] as Record<string, unknown>;
    expect(result['divergente']).toBe(true);
    expect(result['nome_oficial']).not.toBe(result['nome_base']);
  });

  test('the scenario words the result', async () => {
    const result = { divergente: true, nome_oficial: 'OUTRO NOME SA', classificacao: 'nova' };
    caller.sandbox.configure({ documents: { [company]: { result } } });
    expect((await ended())['result']).toMatchObject({ ...result, nome_base: expect.any(String) });
  });

  test('no_evidence: completed, nothing to download', async () => {
    caller.sandbox.configure({ documents: { [company]: { end: 'no_evidence' } } });
    const json = await ended();
    expect(json).toMatchObject({ status: 'completed', result: expect.any(Object) });
    expect(json).not.toHaveProperty('evidence');
    expect(json['links']).not.toHaveProperty('pdf');
    expect((await caller.pdf(String(json['certidao_id']))).status).toBe(404);
  });

  test('no_sha256: a PDF that cannot be checked', async () => {
    caller.sandbox.configure({ documents: { [company]: { end: 'no_sha256' } } });
    const { evidence, certidao_id: id } = await ended();
    expect(evidence).toHaveProperty('pdf_url');
    expect(evidence).not.toHaveProperty('sha256');
    expect((await caller.pdf(String(id))).status).toBe(200);
  });

  test('links_only: the PDF address stands in the links alone', async () => {
    caller.sandbox.configure({ documents: { [company]: { end: 'links_only' } } });
    const { evidence, links, certidao_id: id } = await ended();
    expect(evidence).not.toHaveProperty('pdf_url');
    expect(links).toHaveProperty('pdf', `/api/v1/certidoes/${String(id)}/pdf`);
  });

  test('never_settles is still being worked on a year later', async () => {
    caller.sandbox.configure({ documents: { [company]: { end: 'never_settles' } } });
    const id = await caller.settled(company);
    caller.sandbox.clock.advance(365 * 86_400_000);
    expect((await caller.poll(id)).json).toMatchObject({
      status: 'processing',
      stage: 'accessing_source',
    });
  });

  test('a list of endings is used up issuance by issuance', async () => {
    caller.sandbox.configure({
      documents: { [company]: { end: ['failure_retryable', 'divergente'] } },
    });
    expect((await ended())['status']).toBe('failed');
    expect((await ended())['result']).toMatchObject({ divergente: true });
  });
});
