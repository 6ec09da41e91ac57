import { keepAside, sha256Of, storePdf } from '../../../src/store/certificates/evidence-files';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});

afterEach(() => place.remove());

it('stores a PDF by month and keyed name, and the same one only once', async () => {
  const about = {
    type: 'cnpj',
    documentName: 'abcdef0123456789',
    certidaoId: 'c/1',
    sha256: '0123456789abcdef',
    at: new Date('2026-03-04T05:06:07Z'),
  };
  const { key, bytes } = await storePdf(place.store.records, Buffer.from('%PDF-1'), about);
  expect(key).toBe('pdf/cnpj/2026/03/abcdef01_c%2F1_01234567.pdf');
  expect(bytes).toMatchObject({ key });
  await place.store.records.putIfAbsent(key, '%PDF-1', { bytes: true });
  expect(await storePdf(place.store.records, Buffer.from('%PDF-1'), about)).toEqual({
    key,
    bytes: null,
  });
});

it('keeps bytes that failed the check aside, each version once', async () => {
  const first = await keepAside(place.store.records, Buffer.from('<html>'), 'c-1');
  expect(await keepAside(place.store.records, Buffer.from('<html>'), 'c-1')).toBe(first);
  expect(await keepAside(place.store.records, Buffer.from('<body>'), 'c-1')).not.toBe(first);
  expect(first).toBe(`aside/c-1/${sha256Of(Buffer.from('<html>')).slice(0, 16)}.bin`);
  expect((await place.store.records.get(first))?.toString()).toBe('<html>');
});
