import { startManualSandbox, type RawCaller } from '../unit/sandbox/raw-caller';
import type { Received, ScenarioInput } from '../../src/sandbox';
import { sized } from '../support/full-size';

const documents = Array.from({ length: sized(60, 200) }, (_, index) =>
  String(10_000_000_000 + index),
);

const scenario: ScenarioInput = {
  background: {
    rate: 0.2,
    kinds: [
      { kind: '429', stages: ['request'] },
      'reset_after',
      'unreadable_2xx',
      'wrong_sha256',
      'failure_retryable',
      'divergente',
    ],
  },
};

/** Asks for every document once, polls once and downloads once, in the order given. */
async function runThrough(caller: RawCaller, order: readonly string[]): Promise<void> {
  for (const document of order) await caller.order(document).catch(() => undefined);
  caller.sandbox.clock.advance(3000);
  for (const { certificate } of caller.sandbox.state().certificates) {
    const id = String(certificate['certidao_id']);
    await caller.poll(id).catch(() => undefined);
    await caller.pdf(id).catch(() => undefined);
  }
}

/** What happened to each document, whatever the order. */
function happenings(received: readonly Received[]): string[] {
  return received
    .map(({ method, path, subject, fault }) => `${subject} ${method} ${path} ${fault}`)
    .sort();
}

async function run(order: readonly string[]) {
  const caller = await startManualSandbox({ scenario });
  try {
    await runThrough(caller, order);
    return { received: caller.sandbox.received(), state: caller.sandbox.state() };
  } finally {
    await caller.close();
  }
}

describe('the background of trouble', () => {
  test('strikes the same calls again, whatever order they arrive in', async () => {
    const forwards = await run(documents);
    const backwards = await run(documents.toReversed());
    expect(happenings(backwards.received)).toEqual(happenings(forwards.received));
  });

  test('strikes about as often as its rate, each kind where it belongs', async () => {
    const { received, state } = await run(documents);
    const requests = received.filter(({ method }) => method === 'POST');
    const struck = requests.filter(({ fault }) => fault !== null);
    expect(struck.length).toBeGreaterThan(documents.length * 0.1);
    expect(struck.length).toBeLessThan(documents.length * 0.3);
    const kinds = (entries: readonly Received[]) =>
      [...new Set(entries.flatMap(({ fault }) => fault ?? []))].sort();
    expect(kinds(requests)).toEqual(['429', 'reset_after', 'unreadable_2xx']);
    expect(kinds(received.filter(({ path }) => path.endsWith('/pdf')))).toEqual([
      'reset_after',
      'wrong_sha256',
    ]);
    expect([...new Set(state.certificates.map(({ ending }) => ending))].sort()).toEqual([
      'completed',
      'divergente',
      'failure_retryable',
    ]);
  });

  test('leaves documents alone that the scenario names', async () => {
    const [document = ''] = documents;
    const caller = await startManualSandbox({
      scenario: {
        background: { rate: 1, kinds: ['502', 'failure_permanent'] },
        documents: { [document]: { request: ['429'] } },
      },
    });
    try {
      expect((await caller.order(document)).status).toBe(429);
      const id = await caller.settled(document);
      expect((await caller.poll(id)).json['status']).toBe('completed');
      expect((await caller.order('99999999999')).status).toBe(502);
    } finally {
      await caller.close();
    }
  });
});
