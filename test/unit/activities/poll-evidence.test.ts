import type { ServerResponse } from 'node:http';
import { sha256Of } from '../../../src/store/certificates/evidence-files';
import type { PollAnswer } from '../../../src/domain/certificates/certificate-rows';
import type { OutcomeRecord } from '../../../src/domain/certificates/outcomes';
import type { ReceivedRequest } from '../../support/loopback-server';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA } from './certificate-bench';

const pdf = Buffer.from('%PDF-1.7 a certificate');
const wrong = Buffer.from('%PDF-1.7 another one');
const completedAt = '2026-03-04T05:06:07Z';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
});

afterEach(() => bench.close());

/** Serves an issuance that has completed with this evidence, and its PDF as the test says. */
function serve(
  wire: object,
  replyPdf: (response: ServerResponse, fetches: number) => void = (response) =>
    void response.end(pdf),
): void {
  let fetches = 0;
  bench.server.reply = ({ path }: ReceivedRequest, response) => {
    if (path.endsWith('/pdf')) return replyPdf(response, (fetches += 1));
    sendJson(response, 200, {
      certidao_id: 'c-0',
      status: 'completed',
      completed_at: completedAt,
      ...wire,
    });
  };
}

const fetches = (): ReceivedRequest[] =>
  bench.server.received.filter(({ path }) => path.endsWith('/pdf'));

async function watch(): Promise<{ answer: PollAnswer; outcome: OutcomeRecord | undefined }> {
  const work = await bench.work('w1', [documentA]);
  const rows: [number, string, number, number, number, number][] = [
    [0, 'c-0', bench.now(), 0, 1, 0],
  ];
  const answer = await bench.watch(work, { rows });
  return { answer, outcome: (await bench.outcomes(work))[0] };
}

const announced = { evidence: { pdf_url: '/api/v1/certidoes/c-0/pdf', sha256: sha256Of(pdf) } };

it('stores a PDF whose sha256 is the announced one', async () => {
  serve(announced);
  const { answer, outcome } = await watch();
  expect(answer.settled).toEqual([[0, 'issued']]);
  expect(outcome).toMatchObject({ status: 'issued', sha256: sha256Of(pdf), note: '' });
  expect(outcome?.pdfKey).toMatch(/^pdf\/cnpj\/2026\/03\/[0-9a-f]{8}_c-0_[0-9a-f]{8}\.pdf$/);
  expect(await bench.place.store.records.get(outcome?.pdfKey ?? '')).toEqual(pdf);
  expect(fetches()).toHaveLength(1);
  expect(JSON.stringify(outcome)).not.toContain(documentA);
});

it.each([
  ['announced', { evidence: { pdf_url: 'http://169.254.169.254/latest?key=s3cr3t' } }],
  ['only linked', { links: { pdf: 'http://169.254.169.254/latest?key=s3cr3t' } }],
])(
  'fails a row whose %s PDF lies where nobody is called, and tells what allows it',
  async (_, wire) => {
    serve(wire);
    const { answer, outcome } = await watch();
    expect(answer.settled).toEqual([[0, 'failed']]);
    expect(outcome).toMatchObject({
      status: 'failed',
      certidaoId: 'c-0',
      errorCode: 'address_refused',
      errorMessage: expect.stringMatching(/169\.254\.169\.254 .*DILIGENCE_ALLOWED_HOSTS=169/),
    });
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t');
  },
);

it('takes the announced sha256 in capitals', async () => {
  serve({ evidence: { ...announced.evidence, sha256: sha256Of(pdf).toUpperCase() } });
  expect((await watch()).answer.settled).toEqual([[0, 'issued']]);
});

it('keeps a PDF without an announced sha256 and notes that it is unchecked', async () => {
  serve({ evidence: { pdf_url: '/api/v1/certidoes/c-0/pdf' } });
  const { outcome } = await watch();
  expect(outcome).toMatchObject({
    status: 'issued',
    sha256: sha256Of(pdf),
    note: 'sha256 unchecked',
  });
});

