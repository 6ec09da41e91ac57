import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import {
  createProfileActivities,
  type ProfileDependencies,
} from '../../../src/activities/profiles';
import { ProfileFile } from '../../../src/archive/profiles';
import type { ProfileOutcome } from '../../../src/domain/profiles/lookup';
import { TemporaryArchive } from '../../support/temporary-archive';

const name = 'ab'.repeat(16);
const ref = { workId: `profile/${name}/1`, folder: `profiles/${name}/1` };
const nowMs = Date.parse('2026-01-05T10:00:00.000Z');
const startedAt = new Date(nowMs).toISOString();

let place: TemporaryArchive;
/** Calls that reached the service. */
let asked: number;
/** Ends that were counted. */
let counted: string[];

beforeEach(async () => {
  place = new TemporaryArchive();
  asked = 0;
  counted = [];
  const record = { ...ref, name, cpf: '52998224725', retryRural: true };
  await file().putRecord(ref.folder, { ...record, createdAt: startedAt, createdBy: 'tester' });
});
afterEach(() => place.remove());

const file = (): ProfileFile => new ProfileFile(place.archive);

/** @param atCall what happens while the service works on the answer */
function activities(atCall: () => void = () => undefined) {
  const body = profile({ rural: null });
  return createProfileActivities({
    profiles: {
      lookUp: async () => {
        asked += 1;
        atCall();
        return { read: { kind: 'profile' }, body };
      },
    } as unknown as ProfileDependencies['profiles'],
    archive: place.archive,
    audit: { append: async () => undefined } as unknown as ProfileDependencies['audit'],
    nameOf: (text) => text,
    metrics: { lookupEnded: (outcome) => counted.push(outcome.status) },
    stopping: new AbortController().signal,
    warn: () => undefined,
    now: () => nowMs,
    random: () => 0.5,
    pause: async () => undefined,
  });
}

function profile(fields: object): Buffer {
  return Buffer.from(JSON.stringify({ veiculos: [{ placa: 'A' }], imoveis: [], ...fields }));
}

/** Ends the lookup as its workflow does that has nothing of an answer. */
async function concluded(
  status: ProfileOutcome['status'],
  more: Partial<ProfileOutcome> = {},
): Promise<ProfileOutcome> {
  const nothing = { rural: null, counts: null, sha256: null, call: null, answered: 0 };
  const outcome = { ...nothing, status, error: null, startedAt, ...more };
  return activities().concludeProfile({ ref, outcome });
}

test.each(['cancelled', 'expired'] as const)(
  'a lookup that was %s over an answer on file was answered',
  async (status) => {
    await file().putAnswer(ref.folder, 1, profile({ rural: null }));
    const error = { code: 'deadline', message: 'm' };
    expect(await concluded(status, { error })).toMatchObject({
      status: 'found',
      call: 1,
      answered: 1,
      rural: 'failed',
      counts: { vehicles: 1, properties: 0, patents: null },
      error: null,
    });
  },
);

test('the second answer stands although nobody waited for it any more', async () => {
  await file().putAnswer(ref.folder, 1, profile({ rural: null }));
  await file().putAnswer(ref.folder, 2, profile({ rural: { documento: 'x' } }));
  const first = { call: 1, answered: 1, rural: 'failed' } as const;
  expect(await concluded('found', first)).toMatchObject({ call: 2, answered: 2, rural: 'told' });
});

test.each(['cancelled', 'expired', 'refused', 'invalid', 'not_found'] as const)(
  'a lookup without an answer stays %s',
  async (status) => {
    expect(await concluded(status)).toMatchObject({ status, call: null, answered: 0 });
  },
);

test('an answer that comes while the lookup is cancelled is on file when it ends', async () => {
  const environment = new MockActivityEnvironment();
  const { lookUpProfile } = activities(() => environment.cancel());
  const order = { ref, call: 1, deadlineAt: nowMs + 60_000, since: nowMs, seen: 'asking' };
  await expect(environment.run(lookUpProfile, order)).rejects.toThrow(CancelledFailure);
  expect(await concluded('cancelled')).toMatchObject({ status: 'found', answered: 1 });
  expect(asked).toBe(1);
});

test('an end is counted once, however often it is put on file', async () => {
  const { settledAt } = await concluded('not_found');
  expect(await concluded('expired')).toMatchObject({ status: 'not_found', settledAt });
  expect(counted).toEqual(['not_found']);
});
