import type { ScenarioInput, ScenarioPatch } from '../../src/sandbox';
import { company, errorCodeOf, person, startManualSandbox } from '../unit/sandbox/raw-caller';

const monitor = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const picture = { size_bytes: 4, sha256: 'ab'.repeat(32) };

/** A call of each resource, and where the scenario has its trouble. */
const calls = [
  ['certificates', null, 'POST', '/api/v1/certidoes/trabalhista', { documento: company }],
  ['searches', 'traces', 'GET', '/api/v1/rastro', undefined],
  ['pictures', 'lens', 'POST', '/api/v1/lente/analyses', { file: picture }],
  ['dossiers', 'dossiers', 'GET', '/api/v1/dossies', undefined],
  ['monitors', 'monitors', 'GET', `/api/v1/monitors/${monitor}/changes`, undefined],
  ['profiles', 'profiles', 'GET', `/api/v1/perfil/patrimonial/cpf/${person}`, undefined],
  ['credit', 'credit', 'GET', '/credit/api/v1/v1/engines', undefined],
] as const;

const answers = [
  ['429', 429],
  ['503', 503],
  ['500_html', 500],
  ['502', 502],
  ['504_after', 504],
  ['redirect', 302],
  ['401', 401],
  ['403_unauthorized', 403],
] as const;
const broken = ['reset_before', 'reset_after', 'cut_answer'] as const;

test.each(calls)(
  'every kind of fault strikes a call about %s',
  async (...[, at, method, path, body]) => {
    const held = { [monitor]: {} };
    const caller = await startManualSandbox({ scenario: { monitors: { held } } });
    const token = at === 'credit' ? 'credit-sandbox-token' : 'sandbox-token';
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'k-1' };
    // Certificates take the token in the address alone.
    const call = () =>
      caller.call(method, path, at === null ? { body } : { body, headers, token: null });
    const strikeWith = (kind: string) => {
      const background = { rate: 1, kinds: [kind] };
      const patch = at === null ? { background } : { [at]: { background } };
      caller.sandbox.configure(patch as unknown as ScenarioPatch);
    };
    try {
      const statuses = [];
      for (const [kind] of answers) {
        strikeWith(kind);
        statuses.push([kind, (await call()).status]);
      }
      expect(statuses).toEqual(answers);
      for (const kind of broken) {
        strikeWith(kind);
        expect([kind, await errorCodeOf(call())]).toEqual([
          kind,
          expect.stringMatching(/ECONNRESET|UND_ERR/),
        ]);
      }
    } finally {
      await caller.close();
    }
  },
);

/** `examples/scenarios/demo.json` as it was at first, when the sandbox knew certificates alone. */
const firstScenario = {
  description: 'A working day in twenty seconds',
  issuance: { waitingMs: [100, 800], processingMs: [400, 3200], distribution: 'lognormal' },
  latencyMs: [5, 40],
  background: {
    rate: 0.045,
    kinds: [
      { kind: '429', stages: ['request'], retryAfterSeconds: 1 },
      { kind: 'reset_after', stages: ['request'] },
      { kind: 'cut_answer', stages: ['request'] },
      { kind: 'failure_retryable', retryAfterSeconds: 1 },
      'failure_permanent',
      'divergente',
      { kind: 'wrong_sha256', stages: ['pdf'] },
    ],
  },
} satisfies ScenarioInput;

test('a scenario of the first sandbox still runs', async () => {
  const caller = await startManualSandbox({ scenario: firstScenario });
  const clock = setInterval(() => caller.sandbox.clock.advance(200), 2);
  try {
    const documents = Array.from({ length: 300 }, (_, n) => String(10_000_000_000 + n));
    const replies = documents.map((document) => caller.order(document).catch(() => null));
    const statuses = (await Promise.all(replies)).map((reply) => reply?.status);
    expect(new Set(statuses)).toEqual(new Set([202, 429, undefined]));
    const endings = caller.sandbox.state().certificates.map(({ ending }) => ending);
    expect(new Set(endings)).toEqual(
      new Set(['completed', 'failure_retryable', 'failure_permanent', 'divergente']),
    );
  } finally {
    clearInterval(clock);
    await caller.close();
  }
});
