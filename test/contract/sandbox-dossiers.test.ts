import { seededDossierId, type ScenarioPatch } from '../../src/sandbox';
import { PDFDocument } from 'pdf-lib';
import {
  startResourceCaller,
  untilSettledMs,
  type ResourceCaller,
} from '../unit/sandbox/resource-caller';

type DossierPatch = NonNullable<ScenarioPatch['dossiers']>;
type Script = NonNullable<NonNullable<DossierPatch['held']>[string]>;

const dossier = '8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b6a';
const another = '8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b6b';
const base = `/api/v1/dossies/${dossier}`;

describe('the dossiers of the sandbox', () => {
  let caller: ResourceCaller;
  beforeEach(async () => {
    caller = await startResourceCaller();
    hold({});
  });
  afterEach(() => caller.close());

  const hold = (script: Script, more: DossierPatch = {}) =>
    caller.sandbox.configure({ dossiers: { ...more, held: { [dossier]: script } } });
  const status = () => caller.call('GET', `${base}/status`);
  const list = (query = '') => caller.call('GET', `/api/v1/dossies${query}`);
  const retry = (key: string) => caller.call('POST', `${base}/retry`, { key });
  const cancel = () => caller.call('POST', `${base}/cancel`);
  const settle = () => caller.sandbox.clock.advance(untilSettledMs);
  const counted = () => caller.sandbox.dossiers.counts().items[0];
  const artifactOf = (json: Record<string, unknown>) =>
    (json['artifacts'] as Record<string, string>[])[0];
  const pdfUrl = async (): Promise<string> =>
    artifactOf((await status()).json)?.['download_url'] ?? 'no PDF is shown';

  test('an attempt is queued, runs through its phases and is completed', async () => {
    hold({ phases: ['a', 'b'] });
    expect((await status()).json).toEqual({
      id: dossier,
      object: 'dossie',
      status: 'queued',
      subject_type: expect.stringMatching(/^(cpf|cnpj)$/),
      mode: 'standard',
      kind: 'basic',
      contract_version: expect.any(String),
      billing_policy_version: expect.any(String),
      current_attempt: {
        id: expect.any(String),
        number: 1,
        status: 'queued',
        queued_at: '2026-01-05T12:00:00.000Z',
        billing: {
          id: expect.any(String),
          status: 'pending',
          amount: 0,
          unit: 'tokens',
          price_version: expect.any(String),
          billing_policy_version: expect.any(String),
        },
      },
      coverage: {
        status: 'pending',
        completed: 0,
        eligible: 2,
        phases: [
          { phase: 'a', status: 'pending' },
          { phase: 'b', status: 'pending' },
        ],
      },
      artifacts: [],
      stale: false,
      poll_after_seconds: 2,
      created_at: '2026-01-05T12:00:00.000Z',
      updated_at: '2026-01-05T12:00:00.000Z',
    });
    caller.sandbox.clock.advance(2_000);
    expect((await status()).json).toMatchObject({
      status: 'running',
      current_attempt: { started_at: '2026-01-05T12:00:01.000Z' },
      coverage: {
        status: 'collecting',
        completed: 1,
        phases: [{ status: 'completed' }, { status: 'running' }],
      },
    });
    caller.sandbox.clock.advance(1_000);
    const { json } = await status();
    expect(json).toMatchObject({
      status: 'completed',
      current_attempt: { completed_at: '2026-01-05T12:00:03.000Z', billing: { status: 'charged' } },
      coverage: { status: 'complete', completed: 2, eligible: 2 },
      result: { report_schema: [{ secao: 'a' }, { secao: 'b' }] },
      updated_at: '2026-01-05T12:00:03.000Z',
    });
    expect(json).not.toHaveProperty('poll_after_seconds');
    expect(json).not.toHaveProperty('risk_classification');
  });

  test('a phase that is missing makes coverage partial', async () => {
    hold({ phases: ['a', 'b'], missingPhases: ['b'], risk: 'classified' });
    settle();
    expect((await status()).json).toMatchObject({
      coverage: { status: 'partial', completed: 1, phases: [{}, { status: 'unavailable' }] },
      risk_classification: { status: 'insufficient_data', level: null, score: null },
    });
  });

  test('a matrix classifies, also in the report, once the attempt is completed', async () => {
    hold({ risk: 'classified' });
    expect((await status()).json).not.toHaveProperty('risk_classification');
    settle();
    const { json } = await status();
    expect(json['risk_classification']).toMatchObject({
      matrix_id: expect.any(String),
      matrix_version: expect.any(String),
      status: 'classified',
      level: expect.stringMatching(/^(medio|alto)$/),
      score: expect.any(Number),
      matched_rules: expect.arrayContaining([
        { id: expect.any(String), score: expect.any(Number), description: expect.any(String) },
      ]),
      missing_fields: [],
    });
    expect(json['result']).toMatchObject({ risk_classification: json['risk_classification'] });
  });

  test('a dossier without a document has no subject type', async () => {
    hold({ mode: 'provided_data' });
    expect((await status()).json['subject_type']).toBeNull();
  });

  test.each([
    ['needs_review', 'needs_review', undefined],
    ['failed', 'failed', false],
    ['failure_retryable', 'failed', true],
    ['failure_permanent', 'failed', false],
    ['cancelled', 'cancelled', undefined],
  ] as const)('%s settles as %s', async (end, settled, retryable) => {
    hold({ end });
    settle();
    const { json } = await status();
    expect(json['status']).toBe(settled);
    expect((json['failure'] as { retryable?: boolean } | undefined)?.retryable).toBe(retryable);
  });

  test('never_settles runs for ever', async () => {
    hold({ end: 'never_settles' });
    caller.sandbox.clock.advance(30 * 86_400_000);
    expect((await status()).json).toMatchObject({ status: 'running', poll_after_seconds: 2 });
  });

  test('a retry keeps the id and begins an attempt with the next number', async () => {
    hold({ end: 'failure_retryable' });
    settle();
    const { status: code, json } = await retry('k-1');
    expect(code).toBe(202);
    expect(json).toMatchObject({ id: dossier, status: 'queued', current_attempt: { number: 2 } });
    settle();
    expect((await status()).json['status']).toBe('completed');
    expect(counted()).toMatchObject({ attempt: 2, retried: 1, retryRequests: 1 });
  });

  test.each(['reset_after', '504_after', '500_html_after', 'cut_answer', 'no_answer'] as const)(
    'a retry whose answer is lost by %s has begun, and its key begins no other',
    async (kind) => {
      hold({ end: 'failure_retryable', retry: [kind] });
      settle();
      const lost = caller
        .call('POST', `${base}/retry`, { key: 'k-1', signal: AbortSignal.timeout(300) })
        .then((reply) => reply.status)
        .catch(() => null);
      expect([500, 504, null]).toContain(await lost);
      expect(counted()).toMatchObject({ attempt: 2, retried: 1 });
      const again = await retry('k-1');
      expect(again).toMatchObject({ status: 202, json: { current_attempt: { number: 2 } } });
      expect(counted()).toMatchObject({ retried: 1, retryRequests: 2 });
      expect(caller.sandbox.dossiers.counts().keys).toEqual([{ key: 'k-1', seen: 2, id: dossier }]);
    },
  );

  test.each(['429', '503', '502', 'reset_before', 'no_answer_before', '409_retryable'] as const)(
    'a retry met by %s has not begun',
    async (kind) => {
      hold({ end: 'failure_retryable', retry: [kind] });
      settle();
      const key = { key: 'k-1', signal: AbortSignal.timeout(300) };
      await caller.call('POST', `${base}/retry`, key).catch(() => null);
      expect(counted()).toMatchObject({ attempt: 1, retried: 0 });
      expect((await retry('k-1')).status).toBe(202);
      expect(counted()).toMatchObject({ attempt: 2, retried: 1 });
    },
  );

  test('a key that comes again is refused where the scenario wishes', async () => {
    hold({ end: 'failed' }, { repeatedKey: 'refused' });
    settle();
    await retry('k-1');
    settle();
    expect(await retry('k-1')).toMatchObject({
      status: 409,
      json: { code: 'idempotency_key_used' },
    });
    expect((await retry('k-2')).status).toBe(202);
  });

  test('a key that retried another dossier is refused', async () => {
    hold({ end: 'failed' });
    caller.sandbox.configure({ dossiers: { held: { [another]: { end: 'failed' } } } });
    settle();
    await retry('k-1');
    const { status: code, json } = await caller.call('POST', `/api/v1/dossies/${another}/retry`, {
      key: 'k-1',
    });
    expect([code, json['code']]).toEqual([422, 'idempotency_key_mismatch']);
  });

  test.each([
    ['no key', {}, 'idempotency_key_missing'],
    ['a key of 256 characters', { key: 'k'.repeat(256) }, 'idempotency_key_too_long'],
    ['a body', { key: 'k-1', body: { mode: 'modular' } }, 'unexpected_body'],
  ])('a retry with %s is 400', async (_, withWhat, code) => {
    hold({ end: 'failed' });
    settle();
    expect(await caller.call('POST', `${base}/retry`, withWhat)).toMatchObject({
      status: 400,
      json: { code },
    });
    expect(counted()).toMatchObject({ retried: 0 });
  });

  test('a key of 255 characters is taken', async () => {
    hold({ end: 'failed' });
    settle();
    expect((await retry('k'.repeat(255))).status).toBe(202);
  });

  test.each([
    ['one that is queued', {}, 0],
    ['one that runs', {}, 1_500],
    ['one that is completed', {}, untilSettledMs],
  ])('%s is not eligible for a retry', async (_, script, afterMs) => {
    hold(script);
    caller.sandbox.clock.advance(afterMs);
    expect(await retry('k-1')).toMatchObject({
      status: 409,
      json: { code: 'dossie_not_retryable', retryable: false },
    });
  });

  test('a cancellation is accepted and takes its time', async () => {
    hold({}, { cancelMs: [1_000, 1_000] });
    caller.sandbox.clock.advance(1_500);
    expect(await cancel()).toMatchObject({ status: 202, json: { status: 'running' } });
    caller.sandbox.clock.advance(1_000);
    expect((await status()).json).toMatchObject({
      status: 'cancelled',
      current_attempt: { status: 'cancelled', billing: { status: 'not_charged' } },
    });
    expect((await cancel()).status).toBe(202);
  });

  test('a review can be left by a cancellation, or by another attempt', async () => {
    hold({ end: 'needs_review' });
    settle();
    expect((await status()).json).toMatchObject({ status: 'needs_review', artifacts: [{}] });
    expect(await cancel()).toMatchObject({ status: 202, json: { status: 'cancelled' } });
    expect((await status()).json['artifacts']).toEqual([]);
    expect((await retry('k-1')).json).toMatchObject({ current_attempt: { number: 2 } });
    settle();
    expect((await status()).json['status']).toBe('completed');
  });

  test('a dossier can be stale', async () => {
    hold({ stale: true });
    expect((await status()).json['stale']).toBe(true);
  });

  test('a cancellation can come too late, be refused, or change nothing', async () => {
    hold({ cancelling: 'runs_on' });
    expect((await cancel()).status).toBe(202);
    settle();
    expect((await status()).json['status']).toBe('completed');
    expect(await cancel()).toMatchObject({ status: 409, json: { code: 'dossie_not_cancellable' } });
    hold({ cancelling: 'refused' });
    expect((await cancel()).status).toBe(409);
  });

  test('the PDF is had by a signed address of another origin, until it expires', async () => {
    settle();
    const artifact = artifactOf((await status()).json);
    expect(artifact).toEqual({
      id: expect.any(String),
      type: 'dossie_pdf',
      media_type: 'application/pdf',
      status: 'available',
      download_url: expect.stringContaining(`${caller.sandbox.filesOrigin}/files/`),
      expires_at: '2026-01-05T12:05:03.000Z',
      available_until: '2026-02-04T12:00:03.000Z',
    });
    const url = artifact?.['download_url'] ?? '';
    const pdf = await caller.follow('GET', url);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await pdf.arrayBuffer());
    expect((await PDFDocument.load(bytes)).getPageCount()).toBe(1);

    caller.sandbox.clock.advance(300_000);
    const expired = await caller.follow('GET', url);
    expect([expired.status, await expired.text()]).toEqual([
      403,
      expect.stringContaining('<Code>AccessDenied</Code>'),
    ]);
    const fresh = await pdfUrl();
    const again = await caller.follow('GET', fresh);
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);
    expect(counted()).toMatchObject({ pdfs: 2 });
  });

  test('a signed address refuses our token, and another signature', async () => {
    settle();
    const url = await pdfUrl();
    const withToken = await caller.follow('GET', url, { authorization: 'Bearer sandbox-token' });
    expect(withToken.status).toBe(400);
    expect((await caller.follow('GET', `${url}0`)).status).toBe(403);
    expect(caller.sandbox.dossiers.received()).toContainEqual(
      expect.objectContaining({ status: 400, hasAuthorization: true }),
    );
  });

  test('the PDF is had from the service itself where the scenario wishes', async () => {
    hold({}, { links: 'bearer' });
    settle();
    const url = await pdfUrl();
    expect(url).toMatch(/^\/api\/v1\/dossies\//);
    expect((await caller.call('GET', url)).bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await caller.call('GET', url, { headers: { authorization: '' } })).status).toBe(401);
  });

  test('a PDF is gone when it is no longer available', async () => {
    hold({}, { availableMs: 1_000 });
    settle();
    const url = await pdfUrl();
    caller.sandbox.clock.advance(1_000);
    expect((await caller.follow('GET', url)).status).toBe(404);
    expect((await status()).json['artifacts']).toEqual([]);
  });

  test.each([
    ['not_a_pdf', 200],
    ['empty_pdf', 200],
    ['expired_link', 403],
    ['404', 404],
    ['500_html', 500],
  ] as const)('%s strikes a download', async (kind, code) => {
    hold({ pdf: [kind] });
    settle();
    const url = await pdfUrl();
    const struck = await caller.follow('GET', url);
    expect(struck.status).toBe(code);
    expect((await struck.text()).startsWith('%PDF-')).toBe(false);
    expect((await (await caller.follow('GET', url)).text()).startsWith('%PDF-')).toBe(true);
  });

  test.each([
    ['both', true, true],
    ['status', true, false],
    ['list', false, true],
    ['none', false, false],
  ] as const)('artifacts and result are shown in %s', async (shownIn, inStatus, inList) => {
    hold({ shownIn });
    settle();
    const [listed] = (await list()).json['data'] as Record<string, unknown>[];
    for (const [json, shown] of [
      [(await status()).json, inStatus],
      [listed ?? {}, inList],
    ] as const) {
      expect([Object.hasOwn(json, 'artifacts'), Object.hasOwn(json, 'result')]).toEqual([
        shown,
        shown,
      ]);
    }
  });

  test('a list is filtered by status and walked by cursor', async () => {
    caller.sandbox.configure({
      dossiers: { seeded: { dossiers: 5 }, pattern: { end: 'failed' }, held: { [dossier]: {} } },
    });
    settle();
    const first = await list('?status=failed&limit=3');
    const page = first.json['page'] as { next_cursor: string; has_more: boolean };
    expect(page.has_more).toBe(true);
    const rest = await list(`?status=failed&limit=3&cursor=${page.next_cursor}`);
    expect(rest.json['page']).toEqual({ next_cursor: null, has_more: false });
    const ids = [first, rest].flatMap(({ json }) =>
      (json['data'] as { id: string }[]).map(({ id }) => id),
    );
    expect(ids).toEqual([5, 4, 3, 2, 1].map(seededDossierId));
    expect((await list('?status=needs_review')).json['data']).toEqual([]);
  });

  test('a list that shifts skips as many as left the filter', async () => {
    caller.sandbox.configure({
      dossiers: { cursors: 'shifting', seeded: { dossiers: 4 }, pattern: { end: 'failed' } },
    });
    settle();
    const { page } = (await list('?status=failed&limit=2')).json;
    caller.sandbox.dossiers.retryElsewhere(seededDossierId(4));
    const cursor = (page as { next_cursor: string }).next_cursor;
    const { data } = (await list(`?status=failed&limit=2&cursor=${cursor}`)).json;
    expect(data).toMatchObject([{ id: seededDossierId(1) }]);
  });

  test.each([
    ['?limit=0', 'invalid_page_size'],
    ['?limit=101', 'invalid_page_size'],
    ['?status=done', 'invalid_filter'],
    ['?cursor=abc', 'invalid_cursor'],
    ['?type=cpf', 'unknown_parameter'],
    ['?limit=1&limit=2', 'repeated_parameter'],
  ])('a list with %s is refused as %s', async (query, code) => {
    expect(await list(query)).toMatchObject({ status: 400, json: { code } });
  });

  test('a list can be told wrongly', async () => {
    hold({}, { calls: { list: ['bad_item', 'repeated_cursor', 'unknown_status'] } });
    expect((await list()).json['data']).toMatchObject([{ id: 7 }, { id: dossier }]);
    const cursor = Buffer.from('{"skip":0}').toString('base64url');
    expect((await list(`?cursor=${cursor}`)).json['page']).toEqual({
      next_cursor: cursor,
      has_more: true,
    });
    expect((await list()).json['data']).toMatchObject([{ status: 'aguardando_revisao' }]);
  });

  test.each([
    ['unknown_status', { status: 'aguardando_revisao' }],
    ['extra_fields', { campo_novo: expect.any(String) }],
  ] as const)('%s strikes a status', async (kind, told) => {
    hold({ status: [{ kind, times: 1 }] });
    expect((await status()).json).toMatchObject(told);
    expect((await status()).json['status']).toBe('queued');
  });

  test('another client retries and cancels', async () => {
    hold({ end: 'failed' });
    settle();
    expect((await status()).json).toMatchObject({
      status: 'failed',
      current_attempt: { number: 1 },
    });
    const { json } = await caller.control('POST', 'dossiers/retry', { dossieId: dossier });
    expect(json).toEqual({ attempt: 2 });
    expect(counted()).toMatchObject({ attempt: 2, retried: 0 });
    await caller.control('POST', 'dossiers/cancel', { dossieId: dossier });
    expect((await status()).json).toMatchObject({ status: 'cancelled' });
    expect((await caller.control('GET', 'dossiers/state')).json).toMatchObject([
      { dossier: { id: dossier, status: 'cancelled' }, endings: ['failed', 'failed'] },
    ]);
  });

  test.each([
    ['an unknown dossier', `/api/v1/dossies/${another}/status`, 404, 'dossie_not_found'],
    ['an id that is no UUID', '/api/v1/dossies/d-1/status', 400, 'invalid_id'],
    ['an unknown route', base, 404, 'unknown_route'],
    ['an unknown parameter', `${base}/status?full=1`, 400, 'unknown_parameter'],
  ])('%s is told', async (_, path, code, word) => {
    expect(await caller.call('GET', path)).toMatchObject({ status: code, json: { code: word } });
  });

  test('a wrong method is 405, and no token is 401 on every route', async () => {
    expect((await caller.call('DELETE', `${base}/status`)).status).toBe(405);
    for (const [method, path] of [
      ['GET', '/api/v1/dossies'],
      ['GET', `${base}/status?token=sandbox-token`],
      ['POST', `${base}/retry`],
      ['POST', `${base}/cancel`],
    ] as const) {
      const { status: code } = await caller.call(method, path, { headers: { authorization: '' } });
      expect(code).toBe(401);
    }
  });

  test('the rate limit of dossiers is their own', async () => {
    hold({}, { rateLimitPerSecond: 2 });
    expect([(await status()).status, (await status()).status]).toEqual([200, 200]);
    expect(await status()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await caller.call('GET', '/api/v1/rastro')).status).toBe(200);
  });

  test('the log tells what came, and a reset begins anew', async () => {
    hold({ end: 'failed' });
    settle();
    await retry('k-1');
    expect((await caller.control('GET', 'dossiers/received')).json).toMatchObject([
      {
        number: 1,
        at: '2026-01-05T12:00:03.000Z',
        method: 'POST',
        stage: 'retry',
        subject: dossier,
        id: dossier,
        key: 'k-1',
        status: 202,
        accepted: true,
        hasAuthorization: true,
      },
    ]);
    await caller.control('POST', 'reset');
    expect((await caller.control('GET', 'dossiers/counts')).json).toEqual({
      calls: { list: 0, status: 0, retry: 0, cancel: 0, pdf: 0 },
      keys: [],
      items: [],
    });
  });

  test.each([
    [{ held: { 'd-1': {} } }, 'dossiers.held.d-1'],
    [{ held: { [dossier]: { end: 'done' } } }, 'end'],
    [{ calls: { status: ['403_custom_not_enabled'] } }, 'dossiers.calls.status[0]'],
    [{ background: { rate: 2 } }, 'dossiers.background.rate'],
  ])('a scenario with %j is refused and says where', async (dossiers, where) => {
    expect(() => caller.sandbox.configure({ dossiers: dossiers as DossierPatch })).toThrow(where);
  });
});
