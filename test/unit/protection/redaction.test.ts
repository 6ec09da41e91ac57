import { parse } from 'csv-parse/sync';
import { request } from 'undici';
import { z } from 'zod';
import { ConfigError } from '../../../src/environment';
import {
  errorLine,
  hideSecret,
  hideSecretsOf,
  maskDocumentsIn,
  maskTextOfPeople,
  redactError,
  redactText,
  redactValue,
} from '../../../src/protection/redaction';

describe('text of other people', () => {
  it.each([
    ['12345678909', '***.456.789-**'],
    ['123.456.789-09', '***.456.789-**'],
    ['123 456 789 09', '***.456.789-**'],
    ['(11222333000181)', '(11.***.***/****-81)'],
    ['11.222.333/0001-81;', '11.***.***/****-81;'],
    ['12.ABC.345/01DE-35', '12.***.***/****-35'],
    ['111.111.111-11 and 11222333000180', '***.111.111-** and 11.***.***/****-80'],
  ])('that reads %j is shown as %j, also when the digits do not agree', (text, shown) => {
    expect(maskTextOfPeople(text)).toBe(shown);
  });

  it.each([
    'order 2026110312',
    'NF-e 123456',
    'certificate-batch/318eb6ede1bfc4fa1055338604451b92/20261121T101530123Z',
    '6a0c2b1e-3f5d-4c7a-9b8e-1d2f3a4b5c6d',
    'PAGAMENTOSRECENTES',
    '21/11/2026 18:00:00',
  ])('that reads %j stays as it is', (text) => {
    expect(maskTextOfPeople(text)).toBe(text);
    expect(maskDocumentsIn(text)).toBe(text);
  });
});

