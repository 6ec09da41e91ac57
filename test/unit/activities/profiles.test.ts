import { CancelledFailure } from '@temporalio/common';
import { ActivityEnvironment } from '../../support/activity-environment';
import {
  createProfileActivities,
  type ProfileDependencies,
} from '../../../src/activities/profiles/profiles';
import { ConnectionError, ContractError, TimeoutError } from '../../../src/apis/http/errors';
import { Store } from '../../../src/store/store';
import { ProfileRepository } from '../../../src/store/profiles/profiles';
import type { ProfilesApi } from '../../../src/apis/investigation/profile';
import type { AuditEntry } from '../../../src/domain/core/audit';
import { profileSubject } from '../../../src/domain/core/service/attempts';
import { refusalOf, type ProfileOutcome } from '../../../src/domain/profiles/lookup';
import { readAll } from '../../support/audit-entries';
import { accepted, putAttempt } from '../../support/stored-attempts';
import { answeredStatus } from '../../support/status-errors';
import { TemporaryStore } from '../../support/temporary-store';

const name = 'ab'.repeat(16);
const ref = { jobId: `profile/${name}/1`, folder: `profiles/${name}/1` };
let nowMs = Date.parse('2026-01-05T10:00:00.000Z');
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

const file = (): ProfileRepository => new ProfileRepository(place.store);

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
      timeoutMs: 30_000,
      lookUp: async (...[, , , beforeSend]: Parameters<ProfilesApi['lookUp']>) => {
        (await beforeSend?.())?.();
        asked += 1;
        atCall();
        return { read: { kind: 'profile' }, body };
      },
    } as unknown as ProfileDependencies['profiles'],
    store,
    audit: audit as unknown as ProfileDependencies['audit'],
    nameOf: (text) => text,
    metrics: { count: (_, labels) => counted.push((labels as { status: string }).status) },
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
  return activities().finalizeProfile({ ref, outcome });
}

