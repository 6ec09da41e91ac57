import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { followJob, inTime } from '../../../src/starters/jobs/follow-job';
import { progressOfStage } from '../../../src/starters/jobs/progress';
import type { CommandContext } from '../../../src/starters/jobs/context';
import type { EngineClient } from '../../../src/temporal/connection';

const place = {} as unknown as CommandContext;

/** A work whose end is told while somebody is still being asked how it goes. */
function engineOf() {
  const asked = { open: 0, aborted: false, deadlines: [] as number[] };
  let end: (outcome: object) => void = () => undefined;
  const result = new Promise<object>((done) => (end = done));
  let signal = new AbortController().signal;
  const query = async (): Promise<never> => {
    asked.open += 1;
    end({ status: 'completed' });
    // A retry of the SDK goes on for a while, whatever the signal says.
    while (!signal.aborted) await sleep(5);
    asked.aborted = true;
    await sleep(50);
    asked.open -= 1;
    throw new Error('cancelled');
  };
  const client = {
    withAbortSignal: (given: AbortSignal, call: () => Promise<unknown>) => {
      signal = given;
      return call();
    },
    withDeadline: (at: number, call: () => Promise<unknown>) => {
      asked.deadlines.push(at);
      return call();
    },
    workflow: { getHandle: () => ({ query, result: () => result }) },
  };
  return { asked, engine: { client, address: 'nowhere' } as unknown as EngineClient };
}

it('leaves no question about a job open when it has ended', async () => {
  const { asked, engine } = engineOf();
  const before = Date.now();
  const audience = { intervalMs: 10, show: jest.fn(), clear: jest.fn() };
  const readProgress = ({ client }: EngineClient) =>
    client.workflow
      .getHandle('a')
      .query<null>('progress')
      .catch(() => null);
  const end = await followJob(place, engine, 'a', readProgress, audience);
  expect(end).toEqual({ kind: 'ended', result: { status: 'completed' } });
  expect(asked).toMatchObject({ open: 0, aborted: true });
  for (const at of asked.deadlines) expect(at).toBeGreaterThan(before);
  expect(asked.deadlines).not.toEqual([]);
});

it('says once that no worker answers, and again when one was lost again', async () => {
  const told: string[] = [];
  const ctx = {
    log: (line: string) => void told.push(line),
    reader: { say: (english: string) => english },
  } as unknown as CommandContext;
  let end: (outcome: object) => void = () => undefined;
  const result = new Promise<object>((done) => (end = done));
  const client = {
    withAbortSignal: (_signal: AbortSignal, call: () => Promise<unknown>) => call(),
    withDeadline: (_at: number, call: () => Promise<unknown>) => call(),
    workflow: { getHandle: () => ({ result: () => result }) },
  };
  const audience = { intervalMs: 1, show: jest.fn(), clear: jest.fn() };
  let now = 1_000_000;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
  let asked = 0;
  const readProgress = async () => {
    asked += 1;
    now += 10_000;
    if (asked === 12) end({ status: 'completed' });
    return asked === 1 || asked === 7 ? progressOfStage('polling') : null;
  };
  const engine = { client } as unknown as EngineClient;
  await followJob(ctx, engine, 'a', readProgress, audience);
  clock.mockRestore();
  expect(audience.show).toHaveBeenCalledTimes(2);
  expect(told).toEqual(Array(2).fill(expect.stringContaining('no worker answers')));
});

it('leaves nothing on its signal, however long it asks, and a question ends with the signal', async () => {
  const given: AbortSignal[] = [];
  const client = {
    // The SDK listens to the signal of a call, and never ceases to.
    withAbortSignal: (signal: AbortSignal, call: () => Promise<unknown>) => {
      given.push(signal);
      signal.addEventListener('abort', () => undefined);
      return call();
    },
    withDeadline: (_at: number, call: () => Promise<unknown>) => call(),
  };
  const engine = { client } as unknown as EngineClient;
  const over = new AbortController();
  for (let turn = 0; turn < 20; turn += 1) await inTime(engine, over.signal, async () => turn);
  expect(getEventListeners(over.signal, 'abort')).toEqual([]);
  const asked = inTime(engine, over.signal, () => sleep(20));
  over.abort();
  expect(given.at(-1)?.aborted).toBe(true);
  await asked;
});
