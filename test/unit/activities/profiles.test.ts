import { CancelledFailure } from '@temporalio/common';
import { ActivityEnvironment } from '../../support/activity-environment';
import {
  createProfileActivities,
  type ProfileDependencies,
} from '../../../src/activities/profiles';
import { ConnectionError, ContractError, StatusError } from '../../../src/apis/http/errors';
import { Store } from '../../../src/store/store';
import { ProfileFile } from '../../../src/store/profiles/profiles';
import type { ProfilesApi } from '../../../src/apis/investigation/profile';
import type { AuditEntry } from '../../../src/domain/audit';
import { refusalOf, type ProfileOutcome } from '../../../src/domain/profiles/lookup';
import { TemporaryStore } from '../../support/temporary-store';

const name = 'ab'.repeat(16);
const ref = { workId: `profile/${name}/1`, folder: `profiles/${name}/1` };
const nowMs = Date.parse('2026-01-05T10:00:00.000Z');
const startedAt = new Date(nowMs).toISOString();

let place: TemporaryStore;
/** Calls that reached the service. */
let asked: number;
/** Ends that were counted. */
let counted: string[];
let trail: AuditEntry[];

beforeEach(async () => {
  place = new TemporaryStore();
  asked = 0;
  counted = [];
  trail = [];
  const record = { ...ref, name, cpf: '52998224725', retryRural: true };
  await file().putRecord(ref.folder, { ...record, createdAt: startedAt, createdBy: 'tester' });
});
afterEach(() => place.remove());

const file = (): ProfileFile => new ProfileFile(place.store);

/**
 * @param atCall what happens while the service works on the answer, and what it throws comes of it
 * @param store where it is put on file
 */
