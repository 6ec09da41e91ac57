import { IssuanceFile, sha256Of } from '../../../src/archive/issuances';
import type { IssuanceFact } from '../../../src/domain/outcomes';
import { TemporaryArchive } from '../../support/temporary-archive';

const fact = (fields: Partial<IssuanceFact> = {}): IssuanceFact => ({
  certidaoId: 'c-1',
  type: 'cnpj',
  status: 'issued',
  settledAt: 1_000,
  completedAt: null,
  classification: null,
  divergent: null,
  officialName: null,
  capturedAt: null,
  pdfKey: null,
  sha256: null,
  errorCode: null,
  errorCategory: null,
  errorMessage: null,
  retryable: null,
  retryAfterMs: null,
  note: '',
  answer: { certidao_id: 'c-1' },
  ...fields,
});

let place: TemporaryArchive;
let file: IssuanceFile;

beforeEach(() => {
  place = new TemporaryArchive();
  file = new IssuanceFile(place.archive);
});

afterEach(() => place.remove());

it('lets the first fact about an issuance stand', async () => {
  expect(await file.fact('c-1')).toBeNull();
  expect(await file.putFact(fact())).toEqual(fact());
  expect(await file.putFact(fact({ status: 'failed' }))).toEqual(fact());
  expect(await file.fact('c-1')).toEqual(fact());
});

it('files ids apart that would climb or look alike in a path', async () => {
  for (const certidaoId of ['../../x', 'a/b', 'a%2Fb', '.', 'A', 'a']) {
    await file.putFact(fact({ certidaoId }));
    expect(await file.fact(certidaoId)).toMatchObject({ certidaoId });
  }
  expect(await place.archive.list('issuances/')).toHaveLength(6);
});

it('files a PDF by month and keyed name, and the same one only once', async () => {
  const about = {
    type: 'cnpj',
    documentName: 'abcdef0123456789',
    certidaoId: 'c/1',
    sha256: '0123456789abcdef',
    at: new Date('2026-03-04T05:06:07Z'),
  };
  const key = await file.putPdf(Buffer.from('%PDF-1'), about);
  expect(key).toBe('pdf/cnpj/2026/03/abcdef01_c%2F1_01234567.pdf');
  expect(await file.putPdf(Buffer.from('%PDF-1'), about)).toBe(key);
  expect((await place.archive.get(key))?.toString()).toBe('%PDF-1');
});

it('keeps bytes that failed the check aside, each version once', async () => {
  const first = await file.keepAside(Buffer.from('<html>'), 'c-1');
  expect(await file.keepAside(Buffer.from('<html>'), 'c-1')).toBe(first);
  expect(await file.keepAside(Buffer.from('<body>'), 'c-1')).not.toBe(first);
  expect(first).toBe(`aside/c-1/${sha256Of(Buffer.from('<html>')).slice(0, 16)}.bin`);
  expect((await place.archive.get(first))?.toString()).toBe('<html>');
});