describe('text for a log', () => {
  it('holds no key of a profile file, as such files spell it', () => {
    expect(redactText('api_key = "tcloud-abcdef"')).not.toContain('tcloud');
  });

  it('is searched in no time, however long its words', () => {
    const startedAt = Date.now();
    redactText('a'.repeat(50_000));
    expect(Date.now() - startedAt).toBeLessThan(1_000);
  });

  it.each([
    ['{"cpf":"12345678909"}', '{"cpf":"***.456.789-**"}'],
    ['{\\"cpf\\":\\"x\\n12345678909\\"}', '{\\"cpf\\":\\"x\\n***.456.789-**\\"}'],
    ['/documentos/11.222.333%2F0001-81/pdf', '/documentos/11.***.***/****-81/pdf'],
    ['identificado 11.222.333/0001-81', 'identificado 11.***.***/****-81'],
    ['CPF12345678909', 'CPF***.456.789-**'],
    ['CNPJ 12.abc.345/01de-35.', 'CNPJ 12.***.***/****-35.'],
    ['111.111.111-11', '***.111.111-**'],
    ['doc_12345678909_x', 'doc_***.456.789-**_x'],
  ])('that reads %j is shown as %j', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  it.each(['took 12345678900 ns', '20261121101530', '1763719200000', '12.345.678,90', 'v1.2.3-45'])(
    'that reads %j has no document in it, and stays as it is',
    (text) => {
      expect(redactText(text)).toBe(text);
    },
  );

  it.each([
    [
      'GET https://a.test/c/1/pdf?token=abcdef&x=1 failed',
      'GET https://a.test/c/1/pdf?[query] failed',
    ],
    ['GET /c/1/pdf?token=abcdef', 'GET /c/1/pdf?[query]'],
    ['"https://user:word@a.test/x"', '"https://[secret]@a.test/x"'],
    ['authorization: Bearer abc def', 'authorization: [secret]'],
    ['{"Authorization":"Bearer abcdef","a":1}', '{"Authorization":"[secret]","a":1}'],
    ['Set-Cookie: sid=1; path=/\nnext', 'Set-Cookie: [secret]\nnext'],
    ['sent Bearer abcdef.ghi-jkl', 'sent Bearer [secret]'],
    ['certificates?token=abcdef&a=b', 'certificates?token=[secret]&a=b'],
    ['{"access_token":"abc-4711"}', '{"access_token":"[secret]"}'],
  ])('that reads %j is shown as %j', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  it('keeps sentences about tokens and addresses', () => {
    for (const text of [
      'INVESTIGATION_TOKEN: is not set, though INVESTIGATION_BASE_URL is',
      'http://127.0.0.1:7233 does not answer; is it there? yes',
      'the token file cannot be read (ENOENT)',
    ]) {
      expect(redactText(text)).toBe(text);
    }
  });

  it('never shows a secret that it was told of, nor the form that an address gives it', () => {
    hideSecret(' Segredo+do/Teste \n');
    hideSecretsOf({
      A_TOKEN: 'first-word',
      KEYS_OF_US: 'k-1:deadbeefdead,k-2:feedfacefeed',
      DILIGENCE_PAYLOAD_KEYS: 'k-a:0123456789abcdef,k-b:fedcba9876543210',
      HOME: '/home/ana.souza',
    });
    const text =
      'Segredo+do/Teste Segredo%2Bdo%2FTeste first-word k-a:0123456789abcdef fedcba9876543210';
    expect(redactText(text)).toBe('[secret] [secret] [secret] k-a:[secret] [secret]');
    expect(redactText('/home/ana.souza')).toBe('/home/ana.souza');
  });

  it('is cut where it is longer than anybody reads', () => {
    expect(redactText('x '.repeat(100_000)).length).toBeLessThan(9_000);
  });
});

describe('a structure for a log', () => {
  it('keeps its shape, and loses what the table names', () => {
    expect(
      redactValue({
        taskQueue: 'certificates-a1b2c3d4',
        attempt: 2,
        Authorization: ['Bearer x'],
        'set-cookie': 'a',
        certificatesToken: 7,
        documento: '99',
        identifier: '11.444',
        cnpj: 11222333000181,
        nome: 'Maria',
        body: { anything: 1 },
        rows: [{ cpf: '123.456.789-09', note: 'see 12345678909' }],
        '12345678909': null,
        count: 12345678909,
        big: 12n,
        bytes: Buffer.from('Maria'),
        at: new Date(0),
        done: () => 'Maria',
      }),
    ).toEqual({
      taskQueue: 'certificates-a1b2c3d4',
      attempt: 2,
      Authorization: '[secret]',
      'set-cookie': '[secret]',
      certificatesToken: '[secret]',
      documento: '***',
      identifier: '***',
      cnpj: '11.***.***/****-81',
      nome: '[left out]',
      body: '[left out]',
      rows: [{ cpf: '***.456.789-**', note: 'see ***.456.789-**' }],
      '***.456.789-**': null,
      count: '***.456.789-**',
      big: '12',
      bytes: '[5 bytes]',
      at: '1970-01-01T00:00:00.000Z',
      done: '[left out]',
    });
  });

  it('is bounded: circles, depth, length', () => {
    const circle: Record<string, unknown> = { list: Array.from({ length: 500 }, (_, n) => n) };
    circle['self'] = circle;
    for (let n = 0; n < 500; n += 1) circle[`field${n}`] = n;
    const text = JSON.stringify(redactValue(circle));
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain('460 more');
  });

  it('leaves out what throws when it is looked at', () => {
    const trap = {
      get sprung(): string {
        throw new Error('Maria');
      },
    };
    expect(redactValue({ trap, a: 1 })).toEqual({ trap: '[left out]', a: 1 });
  });
});

describe('an error', () => {
  const quoted = 'Maria';

  async function thrownBy(work: () => unknown): Promise<unknown> {
    try {
      await work();
    } catch (error) {
      return error;
    }
    throw new Error('nothing was thrown');
  }

  it.each<[string, () => unknown]>([
    ['JSON.parse', () => JSON.parse(`{"nome":${quoted}`)],
    ['JSON.parse inside what it read', () => JSON.parse(`${quoted} 12345678909`)],
    ['BigInt', () => BigInt(quoted)],
    ['zod', () => z.record(z.literal('a'), z.number()).parse({ [quoted]: 1 })],
    [
      'zod with a sentence of its own',
      () =>
        z
          .string()
          .refine(() => false, quoted)
          .parse(''),
    ],
    ['csv-parse', () => parse(`a\n"b"${quoted}`)],
    [
      'undici, of a header',
      () => request('http://127.0.0.1:1/', { headers: { [`${quoted}\n`]: '' } }),
    ],
    ['undici, of an address', () => request(`${quoted} no address`)],
    ['Node, of an argument', () => Buffer.from({ nome: quoted } as never)],
    ['decodeURIComponent', () => decodeURIComponent(`%${quoted}`)],
  ])('of %s is told by its name and code alone', async (_name, work) => {
    const error = await thrownBy(work);
    expect(redactError(error)).toMatchObject({ message: null });
    const told = `${JSON.stringify(redactError(error))} ${errorLine(error)}`;
    expect(told).not.toContain(quoted);
    expect(told).not.toContain('12345678909');
    expect(redactError(error).name).toMatch(/Error$/);
    expect(redactError(error).at).not.toEqual([]);
  });

  it('of a package that throws plain errors is told by its name alone', () => {
    const error = new Error(`closing tag ${quoted}`);
    error.stack = `Error: closing tag ${quoted}\n    at parse (/x/node_modules/saxen/dist/parser.js:1:2)\n    at ours (/x/dist/a.js:1:2)`;
    expect(redactError(error)).toMatchObject({ message: null });
    error.stack = `Error: closing tag ${quoted}\n    at ours (/x/dist/a.js:1:2)`;
    expect(redactError(error)).toMatchObject({ message: `closing tag ${quoted}` });
  });

  it('whose message pretends to be a stack deceives nobody', () => {
    const error = new Error(`a\n    at ours (/x/dist/a.js:1:2)\n${quoted}`);
    error.stack = `Error: ${error.message}\n    at parse (/x/node_modules/saxen/a.js:1:2)`;
    expect(redactError(error)).toMatchObject({ message: null });
    error.stack = `    at ours (/x/dist/a.js:1:2)`;
    expect(redactError(error)).toMatchObject({ message: null });
  });

  it('of ours keeps its sentence, with its causes', () => {
    const cause = Object.assign(new Error('open /x/12345678909.csv'), { code: 'ENOENT' });
    const error = new ConfigError('A_VARIABLE', 'is not set');
    error.cause = cause;
    expect(redactError(error)).toMatchObject({
      name: 'ConfigError',
      code: null,
      message: 'A_VARIABLE: is not set',
      causes: [{ code: 'ENOENT', message: 'open /x/***.456.789-**.csv' }],
    });
    expect(redactError(error).at[0]).toContain('redaction.test.ts');
    expect(errorLine(error)).toBe('ConfigError: A_VARIABLE: is not set');
  });

  it('shows nothing of its own fields, and of what is no error only text', () => {
    const error = Object.assign(new Error('failed'), {
      input: quoted,
      token: 'x',
      code: quoted + ' ',
    });
    expect(JSON.stringify(redactError(error))).not.toContain(quoted);
    expect(errorLine('see 12345678909')).toBe('Error: see ***.456.789-**');
    expect(errorLine({ nome: quoted })).not.toContain(quoted);
  });

  it('that is its own cause ends', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(redactError(error)).length).toBeLessThan(20_000);
  });
});
