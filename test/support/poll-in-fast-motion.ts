/**
 * A process that polls as a worker does, its pauses a thousand times shorter: one signal lives as long as
 * the process, and one activity after the other polls a few times until it has settled.
 * Arguments: address of the service, polls in all.
 */
import { createPolling } from '../../src/activities/core/poll-until-settled';
import { pauseOnTheClock } from '../../src/activities/core/pause';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { ActivityEnvironment } from './activity-environment';

const [, , baseUrl = '', polls = ''] = process.argv;
const atOnce = 40;
/** Most attempts of an activity read once, as the server keeps the timer of what takes long. */
const pollsEach = [1, 1, 1, 1, 4];
const call = { method: 'GET', pathTemplate: '/x', path: '/x', token: 'bearer' } as const;

async function main(): Promise<void> {
  const service = new Service({ baseUrl, token: Token.of('secret'), ratePerSecond: 100_000 });
  const pollUntilSettled = createPolling({
    stopping: new AbortController().signal,
    warn: () => undefined,
    now: Date.now,
    random: Math.random,
    pause: (ms, signal) => pauseOnTheClock(ms / 1_000, signal),
  });
  let left = Number(polls);
  let begun = 0;

  async function activity(): Promise<void> {
    let reads = 0;
    const mine = pollsEach[(begun += 1) % pollsEach.length] ?? 1;
    const read = async (signal: AbortSignal) => {
      left -= 1;
      reads += 1;
      await service.call({ ...call, timeoutMs: 500, maxBytes: 1_000 }, 'poll', signal);
      return reads < mine
        ? ({ kind: 'unsettled', value: null, status: 'running' } as const)
        : ({ kind: 'settled', value: null } as const);
    };
    const terms = { deadlineAt: Date.now() + 60_000, since: Date.now(), seen: 'running' };
    const environment = new ActivityEnvironment({ heartbeatTimeoutMs: 20_000 });
    await environment.run(() => pollUntilSettled(read, { ...terms, what: 'a search' }));
  }

  async function lane(): Promise<void> {
    while (left > 0) await activity();
  }

  await Promise.all(Array.from({ length: atOnce }, lane));
  process.once('disconnect', () => void service.close());
  process.send?.('done');
}

void main();
