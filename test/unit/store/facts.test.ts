import type { IssuanceFact } from '../../../src/domain/certificates/outcomes';
import { FactRepository } from '../../../src/store/certificates/facts';
import { TemporaryStore } from '../../support/temporary-store';

const fact = (fields: Partial<IssuanceFact> = {}): IssuanceFact => ({
  certidaoId: 'c-1',
  type: 'cnpj',
  status: 'issued',
  settledAt: 1_000,
  completedAt: null,
  classification: null,
  divergent: null,
  officialName: null,
  baseName: null,
  holderName: null,
  sourceName: null,
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

let place: TemporaryStore;
let facts: FactRepository;

beforeEach(() => {
  place = new TemporaryStore();
  facts = place.store.facts;
});

afterEach(() => place.remove());

it('lets the first fact about an issuance stand', async () => {
  expect(await facts.of('c-1')).toBeNull();
  await facts.put([{ fact: fact(), pdf: null }]);
  await facts.put([{ fact: fact({ status: 'failed' }), pdf: null }]);
  expect(await facts.of('c-1')).toEqual(fact());
});

it('keeps ids apart that look alike', async () => {
  const ids = ['../../x', 'a/b', 'a%2Fb', '.', 'A', 'a'];
  for (const certidaoId of ids) await facts.put([{ fact: fact({ certidaoId }), pdf: null }]);
  expect([...(await facts.among(ids)).keys()].toSorted()).toEqual(ids.toSorted());
});

it('finds those that are known among more ids than one statement takes', async () => {
  const known = Array.from({ length: 450 }, (_, n) => `c-${n}`);
  await facts.put(known.map((certidaoId) => ({ fact: fact({ certidaoId }), pdf: null })));
  const found = await facts.among([...known, 'unknown', 'c-0']);
  expect([...found.keys()].toSorted()).toEqual(known.toSorted());
  expect(found.get('c-449')).toEqual(fact({ certidaoId: 'c-449' }));
  expect(await facts.among([])).toEqual(new Map());
});

it('names the bytes of its PDF, which are there before it', async () => {
  const pdf = await place.store.records.storeBytes('pdf/a.pdf', '%PDF-1');
  expect(await place.store.records.get('pdf/a.pdf')).toBeNull();
  await facts.put([{ fact: fact({ pdfKey: 'pdf/a.pdf' }), pdf }]);
  expect((await place.store.records.get('pdf/a.pdf'))?.toString()).toBe('%PDF-1');
  expect(await place.store.records.storeBytes('pdf/a.pdf', '%PDF-2')).toBeNull();
});

it('stands with what is settled by it, or not at all', async () => {
  const broken = { ...fact(), certidaoId: null as never };
  const stored = place.store.outcomes.file('works/w', 'lane/a', [], {
    facts: [
      { fact: fact(), pdf: null },
      { fact: broken, pdf: null },
    ],
  });
  await expect(stored).rejects.toMatchObject({ code: 'constraint' });
  expect(await facts.of('c-1')).toBeNull();
});