test.each(['cancelled', 'expired'] as const)(
  'a lookup that was %s over an answer on file was answered',
  async (status) => {
    await file().putAnswer(ref.folder, profile({ rural: null }), 1);
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
  await file().putAnswer(ref.folder, profile({ rural: null }), 1);
  await file().putAnswer(ref.folder, profile({ rural: { documento: 'x' } }), 2);
  const first = { call: 1, answered: 1, rural: 'failed' } as const;
  expect(await concluded('found', first)).toMatchObject({
    call: 2,
    answered: 2,
    rural: 'reported',
  });
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

const subject = profileSubject(name);
const ours = { workflowId: ref.jobId, chunk: '1-' };
const call = { method: 'GET', pathTemplate: '/perfil/patrimonial/cpf/{cpf}' };
const order = { ref, call: 1, deadlineAt: nowMs + 3_600_000, since: nowMs, seen: 'asking' };

/** Looks up again and again, as the engine would. */
async function tried(
  { lookUpProfile }: ReturnType<typeof activities>,
  tries = 10,
): Promise<unknown> {
  for (let left = tries; left > 0; left -= 1) {
    const end = await new ActivityEnvironment().run(lookUpProfile, order).catch(() => null);
    if (end !== null) return end;
    // Whoever was to answer has had the time.
    nowMs += 40_000;
  }
  return null;
}

/** Puts of keys that match fail, as on a disk that is full, or claims, or receipts. */
function fullFor(keys: RegExp | 'claims' | 'receipts'): ProfileDependencies['store'] {
  const store = new Store(place.database);
  const { attempts } = store;
  const fail = async (): Promise<never> => {
    throw new Error('ENOSPC');
  };
  if (keys === 'claims') attempts.claim = fail;
  if (keys === 'receipts') attempts.putReceipt = fail;
  if (!(keys instanceof RegExp)) return store;
  const put = store.records.putIfAbsent.bind(store.records);
  store.records.putIfAbsent = async (key, ...more) => {
    if (keys.test(key)) throw new Error('ENOSPC');
    return put(key, ...more);
  };
  return store;
}

/** Of receipts, and of ends that are told without one. */
async function requests(): Promise<string[]> {
  const all = [...(await readAll(place.store)), ...trail];
  const its = all.filter(({ kind }) => kind === 'request');
  return its.map(({ id, result }) => `${id} ${result}`).toSorted();
}

test('nothing is asked while the store takes nothing in', async () => {
  expect(await tried(activities(undefined, fullFor('claims')))).toBeNull();
  expect(asked).toBe(0);
});

test('answers that cannot be stored are asked for thrice, and each is told as possibly charged', async () => {
  const full = activities(undefined, fullFor(/answer-/));
  expect(await tried(full)).toMatchObject({
    kind: 'settled',
    value: { status: 'unknown_outcome', code: 'answers_lost' },
  });
  expect(asked).toBe(3);
  expect(await concluded('unknown_outcome')).toMatchObject({ answered: 0, answersLost: 3 });
  expect(await requests()).toEqual([1, 2, 3].map((n) => `request/${ref.jobId}/1-${n} unknown`));
});

test('an answer that cannot be read is asked for thrice, stored as it came, and told', async () => {
  const unreadable = activities(() => {
    throw new ContractError(call, [{ path: '', code: 'no_profile' }], Buffer.from('[1]'));
  });
  expect(await tried(unreadable)).toMatchObject({
    value: { status: 'unreadable', message: expect.stringContaining(`${ref.folder}/unreadable/`) },
  });
  expect(asked).toBe(3);
  expect(String(await file().unreadable(ref.folder))).toBe('[1]');
  expect(await concluded('unreadable')).toMatchObject({
    status: 'unreadable',
    answered: 0,
    answersLost: 3,
  });
  expect(new Set(await requests())).toEqual(
    new Set([1, 2, 3].map((n) => `request/${ref.jobId}/1-${n} unreadable`)),
  );
});

test.each<[string, Error]>([
  ['lost', new ConnectionError(call, 'maybe', { name: 'E', code: 'ECONNRESET', syscall: null })],
  ['late', new TimeoutError(call, 'maybe', 30_000)],
  ['a 500', answeredStatus(call, 500)],
  [
    'a 503 that is not to be sent again',
    answeredStatus(call, 503, { retryable: false, wasNotProcessed: false }),
  ],
])('a call whose answer is always %s is sent thrice, and is unknown', async (_, error) => {
  const lossy = activities(() => {
    throw error;
  });
  expect(await tried(lossy)).toMatchObject({
    kind: 'settled',
    value: { status: 'unknown_outcome', code: 'answers_lost' },
  });
  expect(asked).toBe(3);
  // Nor is it by another attempt, or another worker.
  expect(await tried(lossy)).toMatchObject({ value: { status: 'unknown_outcome' } });
  expect(asked).toBe(3);
  expect(await concluded('unknown_outcome')).toMatchObject({ answered: 0, answersLost: 3 });
});

test('an answer that got lost is asked for again, and told beside the one that came', async () => {
  const lossy = activities(() => {
    const cause = { name: 'Error', code: 'ECONNRESET', syscall: null };
    if (asked === 1) throw new ConnectionError(call, 'maybe', cause);
    if (asked === 2) throw new ConnectionError(call, 'no', cause);
  });
  expect(await tried(lossy)).toMatchObject({ value: { kind: 'found' } });
  expect(await concluded('found')).toMatchObject({ answered: 1, answersLost: 1 });
  expect(new Set(await requests())).toEqual(
    new Set([`request/${ref.jobId}/1-1 unknown`, `request/${ref.jobId}/1-3 accepted`]),
  );
});

test('of a call whose sender was lost after its answer was stored, no answer is called lost', async () => {
  await tried(activities(undefined, fullFor('receipts')));
  expect(asked).toBe(1);
  expect(await concluded('expired')).toMatchObject({
    status: 'found',
    answered: 1,
    answersLost: 0,
  });
  expect(new Set(await requests())).toEqual(new Set([`request/${ref.jobId}/1-1 accepted`]));
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
  for (const id of ['a', 'b'])
    await putAttempt(place.store, subject, { receipt: accepted(id), ...ours });
  await file().putAnswer(ref.folder, profile({ rural: null }), 1);
  expect(await concluded('found')).toMatchObject({ call: 1, answered: 2, answersLost: 0 });
});

test('what another one is asked about the same person is waited for', async () => {
  await putAttempt(place.store, subject, { at: nowMs });
  expect(await tried(activities(), 1)).toBeNull();
  expect(asked).toBe(0);
  expect(await tried(activities(), 2)).toMatchObject({ value: { kind: 'found' } });
  expect(await place.store.attempts.of(subject)).toMatchObject([
    { resolution: { action: 'reissue', by: 'policy' } },
    { claim: { afterUnknown: true }, receipt: { kind: 'accepted' } },
  ]);
});

test('a process that was frozen over its claim sends nothing', async () => {
  const frozen = new Store(place.database);
  const claim = frozen.attempts.claim.bind(frozen.attempts);
  frozen.attempts.claim = async (...wanted) => {
    const taken = await claim(...wanted);
    nowMs += 10_000;
    return taken;
  };
  await tried(activities(undefined, frozen), 1);
  expect(asked).toBe(0);
  expect(await place.store.attempts.of(subject)).toMatchObject([{ receipt: { kind: 'not_sent' } }]);
});

test('a worker that slept while another one was answered sends nothing', async () => {
  const stored = profile({ rural: { documento: 'x' } });
  const asleep = new Store(place.database);
  const get = asleep.records.get.bind(asleep.records);
  asleep.records.get = async (key) => {
    const told = await get(key);
    asleep.records.get = get;
    await file().putAnswer(ref.folder, stored, 1);
    await putAttempt(place.store, subject, { receipt: accepted('a'), ...ours });
    return told;
  };
  expect(await tried(activities(undefined, asleep))).toMatchObject({
    kind: 'settled',
    value: { kind: 'found', rural: 'reported' },
  });
  expect(asked).toBe(0);
  expect(await place.store.attempts.of(subject)).toHaveLength(1);
});

test.each([
  [404, 'NOT_FOUND', 'not_found', 'NOT_FOUND'],
  [404, null, 'refused', 'wrong_address'],
  [404, 'no_route', 'refused', 'no_route'],
  [400, 'VALIDATION_ERROR', 'refused', 'VALIDATION_ERROR'],
])('%i with the code %s is %s', (status, code, outcome, told) => {
  expect(refusalOf(status, code, 'm')).toMatchObject({ status: outcome, code: told });
});
