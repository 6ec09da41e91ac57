import { Readable } from 'node:stream';
import { indexDocuments } from '../../src/store/core/subject-index';
import { putLarge } from '../../src/store/core/large-objects';
import { LensFile, lensIndexes, lensInputKey } from '../../src/store/lens/lens';
import { IdKey } from '../../src/protection/id-key';
import { PurgePlanner } from '../../src/store/erasure/purge-plan';
import type { LensOutcome, LensRecord } from '../../src/domain/lens/analyze';
import { cnpj } from '../support/documents';
import { TemporaryStore } from '../support/temporary-store';

const idKey = IdKey.parse('ab'.repeat(32));
const nameOf = (document: string): string => idKey.nameOf('document', document);
const person = cnpj(1);
const shared = lensInputKey('aa'.repeat(32));
const own = lensInputKey('bb'.repeat(32));
let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const planner = (): PurgePlanner => new PurgePlanner(place.store, nameOf);

/** An analysis that has ended, as the workflow leaves it. */
async function file(workId: string, key: string, named = false): Promise<void> {
  const lens = new LensFile(place.store);
  const [, name = ''] = workId.split('/');
  await putLarge(place.store, key, bytes());
  const created = { createdAt: '2026-01-05T00:00:00.000Z', createdBy: 'x' };
  await lens.putRecord(workId, { workId, name, file: { key }, ...created } as LensRecord);
  await lens.putIntent(name, 1, { at: 't', key: 'k' });
  await lens.putAnswer(workId, { found: named ? person : 'nobody' });
  await lens.putArtifact(workId, 'a1', Readable.from([Buffer.from('%PDF-')]));
  const seen = { state: 'completed', sha256: 'cc', failure: null };
  const files = { filed: [{ artifactId: 'a1', sha256: 'dd' }], unfiled: [] };
  const settledAt = '2026-01-06T00:00:00.000Z';
  const outcome = { workId, status: 'completed', seen, files, error: null, settledAt };
  await lens.putOutcome(workId, outcome as unknown as LensOutcome);
  if (!named) return;
  await indexDocuments(place.store, lensIndexes(workId).answer, nameOf, [person]);
}

async function* bytes(): AsyncGenerator<Buffer> {
  yield Buffer.from('picture');
}

const [first, second, third] = ['n1/20260105T1Z', 'n2/20260105T2Z', 'n3/20260105T3Z'].map(
  (id) => `lens/${id}`,
) as [string, string, string];

async function fileThree(): Promise<void> {
  await file(first, shared, true);
  await file(second, shared);
  await file(third, own);
}

it('takes an analysis that names a document, and leaves a copy that others have handed in too', async () => {
  await fileThree();
  const plan = await planner().ofDocument(person);
  const keys = plan.changes.map(({ key }) => key);
  const isIndex = (key: string): boolean => /^(?:holders|subjects)\//.test(key);
  const taken = keys.filter((key) => !isIndex(key));
  const artifact = taken.filter((key) => key.startsWith(`${first}/artifacts/a1`));
  expect(artifact).toHaveLength(2);
  expect(taken.filter((key) => !artifact.includes(key)).toSorted()).toEqual(
    ['answer.json', 'asked.json', 'outcome.json'].map((one) => `${first}/${one}`),
  );
  expect(keys.filter(isIndex)).toEqual([
    `holders/${lensIndexes(first).answer}`,
    `subjects/${nameOf(person)}`,
  ]);
  expect(plan.works).toMatchObject([{ workId: first, whole: true, ended: true }]);
});

it('takes the copy with the last analysis of it, and leaves what may have been charged', async () => {
  await fileThree();
  const plan = await planner().ofWork('lens/n3');
  const keys = plan.changes.map(({ key }) => key);
  expect(keys.filter((key) => key.startsWith(own))).toHaveLength(2);
  expect(keys.some((key) => key.includes('/attempts/'))).toBe(false);
});

it('by age takes copies, or what was told with its sums, and keeps how it ended', async () => {
  await fileThree();
  const inputs = await planner().ofAge('inputs', Date.parse('2026-03-01'));
  expect(inputs.changes.every(({ key }) => key.startsWith('inputs/lens/'))).toBe(true);
  expect(inputs.changes).toHaveLength(4);
  const results = await planner().ofAge('results', Date.parse('2026-03-01'));
  const changes = results.changes.filter(({ key }) => key.startsWith(`${third}/`));
  expect(changes.map(({ key, action }) => [key.slice(third.length + 1), action])).toEqual([
    ['artifacts/a1.json', 'removed'],
    [expect.stringMatching(/^artifacts\/a1\//), 'removed'],
    ['answer.json', 'removed'],
    ['outcome.json', 'rewritten'],
  ]);
  const outcome = await place.store.records.get(`${third}/outcome.json`);
  const rewritten = await changes[3]?.rewrite?.(outcome ?? Buffer.alloc(0));
  expect(JSON.parse(rewritten ?? '{}')).toMatchObject({
    status: 'completed',
    seen: { sha256: null },
    files: { filed: [] },
    purged: true,
  });
  const early = await planner().ofAge('results', Date.parse('2026-01-01'));
  expect(early.changes).toEqual([]);
});

it('finds the rest again after a cut', async () => {
  await fileThree();
  await place.store.records.remove(`${first}/asked.json`);
  expect((await planner().ofDocument(person)).changes).toHaveLength(6);
});
