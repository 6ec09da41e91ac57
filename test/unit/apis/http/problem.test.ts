import { decodeProblem, parseJson, retryAfterMs } from '../../../../src/apis/http/problem';

const of = (body: unknown) =>
  decodeProblem(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

const nothing = { code: null, requestId: null, retryable: null, hasProblem: false, detail: null };

it("decodes the investigation service's problem", () => {
  const problem = {
    type: 'https://docs.example/errors/rate-limited',
    title: 'Too many requests',
    status: 429,
    code: 'rate_limited',
    request_id: 'req_01:ab.c-d',
    retryable: true,
  };
  expect(of(problem)).toEqual({
    code: 'rate_limited',
    requestId: 'req_01:ab.c-d',
    retryable: true,
    hasProblem: true,
    detail: null,
  });
});

it('takes what the service says of it, without documents, in one line of 500 characters', () => {
  const told = of({ status: 422, detail: 'Linha 3:\n sacado 111.444.777-35\u001b[2J invalido.' });
  expect(told.detail).toBe('Linha 3: sacado ***.444.777-** [2J invalido.');
  const long = `${'x'.repeat(490)} 11144477735 ${'y'.repeat(100)}`;
  expect(of({ detail: long }).detail).toMatch(/^x{490} \*\*\*\.44\.\.\.$/);
  expect(of({ status: 422, detail: ['a'] }).detail).toBeNull();
});

it.each(['message', 'mensagem', 'error', 'erro'])('takes a sentence from %s, too', (field) => {
  expect(of({ [field]: 'Documento 11144477735 bloqueado' })).toEqual({
    ...nothing,
    detail: 'Documento ***.444.777-** bloqueado',
  });
});

it('takes the last word of the type of an RFC 7807 problem without a code', () => {
  const found = of({ type: 'https://docs.example/errors/not-found', title: 'x', status: 404 });
  expect(found).toEqual({ ...nothing, code: 'not-found', hasProblem: true });
});

it('takes no word from the type about:blank', () => {
  expect(of({ type: 'about:blank', title: 'Not Found' })).toEqual({ ...nothing, hasProblem: true });
});

it("decodes the profile lookup's body", () => {
  const body = { success: false, erro: { codigo: 'NAO_ENCONTRADO', mensagem: 'CPF 11144477735' } };
  const detail = 'CPF ***.444.777-**';
  expect(of(body)).toEqual({ ...nothing, code: 'NAO_ENCONTRADO', hasProblem: true, detail });
});

it.each([
  ['a page of a proxy', '<html><body>502 Bad Gateway</body></html>'],
  ['nothing', ''],
  ['cut JSON', '{"code":"rate'],
  ['a JSON text', '"rate_limited"'],
  ['a list', [{ code: 'rate_limited' }]],
  ['null', 'null'],
  ['an empty object', {}],
  ['an object of another kind', { certidao_id: 'c-1' }],
])('finds no problem in %s', (_words, body) => {
  expect(of(body)).toEqual(nothing);
});

it.each(['documento 11144477735 recusado', '11144477735', 'x'.repeat(81), ''])(
  'drops a code that is no word: %s',
  (code) => {
    expect(of({ code, title: 't' })).toEqual({ ...nothing, hasProblem: true });
  },
);

it('drops a request id that could break a line of a log', () => {
  expect(of({ code: 'x_y', request_id: 'a\nb' }).requestId).toBeNull();
});

it('parses JSON and answers undefined to anything else', () => {
  expect(parseJson(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
  expect(parseJson(Buffer.from('%PDF-1.7'))).toBeUndefined();
});

const now = Date.UTC(2026, 10, 21, 12, 0, 0);

it.each<[string | undefined, number | null]>([
  [undefined, null],
  ['', null],
  ['0', 0],
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0.25', 250],
  ['1.0004', 1_001],
  ['-3', null],
  ['+3', null],
  ['1e3', null],
  ['0x10', null],
  ['1,5', null],
  ['7 seconds', null],
  ['soon', null],
  ['soon 5', null],
  ['maybe 1', null],
  ['foo 2001', null],
  ['2026-11-21', null],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:59:30 GMT', 0],
  ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
  ['Xyz, 99 Foo 2026 99:99:99 GMT', null],
])('reads Retry-After %j as %j', (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});
