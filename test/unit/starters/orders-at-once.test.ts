import { readerOf } from '../../../src/report/reader';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { findJob } from '../../../src/starters/jobs/find-job';
import { yieldTo } from '../../../src/starters/jobs/begin/start-job';
import { readRequest } from '../../../src/starters/jobs/begin/startable';
import { traces } from '../../../src/starters/traces/request';
import { TemporaryStore, testIdKey } from '../../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
  const others = ['setTimeout', 'setInterval', 'setImmediate', 'nextTick', 'queueMicrotask'];
  jest.useFakeTimers({ now: Date.parse('2026-01-05T10:15:30Z'), doNotFake: others as never });
});
afterEach(() => {
  jest.useRealTimers();
  return place.remove();
});

test('of two orders within a millisecond the one that goes leaves no job behind', async () => {
  const { store } = place;
  const path = join(place.folder, 'targets.csv');
  await writeFile(path, 'alvo\none@example.com\ntwo@example.com\n');
  const ctx = {
    store,
    idKey: testIdKey,
    environment: { actor: 'tester', language: 'en' },
    audit: { anchor: () => Promise.resolve() },
    log: () => undefined,
    reader: readerOf('en'),
  } as unknown as CommandContext;
  const request = readRequest(traces, { input: path, rerun: true });
  const ask = () => traces.plan(ctx, request);
  const asks = await Promise.all([ask(), ask()]);
  const [stays, goes] = await Promise.all(asks.map((one) => one.record()));
  if (stays === undefined || goes === undefined) throw new Error('two were recorded');
  expect(goes).not.toBe(stays);
  const other = await findJob(ctx, goes);
  await asks[1]?.withdraw?.(other as never);
  expect((await yieldTo(ctx, other, stays)).id).toBe(stays);
  const left = await store.jobs.list({}, { sort: 'created', limit: 10 });
  expect(left.map(({ kind }) => kind).toSorted()).toEqual(['trace', 'trace', 'trace-batch']);
});