function activities(
  atCall: () => void = () => undefined,
  store: ProfileDependencies['store'] = place.store,
) {
  const body = profile({ rural: null });
  const audit = { append: async (entries: AuditEntry[]) => void trail.push(...entries) };
  return createProfileActivities({
    profiles: {
      service: { wasNotProcessed: (error: StatusError) => error.status === 429 },
      lookUp: async (...[, , , beforeSend]: Parameters<ProfilesApi['lookUp']>) => {
        await beforeSend?.();
        asked += 1;
        atCall();
        return { read: { kind: 'profile' }, body };
      },
    } as unknown as ProfileDependencies['profiles'],
    store,
    audit: audit as unknown as ProfileDependencies['audit'],
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
  const environment = new ActivityEnvironment();
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

const call = { method: 'GET', pathTemplate: '/perfil/patrimonial/cpf/{cpf}' };
const order = { ref, call: 1, deadlineAt: nowMs + 60_000, since: nowMs, seen: 'asking' };

/** Looks up again and again, as the engine would. */
async function tried(
  { lookUpProfile }: ReturnType<typeof activities>,
  tries = 10,
): Promise<unknown> {
  for (let left = tries; left > 0; left -= 1) {
    const end = await new ActivityEnvironment().run(lookUpProfile, order).catch(() => null);
    if (end !== null) return end;
  }
  return null;
}

/** Puts of keys that match fail, as on a disk that is full. */
function fullFor(keys: RegExp): ProfileDependencies['store'] {
  const store = new Store(place.database);
  const put = store.records.putIfAbsent.bind(store.records);
  store.records.putIfAbsent = async (key, ...more) => {
    if (keys.test(key)) throw new Error('ENOSPC');
    return put(key, ...more);
  };
  return store;
}

const requests = (): string[] =>
  trail.filter(({ kind }) => kind === 'request').map(({ id, result }) => `${id} ${result}`);

test('nothing is asked while the store takes nothing in', async () => {
  expect(await tried(activities(undefined, fullFor(/./)))).toBeNull();
  expect(asked).toBe(0);
});

test('answers that cannot be filed are asked for thrice, and each is told as possibly charged', async () => {
  const full = activities(undefined, fullFor(/answer-/));
  expect(await tried(full)).toMatchObject({
    kind: 'settled',
    value: { status: 'unknown_outcome', code: 'answers_lost' },
  });
  expect(asked).toBe(3);
  expect(await concluded('unknown_outcome')).toMatchObject({ answered: 0, answersLost: 3 });
  expect(requests()).toEqual([1, 2, 3].map((n) => `request/${ref.workId}/1-${n} unknown`));
});

test('an answer that cannot be read is asked for thrice, filed as it came, and told', async () => {
  const unreadable = activities(() => {
    throw new ContractError(call, [{ path: '', code: 'no_profile' }], Buffer.from('[1]'));
  });
  expect(await tried(unreadable)).toMatchObject({
    value: { status: 'unreadable', message: expect.stringContaining('unreadable-1-3.json') },
  });
  expect(asked).toBe(3);
  const kept = await place.store.records.get(`${ref.folder}/unreadable-1-3.json`);
  expect(JSON.parse(String(kept))).toMatchObject({ bytes: 3, text: '[1]' });
  expect(await concluded('unreadable')).toMatchObject({
    status: 'unreadable',
    answered: 0,
    answersLost: 3,
  });
  expect(new Set(requests())).toEqual(
    new Set([1, 2, 3].map((n) => `request/${ref.workId}/1-${n} unreadable`)),
  );
});

test('an answer that got lost is asked for again, and told beside the one that came', async () => {
  const lossy = activities(() => {
    const cause = { name: 'Error', code: 'ECONNRESET', syscall: null };
    if (asked === 1) throw new ConnectionError(call, 'maybe', cause);
    if (asked === 2) throw new ConnectionError(call, 'no', cause);
  });
  expect(await tried(lossy)).toMatchObject({ value: { kind: 'found' } });
  expect(await concluded('found')).toMatchObject({ answered: 1, answersLost: 1 });
  expect(new Set(requests())).toEqual(
    new Set([`request/${ref.workId}/1-1 unknown`, `request/${ref.workId}/1-2 accepted`]),
  );
});

test('of a call whose sender was lost after its answer was filed, no answer is called lost', async () => {
  await tried(activities(undefined, fullFor(/\.end\.json$/)));
  expect(asked).toBe(1);
  expect(await concluded('expired')).toMatchObject({
    status: 'found',
    answered: 1,
    answersLost: 0,
  });
  expect(new Set(requests())).toEqual(new Set([`request/${ref.workId}/1-1 accepted`]));
});

test.each(['not_found', 'invalid', 'expired', 'found'] as const)(
  'a work that is started again after it ended %s asks for nothing, and its end stands',
  async (status) => {
    const stands = await concluded(status);
    const started = activities();
    const ended = { kind: 'settled', value: { kind: 'ended', status } };
    expect(await tried(started, 1)).toEqual(ended);
    expect(await concluded(status)).toEqual(stands);
    expect([asked, counted]).toEqual([0, [status]]);
  },
);

test('a call that was answered twice may be charged for twice', async () => {
  for (const n of [1, 2]) {
    const sent = await file().putSent(ref.folder, 1, startedAt);
    expect(sent.n).toBe(n);
    await file().putSentEnd(ref.folder, sent, 'accepted');
  }
  await file().putAnswer(ref.folder, 1, profile({ rural: null }));
  expect(await concluded('found')).toMatchObject({ call: 1, answered: 2, answersLost: 0 });
});

test('a worker that slept while another one was answered sends nothing', async () => {
  const filed = profile({ rural: { documento: 'x' } });
  const asleep = new Store(place.database);
  const list = asleep.records.list.bind(asleep.records);
  asleep.records.list = async (prefix) => {
    const told = await list(prefix);
    await file().putAnswer(ref.folder, 1, filed);
    return told;
  };
  expect(await tried(activities(undefined, asleep))).toMatchObject({
    kind: 'settled',
    value: { kind: 'found', rural: 'told' },
  });
  expect(asked).toBe(0);
  expect(await file().sent(ref.folder)).toEqual([]);
});

test.each([
  [404, 'NOT_FOUND', 'not_found', 'NOT_FOUND'],
  [404, null, 'refused', 'wrong_address'],
  [404, 'no_route', 'refused', 'no_route'],
  [400, 'VALIDATION_ERROR', 'refused', 'VALIDATION_ERROR'],
])('%i with the code %s is %s', (status, code, outcome, told) => {
  expect(refusalOf(status, code, 'm')).toMatchObject({ status: outcome, code: told });
});
