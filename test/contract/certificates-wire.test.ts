import { ContractError, StatusError } from '../../src/apis/http/errors';
import { decodeProblem, parseJson } from '../../src/apis/http/problem';
import { resourceFromWire } from '../../src/apis/investigation/resource';
import {
  acceptedIdFromWire,
  issuanceWire,
} from '../../src/apis/investigation/wire/certificates.wire';
import { inOurWords, type Told } from './issuance-in-our-words';

const call = { method: 'GET', pathTemplate: '/certidoes/{certidaoId}' };
const id = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const asBody = (json: unknown) => Buffer.from(JSON.stringify(json));
/** Asks for the id that the body names, unless told otherwise. */
const decode = (
  json: unknown,
  certidaoId = String((json as { certidao_id?: unknown })?.certidao_id),
) => resourceFromWire(issuanceWire, call, parseJson(asBody(json)), ['certidaoId', certidaoId]);

/** Every field of the specification's table at once, which no issuance has. */
const whole: Told = {
  certidao_id: id,
  tipo: 'cndt',
  status: 'completed',
  stage: 'completed',
  result: {
    nome_base: 'ANA BARROS',
    nome_oficial: 'ANA BARROS CASTRO',
    divergente: true,
    fonte_nome: 'Justica do Trabalho',
    capturado_em: '2026-01-05T12:00:03.000Z',
    titular: { nome: 'ANA BARROS CASTRO' },
    classificacao: 'negativa',
  },
  evidence: {
    status: 'available',
    type: 'certidao_pdf',
    mime_type: 'application/pdf',
    pdf_url: `/api/v1/certidoes/${id}/pdf`,
    sha256: 'ab'.repeat(32),
  },
  error: {
    code: 'fonte_indisponivel',
    category: 'source',
    message: 'A fonte nao respondeu.',
    retryable: true,
    retry_after_seconds: 30,
  },
  links: { self: `/api/v1/certidoes/${id}`, pdf: `/api/v1/certidoes/${id}/pdf` },
  created_at: '2026-01-05T12:00:00.000Z',
  started_at: '2026-01-05T12:00:01.000Z',
  completed_at: '2026-01-05T12:00:03.000Z',
};

const optional = [
  'tipo',
  'stage',
  'result',
  'result.nome_base',
  'result.nome_oficial',
  'result.divergente',
  'result.fonte_nome',
  'result.capturado_em',
  'result.titular',
  'result.titular.nome',
  'result.classificacao',
  'evidence',
  'evidence.status',
  'evidence.type',
  'evidence.mime_type',
  'evidence.pdf_url',
  'evidence.sha256',
  'error',
  'error.code',
  'error.category',
  'error.message',
  'error.retryable',
  'error.retry_after_seconds',
  'links',
  'links.self',
  'links.pdf',
  'created_at',
  'started_at',
  'completed_at',
];

