import { readerOf } from '../../../src/report/reader';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findArtifact, putArtifact } from '../../../src/store/core/artifacts';
import { LensRepository } from '../../../src/store/lens/lens';
import type { JobKind } from '../../../src/domain/job';
import type { LensOutcome } from '../../../src/domain/lens/analyze';
import type { ProfileOutcome } from '../../../src/domain/profiles/lookup';
import type { TraceOutcome } from '../../../src/domain/traces/search';
import { lensKind } from '../../../src/starters/lens/kind';
import { printResult } from '../../../src/starters/cli/print-job';
import { profileKind } from '../../../src/starters/profiles/kind';
import { traceKind } from '../../../src/starters/traces/kind';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { printedByTests } from '../../support/printed';
import { TemporaryStore } from '../../support/temporary-store';

const folder = 'x/1';
const file = { bytes: 1, key: 'k', mediaType: 'image/png', sha256: 'ab' };

let place: TemporaryStore;
const printed = printedByTests();

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const context = () =>
  ({
    store: place.store,
    reader: readerOf('en'),
    environment: { language: 'en' },
  }) as unknown as CommandContext;

function jobOf(kind: JobKind, input: object, outcome: { status?: string }) {
  const { status } = outcome;
  const ended = { status, needsAttention: false, createdAt: '', endedAt: '' };
  return { id: 'x/1', kind, folder, ...ended, input, outcome } as never;
}

const shows = {
  trace: (outcome: Partial<TraceOutcome>) => {
    const whole = { seen: null, traceId: null, error: null, ...outcome };
    return printResult(context(), traceKind, jobOf('trace', {}, whole), { out: place.folder });
  },
  profile: (outcome: Partial<ProfileOutcome>) => {
    const whole = { call: 1, counts: null, error: null, answersLost: 0, ...outcome };
    return printResult(context(), profileKind, jobOf('profile', {}, whole), { out: place.folder });
  },
  lens: (outcome: Partial<LensOutcome>, out = place.folder) => {
    const nothing = { seen: null, files: null, error: null, billing: null, replaced: [] };
    const whole = { ...nothing, analysisId: null, ...outcome };
    return printResult(context(), lensKind, jobOf('lens', { file }, whole), { out });
  },
};

test.each([
  ['a search', 'completed', () => shows.trace({ status: 'completed', erased: true })],
  ['a lookup', 'found', () => shows.profile({ status: 'found', erased: true })],
  ['an analysis', 'completed', () => shows.lens({ status: 'completed', erased: true })],
])('%s that was erased says so', async (_, status, show) => {
  await show();
  expect(printed()).toContain(
    `${status}\n  erased     what the service reported is no longer stored`,
  );
  expect(printed()).not.toContain('result:');
});

test('a folder that had one picture has nothing of it beside the next one', async () => {
  const out = join(place.folder, 'out');
  const answers = new LensRepository(place.store);
  const artifacts = ['a1', 'a2'].map((artifactId) => ({ artifactId, type: 'mask' }));
  const stored = [];
  for (const artifact of artifacts) {
    await putArtifact(place.store, folder, artifact.artifactId, bytes());
    const there = await findArtifact(place.store, folder, artifact);
    if (there !== null) stored.push(there);
  }
  await answers.putAnswer(folder, Buffer.from('{"id":"first"}'));
  const written = async (files: LensOutcome['files']) => {
    await shows.lens({ status: 'completed', files }, out);
    return (await readdir(out)).filter((name) => name !== '.job').sort();
  };
  const first = ['artifact-1.bin', 'artifact-2.bin', 'lens.json', 'report.html'];
  expect(await written({ stored, notStored: [] })).toEqual(first);
  await writeFile(join(out, 'artifact-notes.txt'), 'mine');
  const one = { stored: stored.slice(0, 1), notStored: [] };
  expect(await written(one)).toEqual([
    'artifact-1.bin',
    'artifact-notes.txt',
    'lens.json',
    'report.html',
  ]);
  await place.store.records.remove(`${folder}/answer.json`);
  expect(await written(one)).toEqual(['artifact-notes.txt']);
});

async function* bytes(): AsyncGenerator<Buffer> {
  yield Buffer.from('found');
}