it('fetches a PDF with the wrong sha256 three times, then fails it and keeps the bytes aside', async () => {
  serve(announced, (response) => void response.end(wrong));
  const { answer, outcome } = await watch();
  expect(answer.settled).toEqual([[0, 'failed']]);
  expect(outcome).toMatchObject({
    status: 'failed',
    certidaoId: 'c-0',
    errorCode: 'evidence_mismatch',
    errorCategory: 'evidence',
    pdfKey: null,
  });
  expect(fetches()).toHaveLength(3);
  const [aside, ...more] = await bench.place.store.records.list('aside/');
  expect(more).toEqual([]);
  expect(await bench.place.store.records.get(aside ?? '')).toEqual(wrong);
  expect(await bench.place.store.records.list('pdf/')).toEqual([]);
  // A later poll may find the right bytes.
  expect(await bench.facts.of('c-0')).toBeNull();
});

it('stores a PDF that is right at the third fetch', async () => {
  serve(announced, (response, n) => void response.end(n < 3 ? wrong : pdf));
  const { answer, outcome } = await watch();
  expect(answer.settled).toEqual([[0, 'issued']]);
  expect(outcome?.sha256).toBe(sha256Of(pdf));
});

it('fails a page in place of a PDF', async () => {
  serve(
    { evidence: { pdf_url: '/api/v1/certidoes/c-0/pdf' } },
    (response) => void response.end('<html>PDF-</html>'),
  );
  const { outcome } = await watch();
  expect(outcome).toMatchObject({ status: 'failed', errorCode: 'evidence_mismatch' });
  expect(outcome?.errorMessage).toMatch(/does not begin like a PDF/);
  expect(fetches()).toHaveLength(3);
  expect(await bench.place.store.records.list('aside/')).toHaveLength(1);
});

it('takes a PDF with a few bytes before its mark', async () => {
  const late = Buffer.concat([Buffer.from('\r\n\r\n'), pdf]);
  serve(
    { evidence: { pdf_url: '/x/pdf', sha256: sha256Of(late) } },
    (response) => void response.end(late),
  );
  expect((await watch()).answer.settled).toEqual([[0, 'issued']]);
});

describe.each<[string, (response: ServerResponse) => void]>([
  ['404', (response) => sendJson(response, 404, {})],
  ['202 and a word', (response) => sendJson(response, 202, { status: 'processing' })],
  ['200 without a byte', (response) => void response.end()],
])('an announced PDF that is not there yet: %s', (_, notYet) => {
  it('is waited for', async () => {
    serve(announced, (response, n) => (n < 3 ? notYet(response) : void response.end(pdf)));
    const { answer, outcome } = await watch();
    expect(answer.settled).toEqual([[0, 'issued']]);
    expect(outcome).toMatchObject({ status: 'issued', sha256: sha256Of(pdf) });
    expect(fetches()).toHaveLength(3);
  });

  it('fails its row after two minutes, and says what reads it again', async () => {
    serve(announced, notYet);
    const work = await bench.work('w1', [documentA]);
    const rows: [number, string, number, number, number, number][] = [
      [0, 'c-0', bench.now(), 0, 1, 0],
    ];
    expect((await bench.watch(work, { rows, boundMs: 300 })).settled).toEqual([]);
    bench.ahead += 121_000;
    expect((await bench.watch(work, { rows })).settled).toEqual([[0, 'failed']]);
    const [outcome] = await bench.outcomes(work);
    expect(outcome).toMatchObject({ certidaoId: 'c-0', errorCode: 'evidence_unavailable' });
    expect(outcome?.errorMessage).toContain('`resolve --action watch` reads it again');
    expect(await bench.facts.of('c-0')).toBeNull();
  });
});

it('takes a PDF that only the links name', async () => {
  serve({ links: { pdf: '/api/v1/certidoes/c-0/pdf' } });
  expect((await watch()).outcome).toMatchObject({ status: 'issued', sha256: sha256Of(pdf) });
});

it('takes an empty pdf_url for none, and an empty sha256 for none announced', async () => {
  serve({
    evidence: { pdf_url: '', sha256: '' },
    links: { pdf: '/api/v1/certidoes/c-0/pdf' },
  });
  expect((await watch()).outcome).toMatchObject({ status: 'issued', note: 'sha256 unchecked' });
});

