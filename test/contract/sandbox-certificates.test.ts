import { createHash } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import {
  company,
  person,
  startManualSandbox,
  untilSettledMs,
  type RawCaller,
} from '../unit/sandbox/raw-caller';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('certificates of the sandbox', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
  });
  afterEach(() => caller.close());

  test.each([
    ['trabalhista', { documento: person }, 'cndt'],
    ['trabalhista', { documento: company }, 'cndt'],
    ['cnpj', { cnpj: company }, 'cnpj'],
  ])('a request for %s with %j is queued as %s', async (path, body, tipo) => {
    const { status, json } = await caller.call('POST', `/api/v1/certidoes/${path}`, { body });
    expect(status).toBe(202);
    expect(json).toEqual({
      certidao_id: expect.stringMatching(uuidV4),
      tipo,
      status: 'queued',
      stage: 'waiting_worker',
      links: {
        self: `/api/v1/certidoes/${String(json['certidao_id'])}`,
        pdf: `/api/v1/certidoes/${String(json['certidao_id'])}/pdf`,
      },
      created_at: '2026-01-05T12:00:00.000Z',
    });
  });

  test.each([200, 201, 202] as const)('answers a request with %i when told to', async (status) => {
    caller.sandbox.configure({ successStatus: status });
    expect((await caller.order(company)).status).toBe(status);
  });

  test('an issuance waits, is worked on, and completes as the clock moves', async () => {
    const id = await caller.orderId(company);
    caller.sandbox.clock.advance(999);
    expect((await caller.poll(id)).json).toMatchObject({
      status: 'queued',
      stage: 'waiting_worker',
    });
    caller.sandbox.clock.advance(1);
    const processing = (await caller.poll(id)).json;
    expect(processing).toMatchObject({
      status: 'processing',
      stage: 'accessing_source',
      started_at: '2026-01-05T12:00:01.000Z',
    });
    expect(processing).not.toHaveProperty('result');
    expect(processing).not.toHaveProperty('completed_at');
    caller.sandbox.clock.advance(2000);
    expect((await caller.poll(id)).json).toMatchObject({
      status: 'completed',
      stage: 'completed',
      completed_at: '2026-01-05T12:00:03.000Z',
    });
  });

  test('a completed labour certificate carries result and evidence', async () => {
    const id = await caller.settled(company);
    const { json } = await caller.poll(id);
    expect(json['result']).toEqual({
      nome_base: expect.any(String),
      nome_oficial: expect.any(String),
      divergente: false,
      fonte_nome: expect.any(String),
      capturado_em: '2026-01-05T12:00:03.000Z',
      titular: { nome: expect.any(String) },
      classificacao: expect.stringMatching(/^(negativa|positiva|positiva_com_efeito_de_negativa)$/),
    });
    expect(json['evidence']).toEqual({
      status: 'available',
      type: 'certidao_pdf',
      mime_type: 'application/pdf',
      pdf_url: `/api/v1/certidoes/${id}/pdf`,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('a company query completes without a classification', async () => {
    const body = { cnpj: company };
    const { json } = await caller.call('POST', '/api/v1/certidoes/cnpj', { body });
    caller.sandbox.clock.advance(untilSettledMs);
    const { result } = (await caller.poll(String(json['certidao_id']))).json;
    expect(result).not.toHaveProperty('classificacao');
    expect(result).toMatchObject({ divergente: false });
  });

  test('the PDF opens, and its sum is the announced one', async () => {
    const id = await caller.settled(company);
    const { evidence } = (await caller.poll(id)).json;
    const { status, headers, bytes } = await caller.pdf(id);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/pdf');
    expect(evidence).toMatchObject({ sha256: createHash('sha256').update(bytes).digest('hex') });
    expect((await PDFDocument.load(bytes)).getPageCount()).toBe(1);
    expect(bytes.toString('latin1')).toContain(company);
    expect(bytes.toString('latin1')).toContain(id);
  });

  test('two issuances of one document have ids and PDFs of their own', async () => {
    const [first, second] = [await caller.orderId(company), await caller.orderId(company)];
    caller.sandbox.clock.advance(untilSettledMs);
    expect(first).not.toBe(second);
    expect((await caller.pdf(first)).bytes.equals((await caller.pdf(second)).bytes)).toBe(false);
    expect(caller.sandbox.counts()).toEqual([
      { document: company, tipo: 'cndt', requested: 2, started: 2, polls: 0, pdfs: 2 },
    ]);
  });

  test('the same seed gives the same ids and bytes again', async () => {
    const id = await caller.settled(company);
    const other = await startManualSandbox();
    try {
      expect(await other.settled(company)).toBe(id);
      expect((await other.pdf(id)).bytes.equals((await caller.pdf(id)).bytes)).toBe(true);
    } finally {
      await other.close();
    }
  });

  test('there is no PDF before the certificate is completed', async () => {
    const { status, json } = await caller.pdf(await caller.orderId(company));
    expect(status).toBe(404);
    expect(json).toMatchObject({ status: 404, code: 'pdf_not_available', retryable: false });
  });

  test('an unknown certificate is a 404 problem', async () => {
    const { status, json } = await caller.poll('8e3d0a52-93a5-4b0c-a3b8-1b9c1d1a7a11');
    expect(status).toBe(404);
    expect(json['code']).toBe('not_found');
  });
});