/** A copy with the field at the path changed; `undefined` takes it away. */
function changed(field: string, value: unknown): Told {
  const copy = structuredClone(whole);
  const names = field.split('.');
  const last = names.pop() ?? '';
  let place = copy as unknown as Record<string, unknown>;
  for (const name of names) place = place[name] as Record<string, unknown>;
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

describe('an issuance on the wire', () => {
  test('decodes with every field of the table', () => {
    expect(decode(whole)).toEqual(inOurWords(whole));
    expect(decode(whole)).toEqual({
      certidaoId: id,
      state: 'completed',
      statusWord: 'completed',
      stage: 'completed',
      result: {
        classification: 'negativa',
        divergent: true,
        officialName: 'ANA BARROS CASTRO',
        baseName: 'ANA BARROS',
        holderName: 'ANA BARROS CASTRO',
        sourceName: 'Justica do Trabalho',
        capturedAt: '2026-01-05T12:00:03.000Z',
      },
      evidence: {
        pdfUrl: `/api/v1/certidoes/${id}/pdf`,
        linkedPdf: `/api/v1/certidoes/${id}/pdf`,
        sha256: 'ab'.repeat(32),
        isPending: false,
        isNull: false,
      },
      error: {
        code: 'fonte_indisponivel',
        category: 'source',
        message: 'A fonte nao respondeu.',
        retryable: true,
        retryAfterMs: 30_000,
      },
      createdAt: '2026-01-05T12:00:00.000Z',
      completedAt: '2026-01-05T12:00:03.000Z',
    });
  });

  test('decodes with id and status alone', () => {
    const bare = { certidao_id: id, status: 'queued' };
    expect(decode(bare)).toEqual(inOurWords(bare));
    expect(decode(bare)).toMatchObject({ stage: null, result: null, error: null });
  });

  test.each(optional)('decodes without %s', (field) => {
    const told = changed(field, undefined);
    expect(decode(told)).toEqual(inOurWords(told));
  });

  test.each(optional)('decodes with %s null', (field) => {
    const told = changed(field, null);
    expect(decode(told)).toEqual(inOurWords(told));
  });

  test.each(['queued', 'processing', 'completed', 'failed'])('knows the status %s', (status) => {
    expect(decode({ certidao_id: id, status })).toMatchObject({ state: status });
    const statusWord = status.toUpperCase();
    expect(decode({ certidao_id: id, status: statusWord })).toMatchObject({
      state: status,
      statusWord,
    });
  });

  test.each(['waiting_worker', 'accessing_source', 'completed', 'failed', 'nova_etapa'])(
    'shows the stage %s as it is',
    (stage) => {
      expect(decode({ certidao_id: id, status: 'processing', stage }).stage).toBe(stage);
    },
  );

  test.each(['cnpj', 'cndt', 'nome', 'novo_tipo'])('reads an issuance of tipo %s', (tipo) => {
    expect(decode({ ...whole, tipo })).toEqual(inOurWords(whole));
  });

  test.each(['cancelada', 'COMPLETE', ''])('an unlisted status (%j) is unsettled', (status) => {
    expect(decode({ ...whole, status })).toMatchObject({ state: 'unknown', statusWord: status });
  });

  test('drops fields that nobody knows, at every level', () => {
    const { result, evidence, error, links } = whole;
    const novo = [{ a: 1 }];
    const titular = { ...result?.titular, novo };
    const more = {
      ...whole,
      novo,
      result: { ...result, titular, novo },
      evidence: { ...evidence, novo },
      error: { ...error, novo },
      links: { ...links, novo },
    };
    expect(decode(more)).toEqual(inOurWords(whole));
  });

  test('takes a sum in capitals for the same sum', () => {
    const sha256 = 'AB'.repeat(32);
    expect(decode(changed('evidence.sha256', sha256)).evidence.sha256).toBe('ab'.repeat(32));
  });

  test.each([
    ['no id', { status: 'queued' }, 'certidao_id'],
    ['an empty id', { certidao_id: '', status: 'queued' }, 'certidao_id'],
    ['no status', { certidao_id: id }, 'status'],
    ['a status of null', { certidao_id: id, status: null }, 'status'],
    ['a list', [], ''],
    ['null', null, ''],
  ])('refuses %s, and names the place', (_, json, place) => {
    expect(() => decode(json)).toThrow(ContractError);
    try {
      decode(json);
    } catch (error) {
      expect((error as ContractError).issues[0]?.path).toBe(place);
    }
  });

  const acceptance = (json: unknown, location = '') =>
    acceptedIdFromWire(call, { body: json === null ? Buffer.alloc(0) : asBody(json), location });

  test('an acceptance needs its id alone', () => {
    expect(acceptance({ certidao_id: id, status: 7, result: 'x' }, '/certidoes/other')).toBe(id);
  });

  test.each<[string, unknown, string, string?]>([
    ['its link to itself', { links: { self: `/api/v1/certidoes/${id}` } }, ''],
    ['Location alone', null, `/api/v1/certidoes/${id}`],
    ['a whole address', {}, `https://api.example/api/v1/certidoes/${id}/?token=x`],
    ['a relative one', { certidao_id: null }, id],
    ['a number', { certidao_id: 4711 }, '', '4711'],
    [
      'an address that ends in another form of id',
      null,
      '/api/v1/certidoes/cer%3A01KX?a=1',
      'cer:01KX',
    ],
  ])('an id is not lost when an acceptance has it in %s', (_, json, location, named = id) => {
    expect(acceptance(json, location)).toBe(named);
  });

  test.each([
    ['no id', '/login?next=/certidoes'],
    ['a kind', '/api/v1/certidoes/trabalhista'],
    ['two of them', `/api/v1/certidoes/${id}/versions/${id.replace('3', '4')}`],
  ])('an address with %s names no issuance', (_, location) => {
    expect(() => acceptance(null, location)).toThrow(ContractError);
  });

  test.each([
    ['with its kind before it', `sha256:${'ab'.repeat(32)}`],
    ['in base64', Buffer.from('ab'.repeat(32), 'hex').toString('base64')],
  ])('takes a sum %s for the same sum', (_, sha256) => {
    expect(decode(changed('evidence.sha256', sha256)).evidence.sha256).toBe('ab'.repeat(32));
  });

  test('a number in quotes is that number, and a number in the place of a word that word', () => {
    const error = { code: 4012, retryable: 'false', retry_after_seconds: '30' };
    expect(decode({ ...whole, error }).error).toMatchObject({
      code: '4012',
      retryable: false,
      retryAfterMs: 30_000,
    });
  });

  test.each([
    ['pending', true],
    ['available', false],
    ['uma_palavra', false],
  ])('evidence that is %s is to come: %s', (status, isPending) => {
    expect(decode(changed('evidence.status', status)).evidence.isPending).toBe(isPending);
  });

  test('an empty list in the place of the evidence is none', () => {
    expect(decode(changed('evidence', [])).evidence.pdfUrl).toBeNull();
  });

  test('an error that is a sentence is its message', () => {
    expect(decode({ ...whole, error: 'fora do ar' }).error).toMatchObject({
      message: 'fora do ar',
    });
  });

  test('a holder that is no object is as good as missing', () => {
    const { result, state } = decode(changed('result.titular', 'ANA BARROS'));
    expect({ result, state }).toMatchObject({ result: { holderName: null }, state: 'completed' });
  });

  test('an answer about another issuance is refused', () => {
    const body = { certidao_id: 'b8d7', status: 'completed' };
    expect(() => decode(body, 'a1c2')).toThrow('id: another_resource');
  });

  test('a status that is the name of something every object has is unsettled', () => {
    expect(decode({ ...whole, status: 'constructor' }).state).toBe('unknown');
  });
});

describe('a problem on the wire', () => {
  const problem = {
    status: 403,
    code: 'unauthorized',
    detail: 'The token may not do this.',
    request_id: 'req_1',
    retryable: false,
    type: 'https://problems.example/unauthorized',
    title: 'unauthorized',
    instance: '/api/v1/certidoes/cnpj',
  };
  const known = {
    code: 'unauthorized',
    requestId: 'req_1',
    retryable: false,
    hasProblem: true,
    detail: problem.detail,
  };
  const problemOf = (json: unknown) => decodeProblem(asBody(json));

  test('is read with every field of the table', () => {
    expect(problemOf(problem)).toEqual(known);
  });

  test.each([
    ['status', known],
    ['code', known],
    ['detail', { ...known, detail: null }],
    ['request_id', { ...known, requestId: null }],
    ['retryable', { ...known, retryable: null }],
    ['type', known],
    ['title', known],
    ['instance', known],
  ])('is read without %s', (field, expected) => {
    const rest = Object.fromEntries(Object.entries(problem).filter(([name]) => name !== field));
    expect(problemOf(rest)).toEqual(expected);
  });

  test('takes its code from the type where there is no code', () => {
    expect(problemOf({ type: 'https://problems.example/expirou' }).code).toBe('expirou');
  });

  test('is also what the profile answers, and never a page', () => {
    const profile = { success: false, erro: { codigo: 'UNAUTHORIZED', mensagem: 'x' } };
    expect(problemOf(profile)).toMatchObject({ code: 'UNAUTHORIZED', hasProblem: true });
    expect(decodeProblem(Buffer.from('<html></html>'))).toMatchObject({ hasProblem: false });
  });

  test('keeps a code that quotes a value out', () => {
    expect(problemOf({ ...problem, code: 'documento 52998224725', type: 'x' }).code).toBe('x');
  });

  test('is read with optional fields that are null', () => {
    const { code, requestId, retryable, hasProblem } = problemOf({ ...problem, title: null });
    const read = { status: 403, code, requestId, retryable, hasProblem };
    const error = new StatusError(call, {
      ...read,
      retryAfterMs: null,
      location: null,
      elsewhere: false,
      wasNotProcessed: false,
    });
    expect(error.meansCredentials).toBe(true);
  });
});
