import { certificateSubject, type Claim } from '../../../src/domain/core/service/attempts';
import type { StoredRow } from '../../../src/store/core/row-writer';
import { cnpj } from '../../support/documents';
import { drafted } from '../../support/erasures';
import { TemporaryStore } from '../../support/temporary-store';

const work = 'works/certificate-batch/a';
let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const item = (nth: number): StoredRow => {
  const told = { type: 'cnpj', document: cnpj(nth + 1), reference: '', note: '' } as const;
  return { kind: 'item', item: nth, line: nth + 2, ...told };
};

async function write(list: string, rows: readonly StoredRow[]): Promise<void> {
  const writer = place.store.rows.writer(list);
  for (const row of rows) await writer.add(row);
  await writer.end();
}

async function all(list: string): Promise<StoredRow[]> {
  const found: StoredRow[] = [];
  for await (const row of place.store.rows.all(list)) found.push(row);
  return found;
}

it('empties rows of a holder over many pages, and removes them, and nothing of another', async () => {
  const { rows } = place.store;
  const written = Array.from({ length: 450 }, (_, nth) => item(nth));
  await write(work, written);
  await write(`${work}-other`, [item(0)]);
  const empty = (body: unknown): unknown => {
    const row = body as StoredRow;
    return row.line === 250 ? { ...row, document: '', erased: true } : row;
  };
  const rewrite = () =>
    drafted(place.store, async (draft) => {
      await draft.rewriteRows('batch_row', work, empty);
    });
  const draft = await rewrite();
  expect([...draft.objects.values()]).toEqual([{ kind: 'rows', removed: 0, emptied: 1 }]);
  expect(await all(work)).toEqual(written.map(empty));
  expect((await rows.item(work, 248))?.erased).toBe(true);
  expect((await rewrite()).size).toBe(0);
  await drafted(place.store, (one) => one.remove('batch_row', [work]));
  expect(await all(work)).toEqual([]);
  expect(await all(`${work}-other`)).toEqual([item(0)]);
});

it('takes all attempts of a subject away, and puts other words in the place of notes', async () => {
  const { attempts } = place.store;
  const [mine, theirs] = ['0a', '0a0'].map((name) => certificateSubject('cnpj', name)) as [
    string,
    string,
  ];
  const owner = { workflowId: 'w', chunk: '1' };
  const claim: Claim = {
    owner,
    kind: 'send',
    nonce: 'n',
    answerBy: 1,
    claimedAt: 1,
    afterUnknown: false,
  };
  for (const one of [mine, theirs]) {
    await attempts.claim(one, 1, claim, 'job');
    const by = { by: 'ana', note: 'as for Bia', at: 1 };
    await attempts.resolve(one, 1, { action: 'abandon', externalId: null, ...by });
  }
  await drafted(place.store, async (draft) => {
    await draft.disown([mine]);
    await draft.rewriteRows('resolution', theirs, (said) => ({
      ...(said as { by: string }),
      note: 'as for [erased]',
    }));
  });
  expect(await attempts.of(mine)).toEqual([]);
  expect(await attempts.of(theirs)).toMatchObject([
    { resolution: { by: 'ana', note: 'as for [erased]', action: 'abandon' } },
  ]);
});

it('removes what it has rewritten before, when both are asked for', async () => {
  const { records } = place.store;
  await records.putJson('traces/a/answer.json', { a: 1 });
  await drafted(place.store, async (draft) => {
    await draft.rewrite('traces/a/answer.json', () => ({ a: 2 }));
    await draft.remove('record', ['traces/a/answer.json']);
    await draft.rewrite('traces/a/answer.json', () => ({ a: 3 }));
  });
  expect(await records.list('')).toEqual([]);
});
