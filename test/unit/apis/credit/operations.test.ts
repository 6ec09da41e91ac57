import { namesFrom } from '../../../../src/apis/credit/names';
import { acceptedIdFromWire, operationFromWire } from '../../../../src/apis/credit/operations.wire';
import { ContractError } from '../../../../src/apis/http/errors';

/** Shapes of answers that the specification leaves open. */
const names = namesFrom(null, {
  filePart: null,
  enginePart: null,
  idField: null,
  statusField: null,
  failedStatuses: null,
});
const call = { method: 'POST', pathTemplate: '/v1/operations' };
const bytes = (body: unknown) =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const accepted = (body: unknown, location = '') =>
  acceptedIdFromWire(call, names, { body: bytes(body), location });
const operation = (body: unknown, id = 'o-1') => operationFromWire(call, names, id, bytes(body));

describe('the id of an accepted upload', () => {
  test.each<[string, unknown, string]>([
    ['as it is', { id: 'o-1', engine: { id: 'e-1' } }, ''],
    ['behind a byte order mark', '\ufeff{"id": "o-1"}', ''],
    ['under the other name', { operationId: 'o-1' }, ''],
    ['in an envelope', { data: { id: 'o-1', status: 'queued' }, engine: { id: 'e-1' } }, ''],
    ['in an envelope of an envelope', { result: { operacao: { id: 'o-1' } }, warnings: [] }, ''],
    ['in a list of one', [{ id: 'o-1' }], ''],
    ['in a list of one in an envelope', { data: [{ operationId: 'o-1' }] }, ''],
    ['in Location, without a body', '', '/api/v1/v1/operations/o-1'],
    ['in Location, beside a message', { message: 'ok' }, 'https://x/v1/operations/o-1/?a=1'],
    ['in the body rather than in Location', { id: 'o-1' }, '/v1/operations/o-2'],
  ])('is found %s', (_, body, location) => {
    expect(accepted(body, location)).toBe('o-1');
  });

  const uuid = '5579c0b8-831b-4905-9fad-4924b298b023';
  const other = '0f0f64c5-8aeb-4ce2-87cf-2870948e4d9d';
  test.each<[string, unknown, string]>([
    ['under a name that no document tells', { protocolo: uuid, motorId: other, numero: 7 }, ''],
    ['under such a name, wrapped', { data: { protocolo: uuid }, meta: { requestId: other } }, ''],
    ['as a text', `"${uuid}"`, ''],
    ['in a Location of another name', '', `https://x/analises/${uuid}/`],
  ])('is the only UUID that can be it: %s', (_, body, location) => {
    expect(accepted(body, location)).toBe(uuid);
  });

  test.each<[string, unknown, string]>([
    ['one of two UUIDs', { protocolo: uuid, numero: other }, ''],
    ['a UUID of something else', { requestId: uuid, engine_id: other }, ''],
    ['a UUID in the Location of an engine', '', `/v1/engines/${uuid}`],
    ['of an engine', { engine: { id: 'e-1' } }, ''],
    ['one of two', [{ id: 'o-1' }, { id: 'o-2' }], ''],
    ['of two envelopes', { data: { id: 'o-1' }, result: { id: 'o-2' } }, ''],
    ['that would leave the path', { id: '..' }, '/v1/operations/%2e%2e'],
    ['in a Location elsewhere', '', '/v1/engines/e-1'],
    ['in a Location that cannot be read', '', '/v1/operations/%ff'],
  ])('is not guessed: %s', (_, body, location) => {
    expect(() => accepted(body, location)).toThrow(ContractError);
  });

  test('an answer without one is kept, its beginning alone, and is in no message', () => {
    const error = failureOf(() => accepted({ codigo: 'x'.repeat(100_000) }));
    expect(error.answer?.length).toBe(65_536);
    expect(error.answer?.toString()).toContain('"codigo"');
    expect(JSON.stringify([error, error.message])).not.toContain('codigo');
  });
});

function failureOf(act: () => unknown): ContractError {
  try {
    act();
  } catch (error) {
    if (error instanceof ContractError) return error;
  }
  throw new Error('expected a ContractError');
}

describe('an operation', () => {
  test('that has an id of its row beside its own is the one asked for', () => {
    expect(operation({ id: 'row-1', operationId: 'O-1', status: 'DONE' })).toMatchObject({
      operationId: 'o-1',
      statusWord: 'DONE',
    });
    expect(() => operation({ id: 'row-1', operationId: 'o-2' })).toThrow(ContractError);
  });

  test('may be wrapped', () => {
    const answer = { data: { id: 'o-1', status: 'failed', error: 'boom' } };
    expect(operation({ result: answer }).state).toBe('failed');
    expect(operation(answer)).toMatchObject({ state: 'failed', failure: { message: 'boom' } });
    expect(() => operation(answer, 'o-2')).toThrow(ContractError);
  });

  test('says under other names that it failed, and why', () => {
    const erro = { codigo: 'E-7', mensagem: 'Layout' };
    expect(operation({ data: { protocolo: 'o-1', situacao: 'Falhou', erro } })).toMatchObject({
      state: 'failed',
      failure: { code: 'E-7', message: 'Layout' },
    });
    expect(operation({ status: 'failed', motivo: 'Layout' }).failure?.message).toBe('Layout');
    expect(operation({ status: 'running', message: 'ok' }).failure).toBeNull();
  });

  test.each([
    'failed',
    'CANCELED',
    'cancelled',
    'Falha',
    'FALHOU',
    'Rejeitado',
    'rejeitada',
    'Cancelado',
  ])('with the word %s has failed', (status) => {
    expect(operation({ id: 'o-1', status }).state).toBe('failed');
  });

  test.each([
    ['timed_out', true],
    ['EXPIRADA', true],
    ['XPTO', true],
    ['queued', false],
    ['Em análise', false],
    ['DONE', false],
  ])('with the word %s goes on; the word is told: %s', (status, isUnknownWord) => {
    expect(operation({ id: 'o-1', status })).toMatchObject({ state: 'unsettled', isUnknownWord });
  });
});
