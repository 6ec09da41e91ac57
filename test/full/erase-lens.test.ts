import { Readable } from 'node:stream';
import { indexDocuments } from '../../src/store/core/subject-index';
import { putArtifact } from '../../src/store/core/artifacts';
import { putLarge } from '../../src/store/core/large-objects';
import { LensRepository, lensIndexes, lensInputKey } from '../../src/store/lens/lens';
import { ErasurePlanner } from '../../src/store/erasure/planner';
import type { LensOutcome, LensRecord } from '../../src/domain/lens/analyze';
import { lensSubject } from '../../src/domain/core/service/attempts';
import { cnpj } from '../support/documents';
import { changedKeys, erased, keysThat, nameOf, ofAge } from '../support/erasures';
import { accepted, putAttempt } from '../support/stored-attempts';
import { bodyAt } from '../support/stored-bodies';
import { TemporaryStore } from '../support/temporary-store';

const person = cnpj(1);
const shared = lensInputKey('aa'.repeat(32));
const own = lensInputKey('bb'.repeat(32));
let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const planner = (): ErasurePlanner => new ErasurePlanner(place.store, nameOf);

/** An analysis that has ended, as the workflow leaves it. */
async function file(jobId: string, key: string, named = false): Promise<void> {
  const lens = new LensRepository(place.store);
  const [, name = ''] = jobId.split('/');
  await putLarge(place.store, key, bytes());
  const created = { createdAt: '2026-01-05T00:00:00.000Z', createdBy: 'x' };
  await lens.putRecord(jobId, { jobId, name, file: { key }, ...created } as LensRecord);
  const fence = lensSubject(name, 1);
  await putAttempt(place.store, fence, { receipt: accepted('a', 0, { billing: null }) });
  await lens.putAnswer(jobId, Buffer.from(JSON.stringify({ found: named ? person : 'nobody' })));
  await putArtifact(place.store, jobId, 'a1', Readable.from([Buffer.from('%PDF-')]));
  const seen = { state: 'completed', sha256: 'cc', failure: null };
  const files = { stored: [{ artifactId: 'a1', sha256: 'dd' }], notStored: [] };
  const settledAt = '2026-01-06T00:00:00.000Z';
  const outcome = { jobId, status: 'completed', seen, files, error: null, settledAt };
  await lens.putOutcome(jobId, outcome as unknown as LensOutcome);
  if (!named) return;
  await indexDocuments(place.store, lensIndexes(jobId).answer, nameOf, [person]);
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
  const keys = keysThat('removed', plan);
  const artifact = keys.filter((key) => key.startsWith(`${first}/artifacts/a1`));
  expect(artifact).toHaveLength(2);
  expect(keys.filter((key) => !artifact.includes(key))).toEqual([
    `job/${first}`,
    `${first}/answer.json`,
    `subject/${nameOf(person)}`,
    `subject/${first}`,
    `subject/${lensIndexes(first).answer}`,
  ]);
  expect(plan.jobs).toMatchObject([{ id: first, whole: true, ended: true }]);
});

it('takes the copy with the last analysis of it, and leaves what may have been charged', async () => {
  await fileThree();
  const plan = await planner().ofJob('lens/n3');
  const keys = changedKeys(plan);
  expect(keys.filter((key) => key.startsWith(own))).toHaveLength(2);
  expect(keys.some((key) => key.startsWith('attempt/'))).toBe(false);
});

it('by age takes copies, or what was told with its sums, and keeps how it ended', async () => {
  await fileThree();
  const inputs = await ofAge(place.store, 'inputs', Date.parse('2026-03-01'));
  const taken = keysThat('removed', inputs);
  expect(taken.every((key) => /^(?:subject\/)?inputs\/lens\//.test(key))).toBe(true);
  expect(taken).toHaveLength(6);
  expect(keysThat('emptied', inputs)).toHaveLength(3);
  const results = await ofAge(place.store, 'results', Date.parse('2026-03-01'));
  const its = (keys: string[]): string[] => keys.filter((key) => key.includes(third));
  expect(its(keysThat('removed', results))).toEqual([
    `${third}/answer.json`,
    `${third}/artifacts/a1.json`,
    expect.stringContaining(`${third}/artifacts/a1/`),
  ]);
  expect(its(keysThat('emptied', results))).toEqual([`job/${third}`]);
  await erased(place.store, () => ofAge(place.store, 'inputs', Date.parse('2026-03-01')));
  expect((await new LensRepository(place.store).record(third))?.file).toMatchObject({ key: '' });
  await erased(place.store, () => ofAge(place.store, 'results', Date.parse('2026-03-01')));
  expect(await bodyAt(place.store, `${third}/outcome`)).toMatchObject({
    status: 'completed',
    seen: { sha256: null },
    files: { stored: [] },
    erased: true,
  });
  const early = await ofAge(place.store, 'results', Date.parse('2026-01-01'));
  expect(changedKeys(early)).toEqual([]);
});
