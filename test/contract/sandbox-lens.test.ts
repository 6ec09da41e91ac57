import type { ScenarioPatch } from '../../src/sandbox';
import {
  sha256Of,
  startResourceCaller,
  untilSettledMs,
  type ResourceCaller,
} from '../unit/sandbox/resource-caller';

type LensPatch = NonNullable<ScenarioPatch['lens']>;
type Script = NonNullable<NonNullable<LensPatch['files']>[string]>;

const path = '/api/v1/lente/analyses';
const image = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('pixels')]);
const file = { size_bytes: image.length, sha256: sha256Of(image) };

interface Upload {
  method: string;
  url: string;
  headers: Record<string, string>;
  expires_at: string;
}

describe('the analyses of the sandbox', () => {
  let caller: ResourceCaller;
  beforeEach(async () => {
    caller = await startResourceCaller();
  });
  afterEach(() => caller.close());

  const script = (of: Script, more: LensPatch = {}) =>
    caller.sandbox.configure({ lens: { ...more, files: { [file.sha256]: of } } });
  const create = (key = 'k-1', body: unknown = { file }) =>
    caller.call('POST', path, { key, body });
  const read = (id: unknown) => caller.call('GET', `${path}/${String(id)}`);
  const settle = () => caller.sandbox.clock.advance(untilSettledMs);
  const counted = () => caller.sandbox.lens.counts().items[0];
  const put = (upload: Upload, bytes = image, headers = upload.headers) =>
    caller.follow('PUT', upload.url, headers, bytes);

  async function created() {
    const { json } = await create();
    return { id: String(json['id']), upload: json['upload'] as Upload };
  }

  async function uploaded(): Promise<string> {
    const { id, upload } = await created();
    expect((await put(upload)).status).toBe(200);
    return id;
  }

  test('an analysis awaits its file, and tells exactly how to send it', async () => {
    const { status, json } = await create();
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(String),
      object: 'lente_analysis',
      mode: 'geo',
      status: 'awaiting_upload',
      file: { media_type: 'application/octet-stream', ...file, upload_status: 'pending' },
      billing: { status: 'not_charged', amount: 0, unit: 'tokens' },
      artifacts: [],
      upload: {
        method: 'PUT',
        url: expect.stringContaining(caller.sandbox.filesOrigin),
        headers: {
          'content-type': 'application/octet-stream',
          'x-checksum-sha256': Buffer.from(file.sha256, 'hex').toString('base64'),
        },
        expires_at: '2026-01-05T12:15:00.000Z',
      },
      poll_after_seconds: 2,
      created_at: '2026-01-05T12:00:00.000Z',
      updated_at: '2026-01-05T12:00:00.000Z',
    });
    expect(caller.sandbox.filesOrigin).not.toBe(caller.sandbox.origin);
  });

  test('the upload starts it, and it is completed with artifacts', async () => {
    const id = await uploaded();
    const queued = (await read(id)).json;
    expect(queued).toMatchObject({
      status: 'queued',
      file: { media_type: 'image/png', upload_status: 'uploaded' },
      submitted_at: '2026-01-05T12:00:00.000Z',
    });
    expect(queued).not.toHaveProperty('upload');
    caller.sandbox.clock.advance(1_500);
    expect((await read(id)).json).toMatchObject({
      status: 'running',
      started_at: '2026-01-05T12:00:01.000Z',
    });
    settle();
    const { json } = await read(id);
    expect(json).toMatchObject({
      status: 'completed',
      billing: { status: 'charged', amount: 12 },
      result: { hypotheses: expect.any(Array), evidence: expect.any(Array) },
      completed_at: '2026-01-05T12:00:03.000Z',
      artifacts: [{ type: 'input_image' }, { type: 'analysis_report' }],
    });
    expect(counted()).toMatchObject({ requested: 1, created: 1, uploadTries: 1, uploads: 1 });
  });

  test('artifacts are had until their address expires, and again by a new one', async () => {
    const id = await uploaded();
    settle();
    const artifact = async (index: number) =>
      ((await read(id)).json['artifacts'] as Record<string, string>[])[index] ?? {};
    const input = await artifact(0);
    expect(input).toEqual({
      id: expect.any(String),
      type: 'input_image',
      status: 'available',
      url: expect.stringContaining(caller.sandbox.filesOrigin),
      url_expires_at: '2026-01-05T12:05:03.000Z',
      available_until: '2026-02-04T12:00:03.000Z',
    });
    const bytes = await (await caller.follow('GET', input['url'] ?? '')).arrayBuffer();
    expect(Buffer.from(bytes).equals(image)).toBe(true);
    caller.sandbox.clock.advance(300_000);
    expect((await caller.follow('GET', input['url'] ?? '')).status).toBe(403);
    const report = await caller.follow('GET', (await artifact(1))['url'] ?? '');
    expect((await report.text()).startsWith('%PDF-')).toBe(true);
    caller.sandbox.clock.advance(30 * 86_400_000);
    expect((await read(id)).json['artifacts']).toEqual([]);
  });

  test.each([
    ['another method', { method: 'POST' }, 405],
    ['our token', { headers: { authorization: 'Bearer sandbox-token' } }, 400],
    ['another content type', { headers: { 'content-type': 'image/png' } }, 403],
    ['another sum in the header', { headers: { 'x-checksum-sha256': 'AAAA' } }, 403],
    ['fewer bytes', { bytes: image.subarray(1) }, 400],
    ['other bytes of the same length', { bytes: Buffer.alloc(image.length) }, 400],
    ['another signature', { suffix: '0' }, 403],
  ])('an upload with %s is refused, and the analysis goes on waiting', async (_, wrong, status) => {
    const { id, upload } = await created();
    const {
      method = 'PUT',
      headers = {},
      bytes = image,
      suffix = '',
    } = wrong as {
      method?: string;
      headers?: Record<string, string>;
      bytes?: Buffer;
      suffix?: string;
    };
    const refused = await caller.follow(
      method,
      upload.url + suffix,
      { ...upload.headers, ...headers },
      bytes,
    );
    expect(refused.status).toBe(status);
    expect(refused.headers.get('content-type')).toBe('application/xml');
    expect((await read(id)).json['status']).toBe('awaiting_upload');
    expect((await put(upload)).status).toBe(200);
    expect(counted()).toMatchObject({ uploads: 1 });
  });

  test('an upload without its length is refused', async () => {
    const { upload } = await created();
    const chunked = await fetch(upload.url, {
      method: 'PUT',
      headers: upload.headers,
      body: new Blob([image]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(411);
  });

  test('an upload that does not come in time expires, with its analysis', async () => {
    script({ uploadMs: [1_000, 60_000] });
    const { id, upload } = await created();
    caller.sandbox.clock.advance(1_000);
    expect((await put(upload)).status).toBe(403);
    const { json } = await read(id);
    expect(json).toMatchObject({
      status: 'expired',
      file: { upload_status: 'expired' },
      billing: { status: 'not_charged' },
    });
    expect(json).not.toHaveProperty('upload');
    const again = await create('k-2');
    expect((await put(again.json['upload'] as Upload)).status).toBe(200);
    expect(counted()).toMatchObject({ created: 2, uploads: 1 });
  });

  test('a repeated upload is taken and starts nothing', async () => {
    const { id, upload } = await created();
    await put(upload);
    settle();
    expect((await put(upload)).status).toBe(200);
    expect((await read(id)).json).toMatchObject({
      status: 'completed',
      submitted_at: '2026-01-05T12:00:00.000Z',
    });
    expect(counted()).toMatchObject({ uploads: 2 });
  });

  test.each([
    ['reset_after', null, true],
    ['500_html_after', 500, true],
    ['reset_before', null, false],
    ['503', 503, false],
    ['expired_link', 403, false],
  ] as const)('%s strikes an upload', async (kind, status, acts) => {
    script({ upload: [kind] });
    const { id, upload } = await created();
    const struck = await put(upload).then(
      (reply) => reply.status,
      () => null,
    );
    expect(struck).toBe(status);
    expect((await read(id)).json['status']).toBe(acts ? 'queued' : 'awaiting_upload');
    expect((await put(upload)).status).toBe(200);
  });

  test.each(['wrong_sha256', 'empty_pdf', 'not_a_pdf', 'expired_link'] as const)(
    '%s strikes an artifact once',
    async (kind) => {
      script({ artifact: [kind] });
      const id = await uploaded();
      settle();
      const [input] = (await read(id)).json['artifacts'] as { url: string }[];
      const sum = async () =>
        sha256Of(Buffer.from(await (await caller.follow('GET', input?.url ?? '')).arrayBuffer()));
      expect(await sum()).not.toBe(file.sha256);
      expect(await sum()).toBe(file.sha256);
    },
  );

  test('the mode is chosen in the body where there is a field for it', async () => {
    expect((await create('k-1', { file, mode: 'face' })).json['mode']).toBe('face');
    script({}, { modeField: 'tipo' });
    expect((await create('k-2', { file, tipo: 'face' })).json['mode']).toBe('face');
    expect((await create('k-3')).json['mode']).toBe('geo');
    expect((await create('k-4', { file, mode: 'geo' })).status).toBe(400);
    script({}, { modeField: null });
    expect((await create('k-5', { file, tipo: 'geo' })).status).toBe(400);
  });

  test('an analysis can wait for its submission', async () => {
    script({}, { submit: true });
    const { id, upload } = await created();
    const submit = () => caller.call('POST', `${path}/${id}/submit`);
    expect((await submit()).status).toBe(409);
    await put(upload);
    expect((await read(id)).json).toMatchObject({
      status: 'awaiting_upload',
      file: { upload_status: 'uploaded' },
    });
    expect(await submit()).toMatchObject({ status: 202, json: { status: 'queued' } });
    script({}, { submit: false });
    expect((await submit()).status).toBe(404);
  });

  test.each([
    ['failed', 'failed', false],
    ['failure_retryable', 'failed', true],
    ['cancelled', 'cancelled', undefined],
    ['expired', 'expired', undefined],
    ['no_result', 'completed', undefined],
    ['never_settles', 'running', undefined],
  ] as const)('%s ends as %s', async (end, status, retryable) => {
    script({ end });
    const id = await uploaded();
    settle();
    const { json } = await read(id);
    expect(json['status']).toBe(status);
    expect(json).not.toHaveProperty('result');
    expect((json['failure'] as { retryable?: boolean } | undefined)?.retryable).toBe(retryable);
  });

  test('no_artifacts has a result and nothing to download', async () => {
    script({ end: 'no_artifacts' });
    const id = await uploaded();
    settle();
    expect((await read(id)).json).toMatchObject({ artifacts: [], result: expect.anything() });
  });

  test('a key begins one analysis, whatever became of its answer', async () => {
    script({ create: ['reset_after', 'missing_id'] });
    await expect(create()).rejects.toThrow(/closed|reset|terminated/i);
    expect((await create()).json).not.toHaveProperty('id');
    const { json } = await create();
    expect(json['status']).toBe('awaiting_upload');
    expect(counted()).toMatchObject({ requested: 3, created: 1 });
    expect(await create('k-1', { file, mode: 'face' })).toMatchObject({ status: 422 });
    caller.sandbox.configure({ lens: { repeatedKey: 'refused' } });
    expect(await create()).toMatchObject({ status: 409, json: { code: 'idempotency_key_used' } });
  });

  test.each([
    ['no key', { body: { file } }, 400],
    ['no file', { key: 'k', body: {} }, 400],
    ['an empty file', { key: 'k', body: { file: { ...file, size_bytes: 0 } } }, 400],
    ['half a byte', { key: 'k', body: { file: { ...file, size_bytes: 1.5 } } }, 400],
    ['a sum that is none', { key: 'k', body: { file: { ...file, sha256: 'abc' } } }, 422],
    ['a name', { key: 'k', body: { file: { ...file, name: 'a.png' } } }, 400],
    ['another mode', { key: 'k', body: { file, mode: 'text' } }, 400],
    ['51 MiB', { key: 'k', body: { file: { ...file, size_bytes: 51 * 1024 ** 2 } } }, 413],
  ])('an analysis of %s is refused', async (_, withWhat, status) => {
    expect((await caller.call('POST', path, withWhat)).status).toBe(status);
    expect(caller.sandbox.lens.state()).toEqual([]);
  });

  test.each([
    ['unknown', 404],
    ['not_allowed', 405],
  ] as const)('the read by id can be %s', async (readRoute, status) => {
    const { id } = await created();
    script({}, { readRoute });
    expect((await read(id)).status).toBe(status);
  });

  test('neither origin serves the routes of the other', async () => {
    const { upload } = await created();
    const { pathname, search } = new URL(upload.url);
    const here = await caller.call('PUT', pathname + search);
    expect(here).toMatchObject({ status: 404, json: { code: 'unknown_route' } });
    const there = await caller.follow('GET', `${caller.sandbox.filesOrigin}${path}`, {
      authorization: 'Bearer sandbox-token',
    });
    expect(there.status).toBe(404);
  });

  test('a file of 20 MiB is summed while it arrives', async () => {
    const large = Buffer.alloc(20 * 1024 ** 2, 7);
    const { json } = await create('k-1', {
      file: { size_bytes: large.length, sha256: sha256Of(large) },
    });
    expect((await put(json['upload'] as Upload, large)).status).toBe(200);
    settle();
    expect((await read(json['id'])).json).toMatchObject({
      status: 'completed',
      artifacts: [{ type: 'analysis_report' }],
    });
  });

  test('no token is 401, and the log tells of both origins', async () => {
    const { upload } = await created();
    await put(upload);
    expect((await caller.call('POST', path, { headers: { authorization: '' } })).status).toBe(401);
    expect((await caller.control('GET', 'lens/received')).json).toMatchObject([
      { stage: 'create', key: 'k-1', status: 201, hasAuthorization: true, body: { file } },
      { stage: 'upload', subject: file.sha256, status: 200, hasAuthorization: false },
      { stage: null, status: 401 },
    ]);
    expect((await caller.control('GET', 'lens/counts')).json).toMatchObject({
      calls: { create: 1, upload: 1, submit: 0, read: 0, artifact: 0 },
      keys: [{ key: 'k-1', seen: 1 }],
    });
  });
});
