import type { ArtifactFiles } from '../../../src/domain/core/artifact';
import { ActivityEnvironment } from '../../support/activity-environment';
import { ConnectionError, StatusError } from '../../../src/apis/http/errors';
import { answerTooLarge } from '../../../src/apis/http/exchange';
import type { LensDependencies } from '../../../src/activities/dependencies';
import { createLensActivities } from '../../../src/activities/lens/lens';
import { findArtifact, putArtifact } from '../../../src/store/core/artifacts';
import { readLarge } from '../../../src/store/core/large-objects';
import { LensRepository } from '../../../src/store/lens/lens';
import { newStore } from '../../support/new-store';
import { answeredStatus } from '../../support/status-errors';

const call = { method: 'GET', pathTemplate: '{artifact}' };
const ref = { jobId: 'lens/n/1', folder: 'lens/n/1' };

const answered = (status: number): StatusError =>
  answeredStatus(call, status, { elsewhere: true, hasProblem: false });

const tooLarge = new ConnectionError(call, 'maybe', {
  name: 'E',
  code: answerTooLarge,
  syscall: null,
});
const cut = new ConnectionError(call, 'maybe', { name: 'E', code: 'ECONNRESET', syscall: null });

/** A store that answers each address as scripted, one answer after the other, the last for ever. */
class Bucket {
  readonly store = newStore();
  readonly fetched: string[] = [];
  listed: string[];
  states: string[] = ['completed'];
  now = 0;
  readonly #script: Record<string, (Error | string)[]>;

  constructor(script: Record<string, (Error | string)[]>) {
    this.#script = script;
    this.listed = Object.keys(script);
  }

  /** Each fetching in a process of its own, as after a worker was killed. */
  async fetchAll() {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#fetch(attempt);
      } catch (error) {
        if ((error as { type?: string }).type !== 'NotSettledYet') throw error;
        this.now += 10_000;
      }
    }
  }

  #fetch(attempt: number) {
    const artifact = (artifactId: string) => ({
      artifactId,
      type: null,
      mediaType: null,
      status: 'available',
      url: artifactId,
      urlExpiresAt: null,
      availableUntil: null,
    });
    const service = {
      follow: (url: string) => new URL(url, 'http://service'),
      streamed: async (
        { path }: { path: string },
        take: (answer: { body: AsyncIterable<Buffer> }) => Promise<void>,
      ) => {
        const id = path.split('/').at(-1) ?? '';
        this.fetched.push(id);
        const answers = this.#script[id] ?? [];
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        async function* body(): AsyncGenerator<Buffer> {
          if (typeof answer === 'string') yield Buffer.from(answer);
          else {
            yield Buffer.from('half of it');
            throw answer;
          }
        }
        if (answer instanceof StatusError) throw answer;
        return take({ body: body() });
      },
    };
    const { fileLens } = createLensActivities({
      store: this.store,
      lens: {
        service,
        read: async () => {
          const state = this.states.length > 1 ? this.states.shift() : this.states[0];
          const artifacts = state === 'completed' ? this.listed.map(artifact) : [];
          return { analysis: { state, artifacts }, answer: {} };
        },
      },
      stopping: new AbortController().signal,
      warn: () => undefined,
      now: () => this.now,
      random: () => 0.5,
      pause: async (ms: number) => void (this.now += ms),
    } as unknown as LensDependencies);
    const timeouts = { heartbeatTimeoutMs: 20_000, startToCloseTimeoutMs: 900_000 };
    const order = { deadlineAt: 600_000, since: 0, seen: 'fetching' };
    return new ActivityEnvironment({ ...timeouts, attempt }).run(() =>
      fileLens({ ...order, ref, analysisId: 'x' }),
    );
  }

  async held(id: string): Promise<string | null> {
    const found = await findArtifact(this.store, ref.folder, { artifactId: id, type: null });
    if (found === null) return null;
    let text = '';
    for await (const part of readLarge(this.store, found.key)) text += part.toString();
    return text;
  }
}