it.each([
  ['comes', 0, { ...announced.evidence, status: 'available' }, ''],
  ['is still to come two minutes later', 121_000, { status: 'pending' }, 'no evidence'],
])('waits for evidence that is pending, which then %s', async (_, ms, evidence, note) => {
  serve({ evidence: { status: 'pending', pdf_url: null } });
  const work = await bench.work('w1', [documentA]);
  const rows: [number, string, number, number, number, number][] = [
    [0, 'c-0', bench.now(), 0, 1, 0],
  ];
  expect((await bench.watch(work, { rows, boundMs: 300 })).settled).toEqual([]);
  bench.ahead += ms;
  serve({ evidence });
  expect((await bench.watch(work, { rows })).settled).toEqual([[0, 'issued']]);
  expect((await bench.outcomes(work))[0]).toMatchObject({ note });
});

it.each<[string, object, (response: ServerResponse) => void]>([
  ['is pending', { evidence: { status: 'pending', pdf_url: null } }, () => {}],
  ['is not there', announced, (response) => sendJson(response, 404, {})],
  ['answers 500', announced, (response) => sendJson(response, 500, {})],
])(
  'says at the deadline of a row that it was issued, and that its PDF %s',
  async (_, wire, notYet) => {
    serve(wire, notYet);
    const work = await bench.work('w1', [documentA]);
    const rows: [number, string, number, number, number, number][] = [
      [0, 'c-0', bench.now() - 10_000, 0, 1, 0],
    ];
    expect((await bench.watch(work, { rows, rowDeadlineMs: 5_000 })).settled).toEqual([
      [0, 'failed'],
    ]);
    const [outcome] = await bench.outcomes(work);
    expect(outcome).toMatchObject({ certidaoId: 'c-0', errorCode: 'evidence_unavailable' });
    expect(outcome?.errorMessage).toMatch(/^it was issued, and its PDF was not there .*watch/);
    expect(await bench.facts.of('c-0')).toBeNull();
  },
);

it('treats a link that leads nowhere as no evidence', async () => {
  serve({ links: { pdf: '/api/v1/certidoes/c-0/pdf' } }, (response) => sendJson(response, 404, {}));
  expect((await watch()).outcome).toMatchObject({ status: 'issued', note: 'no evidence' });
  expect(fetches()).toHaveLength(1);
});

it.each([500, 429, 401])(
  'tries again later when the PDF answers %i, and fails nothing',
  async (status) => {
    serve(announced, (response, n) =>
      n === 1 ? sendJson(response, status, {}, { 'retry-after': '0' }) : void response.end(pdf),
    );
    const { answer } = await watch();
    expect(answer.settled).toEqual([[0, 'issued']]);
    expect(fetches()).toHaveLength(2);
  },
);

it('sends no token to a PDF of another origin', async () => {
  const store = await CertificateBench.start();
  store.server.reply = (_request, response) => void response.end(pdf);
  serve({ evidence: { pdf_url: `${store.server.origin}/a.pdf`, sha256: sha256Of(pdf) } });
  expect((await watch()).answer.settled).toEqual([[0, 'issued']]);
  expect(store.server.received[0]?.query.get('token')).toBeNull();
  await store.close();
});

it('lets a download outlive the poll that started it, and stores it at the next', async () => {
  serve(announced, (response) => void setTimeout(() => response.end(pdf), 500));
  const work = await bench.work('w1', [documentA]);
  const watchOnce = (boundMs: number) =>
    bench.watch(work, { rows: [[0, 'c-0', bench.now(), 0, 1, 0]], boundMs });
  expect((await watchOnce(60)).settled).toEqual([]);
  while ((await bench.place.store.records.list('pdf/')).length === 0)
    await new Promise((done) => setTimeout(done, 20));
  expect((await watchOnce(5_000)).settled).toEqual([[0, 'issued']]);
});

describe('with certificates.pdf=required', () => {
  beforeEach(async () => {
    await bench.close();
    bench = await CertificateBench.start({ pdf: 'required' });
  });

  it('fails a completed issuance without a PDF', async () => {
    serve({});
    expect((await watch()).outcome).toMatchObject({
      status: 'failed',
      certidaoId: 'c-0',
      errorCode: 'evidence_missing',
    });
  });

  it('issues one with a PDF', async () => {
    serve(announced);
    expect((await watch()).answer.settled).toEqual([[0, 'issued']]);
  });
});
