import { Writable } from 'node:stream';
import { redactedLog } from '../../../src/protection/redacted-log';
import { Token } from '../../../src/apis/http/token';

function logged(work: (log: ReturnType<typeof redactedLog>) => void): Record<string, unknown>[] {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  work(redactedLog('debug', stream));
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a redacted log', () => {
  it('redacts what is told, and what is told about it', () => {
    Token.of('a-token-of-4711');
    const lines = logged((log) => {
      log.debug({ document: '12345678909', url: 'https://a.test/x?token=y' }, 'sent 12345678909');
      log.info('%s was taken, %j too', '123.456.789-09', { token: 1 });
      log.warn({ cpf: '12345678909', lane: 1 }, 'with a-token-of-4711');
    });
    expect(lines).toMatchObject([
      { document: '***.456.789-**', url: 'https://a.test/x?[query]', msg: 'sent ***.456.789-**' },
      { msg: '***.456.789-** was taken, {"token":"[secret]"} too' },
      { cpf: '***.456.789-**', lane: 1, msg: 'with [secret]' },
    ]);
  });

  it.each([
    ['alone', (log: ReturnType<typeof redactedLog>, error: Error) => log.error(error)],
    ['beside words', (log: ReturnType<typeof redactedLog>, error: Error) => log.error(error, 'no')],
    [
      'as a field',
      (log: ReturnType<typeof redactedLog>, error: Error) => log.error({ error }, 'no'),
    ],
    ['as err', (log: ReturnType<typeof redactedLog>, error: Error) => log.error({ err: error })],
  ])('tells an error that is logged %s without what it quotes', (_how, log) => {
    let error = new Error('not thrown');
    try {
      JSON.parse('{"nome": Maria, "cpf": 12345678909}');
    } catch (thrown) {
      error = thrown as Error;
    }
    const [line] = logged((to) => log(to, error));
    const text = JSON.stringify(line);
    expect(text).toContain('"name":"SyntaxError"');
    expect(text).toContain('redacted-log.test.ts');
    expect(text).not.toContain('Maria');
    expect(text).not.toContain('12345678909');
  });
});