it.each<[string, Error | string, string]>([
  ['is gone', answered(404), 'answered 404'],
  ['is too large', tooLarge, 'larger than 134217728 bytes'],
  ['is empty', '', 'empty'],
])('an artifact that %s is its own fault, and costs the others nothing', async (_, answer, why) => {
  const bucket = new Bucket({ a: [answer], b: ['the second'] });
  expect(await bucket.fetchAll()).toMatchObject({
    kind: 'settled',
    value: {
      stored: [{ artifactId: 'b', bytes: 'the second'.length }],
      notStored: [{ artifactId: 'a', why }],
    },
  });
  expect(await bucket.held('b')).toBe('the second');
  expect(bucket.fetched.filter((id) => id === 'a').length).toBeLessThanOrEqual(4);
  expect(bucket.fetched.filter((id) => id === 'b')).toHaveLength(1);
});

it('a store that is broken is waited for, and what was cut is fetched whole', async () => {
  const bucket = new Bucket({ a: [answered(502), cut, answered(403), 'the first'], b: ['x'] });
  expect(await bucket.fetchAll()).toMatchObject({
    kind: 'settled',
    value: { stored: [{ artifactId: 'a' }, { artifactId: 'b' }], notStored: [] },
  });
  expect(await bucket.held('a')).toBe('the first');
  const keys = await bucket.store.records.list(`${ref.folder}/artifacts/a/`);
  expect(keys).toHaveLength(1);
});

it('an artifact is stored as it comes, and is never held whole', async () => {
  const store = newStore();
  const counts: number[] = [];
  const stored = jest.spyOn(store.records, 'storeBytes');
  async function* body(): AsyncGenerator<Buffer> {
    for (let part = 0; part < 4; part += 1) {
      counts.push(stored.mock.calls.length);
      yield Buffer.alloc(1024 * 1024, part);
    }
  }
  await putArtifact(store, ref.folder, 'a', body());
  expect(counts).toEqual([0, 1, 2, 3]);
});

it('at the deadline what could not be had is told beside what is on file', async () => {
  const bucket = new Bucket({ a: [answered(502)], b: ['the second'] });
  expect(await bucket.fetchAll()).toMatchObject({
    kind: 'expired',
    value: {
      stored: [{ artifactId: 'b' }],
      notStored: [{ artifactId: 'a', why: 'answered 502' }],
    },
  });
});

it('an artifact that the answer on file told, and that is told no more, is fetched from there', async () => {
  const bucket = new Bucket({ a: ['the first'], b: ['the second'], c: [answered(403)] });
  bucket.listed = ['b'];
  const artifacts = ['a', 'b', 'c'].map((id) => ({ id, url: id }));
  await new LensRepository(bucket.store).putAnswer(
    ref.folder,
    Buffer.from(JSON.stringify({ id: 'x', artifacts })),
  );
  const { value } = (await bucket.fetchAll()) as { value: ArtifactFiles };
  expect(value.stored.map(({ artifactId }) => artifactId).toSorted()).toEqual(['a', 'b']);
  expect(value.notStored).toEqual([{ artifactId: 'c', type: null, why: 'answered 403' }]);
});

it('a read that goes back to an earlier state is waited out', async () => {
  const bucket = new Bucket({ a: [answered(403), 'the first'] });
  bucket.states = ['completed', 'running', 'running', 'completed'];
  const artifacts = [{ id: 'a' }];
  await new LensRepository(bucket.store).putAnswer(
    ref.folder,
    Buffer.from(JSON.stringify({ id: 'x', artifacts })),
  );
  expect(await bucket.fetchAll()).toMatchObject({
    kind: 'settled',
    value: { stored: [{ artifactId: 'a' }], notStored: [] },
  });
});

it('a store that leads on and on is given up', async () => {
  const bucket = new Bucket({ a: [answered(302)] });
  expect(await bucket.fetchAll()).toMatchObject({
    kind: 'settled',
    value: { notStored: [{ artifactId: 'a', why: 'answered 302' }] },
  });
});
