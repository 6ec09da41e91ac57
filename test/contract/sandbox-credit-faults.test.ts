import type { CreditPatch, Received } from '../../src/sandbox';
import { cnabFile } from '../support/cnab-files';
import { startCreditCaller, type CreditCaller, type Tree } from '../unit/sandbox/credit-caller';
import { errorCodeOf } from '../unit/sandbox/raw-caller';
import { sized } from '../support/full-size';

type Script = NonNullable<NonNullable<CreditPatch['files']>[string]>;

describe('faults of the credit sandbox', () => {
  let caller: CreditCaller;
  beforeEach(async () => {
    caller = await startCreditCaller();
  });
  afterEach(() => caller.close());

  const script = (steps: Script) => caller.configure({ files: { 'remessa.rem': steps } });
  /** What the service did, whatever it said. */
  const started = () => caller.sandbox.credit.counts()[0]?.started ?? 0;
  const lastReceived = () => caller.sandbox.credit.received().at(-1);

  test.each([
    ['429', 429, 0],
    ['503', 503, 0],
    ['503_bare', 503, 0],
    ['500_html', 500, 0],
    ['500_html_after', 500, 1],
    ['502', 502, 0],
    ['504_after', 504, 1],
    ['redirect', 302, 0],
    ['401', 401, 0],
    ['403_unauthorized', 403, 0],
    ['400_refused', 400, 0],
    ['413', 413, 0],
    ['unreadable_2xx', 202, 1],
    ['missing_id', 202, 1],
    ['extra_fields', 202, 1],
  ] as const)(
    'an upload met by %s answers %i and starts %i operations',
    async (kind, status, acts) => {
      script({ upload: [kind] });
      expect((await caller.upload()).status).toBe(status);
      expect(started()).toBe(acts);
      expect(lastReceived()).toMatchObject({ fault: kind, status, accepted: acts === 1 });
      expect((await caller.upload()).json).toMatchObject({ status: 'queued' });
      expect(started()).toBe(acts + 1);
      expect(caller.sandbox.credit.counts()).toMatchObject([{ requested: 2 }]);
    },
  );

  test.each([
    ['reset_before', 0],
    ['reset_after', 1],
    ['cut_answer', 1],
  ] as const)(
    'an upload met by %s loses its answer and starts %i operations',
    async (kind, acts) => {
      script({ upload: [kind] });
      expect(await errorCodeOf(caller.upload())).toMatch(
        /ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH/,
      );
      expect(started()).toBe(acts);
      expect(lastReceived()).toMatchObject({ fault: kind, abandoned: false });
    },
  );

  test.each([
    ['no_answer_before', 0],
    ['no_answer', 1],
  ] as const)(
    'an upload met by %s waits for ever, and starts %i operations',
    async (kind, acts) => {
      script({ upload: [kind] });
      const patience = new AbortController();
      const upload = errorCodeOf(caller.upload({}, { signal: patience.signal }));
      while (lastReceived()?.fault !== kind) await new Promise((resolve) => setImmediate(resolve));
      caller.sandbox.clock.advance(3_600_000);
      patience.abort();
      await upload;
      expect(started()).toBe(acts);
    },
  );

  test('slow begins at once and answers when its delay is over', async () => {
    script({ upload: [{ kind: 'slow', delayMs: 30_000 }] });
    let isAnswered = false;
    const upload = caller.upload().then((reply) => {
      isAnswered = true;
      return reply.status;
    });
    while (started() === 0) await new Promise((resolve) => setImmediate(resolve));
    caller.sandbox.clock.advance(29_999);
    await caller.call('GET', '/v1/engines');
    expect(isAnswered).toBe(false);
    caller.sandbox.clock.advance(1);
    expect(await upload).toBe(202);
  });

  test('429 and 503 say when to come back, in a problem', async () => {
    script({ upload: [{ kind: '429', retryAfterSeconds: 7 }, { kind: '503' }] });
    for (const [status, after] of [
      [429, '7'],
      [503, '1'],
    ] as const) {
      const { headers, json } = await caller.upload();
      expect(headers['retry-after']).toBe(after);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(json).toMatchObject({ status });
    }
  });

  test('missing_id has no way to find the operation', async () => {
    script({ upload: ['missing_id'] });
    const { bytes, json } = await caller.upload();
    expect(json['status']).toBe('queued');
    const [held] = caller.sandbox.credit.state().operations;
    expect(bytes.toString()).not.toContain(String(held?.operation['id']));
  });

  test('an unknown status shows for three reads, then the operation goes on', async () => {
    script({ status: ['unknown_status'] });
    const id = await caller.analysed();
    const words = [];
    for (let read = 0; read < 4; read += 1) words.push((await caller.operation(id)).json['status']);
    expect(words).toEqual([...Array<string>(3).fill('aguardando_revisao'), 'completed']);
  });

  test('an unknown status may stay for ever', async () => {
    script({ status: [{ kind: 'unknown_status', times: 'forever' }] });
    const id = await caller.analysed();
    for (let read = 0; read < 5; read += 1) {
      expect((await caller.operation(id)).json['status']).toBe('aguardando_revisao');
    }
    expect((await caller.result(id)).status).toBe(200);
  });

  test.each(['status', 'result'] as const)('reads of a %s go wrong and heal', async (stage) => {
    script({ [stage]: ['429', '502', 'unreadable_2xx', 'cut_answer'] });
    const id = await caller.analysed();
    const read = () => (stage === 'status' ? caller.operation(id) : caller.result(id));
    expect((await read()).status).toBe(429);
    expect((await read()).status).toBe(502);
    expect((await read()).json).toBeUndefined();
    expect(await errorCodeOf(read())).toMatch(/UND_ERR|ECONNRESET/);
    expect((await read()).status).toBe(200);
  });

  test('not_ready says so although the result is there', async () => {
    script({ result: ['not_ready'] });
    const id = await caller.analysed();
    expect((await caller.result(id)).status).toBe(409);
    expect((await caller.result(id)).status).toBe(200);
  });

  test('a result can contradict itself', async () => {
    const kinds = ['ok', 'wrong_summary', 'stray_titulo', 'unknown_entity_status', 'extra_fields'];
    script({ result: kinds as Script['result'] });
    const id = await caller.analysed();
    const read = async () => (await caller.result(id, '?filter=all')).json as unknown as Tree;
    const truth = await read();
    const wrong = await read();
    expect(wrong.cedente).toEqual(truth.cedente);
    expect(wrong.summary['blocked']).toBe(Number(truth.summary['blocked']) + 1);
    const stray = (await read()).cedente.sacados[0]?.titulos ?? [];
    expect(stray).toHaveLength(2);
    expect(stray[1]).toMatchObject({ numero: stray[0]?.numero, status: 'blocked' });
    expect((await read()).cedente.sacados[0]?.titulos[0]?.status).toBe('em_revisao');
    expect(await read()).toMatchObject({
      campo_novo: expect.any(String),
      cedente: { campo_novo: expect.any(String) },
    });
  });

  test('a file is scripted by its sum, by its name, or by the star', async () => {
    const file = cnabFile();
    await caller.upload({ file });
    const [{ fileSha256 } = { fileSha256: '' }] = caller.sandbox.credit.counts();
    caller.configure({
      files: {
        [fileSha256]: { upload: ['502'] },
        'b.rem': { upload: ['413'] },
        '*': { upload: ['400_refused'] },
      },
    });
    const other = cnabFile({ receivables: 1 });
    expect((await caller.upload({ file })).status).toBe(502);
    expect((await caller.upload({ file: { bytes: other, fileName: 'b.rem' } })).status).toBe(413);
    expect((await caller.upload({ file: { bytes: other, fileName: 'c.rem' } })).status).toBe(400);
  });

  test('latency passes before every answer', async () => {
    caller.sandbox.configure({ latencyMs: [100, 100] });
    const upload = caller.upload();
    while (started() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(lastReceived()).toMatchObject({ status: null, accepted: true });
    caller.sandbox.clock.advance(100);
    expect((await upload).status).toBe(202);
  });
});

describe('the background of trouble at the credit sandbox', () => {
  const names = Array.from({ length: sized(100, 200) }, (_, index) => `${index}.rem`);
  const background: CreditPatch['background'] = {
    rate: 0.2,
    kinds: ['reset_after', { kind: '503', stages: ['upload'] }, 'not_ready', 'failed'],
  };

  async function run(order: readonly string[]): Promise<{ calls: string[]; ends: string[] }> {
    const caller = await startCreditCaller({ scenario: { credit: { background } } });
    try {
      const bytes = cnabFile({ receivables: 1 });
      for (const fileName of order) {
        await caller.upload({ file: { bytes, fileName } }).catch(() => undefined);
      }
      caller.sandbox.clock.advance(3000);
      for (const { operation } of caller.sandbox.credit.state().operations) {
        await caller.result(String(operation['id'])).catch(() => undefined);
      }
      const { operations } = caller.sandbox.credit.state();
      const words = ({ method, parts, id, fault }: Received) =>
        `${method} ${parts[0]?.fileName ?? id} ${fault}`;
      return {
        calls: caller.sandbox.credit.received().map(words).sort(),
        ends: operations.map(({ ending }) => ending),
      };
    } finally {
      await caller.close();
    }
  }

  test('strikes the same files again in any order, as often as its rate, where it fits', async () => {
    const forwards = await run(names);
    const uploads = forwards.calls.filter((call) => call.startsWith('POST'));
    expect((await run(names.toReversed())).calls.filter((call) => call.startsWith('POST'))).toEqual(
      uploads,
    );
    const kindsOf = (calls: readonly string[]) =>
      new Set(calls.map((call) => call.split(' ')[2]).filter((kind) => kind !== 'null'));
    const struck = uploads.filter((call) => !call.endsWith('null'));
    expect(struck.length).toBeGreaterThan(names.length * 0.1);
    expect(struck.length).toBeLessThan(names.length * 0.3);
    expect(kindsOf(uploads)).toEqual(new Set(['503', 'reset_after']));
    const reads = forwards.calls.filter((call) => call.startsWith('GET'));
    expect(kindsOf(reads)).toEqual(new Set(['not_ready', 'reset_after']));
    expect(new Set(forwards.ends)).toEqual(new Set(['completed', 'failed']));
  });
});
