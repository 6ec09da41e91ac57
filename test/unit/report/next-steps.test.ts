import type { RowStatus, StoredResultRow } from '../../../src/domain/certificates/certificates';
import { actionFor } from '../../../src/report/certificates/figures';
import { readerOf } from '../../../src/report/reader';
import { resolveLine, shellWord } from '../../../src/report/words';
import { resolveCommand } from '../../../src/starters/resolve';
import { rowOf } from './sample';

const advised = (status: RowStatus, own: Partial<StoredResultRow> = {}) =>
  actionFor(rowOf(status, own));

describe('what is advised', () => {
  it('never begins with a second request for an unknown outcome', () => {
    expect(advised('unknown_outcome')).toBe('watch');
  });

  it('is to ask again for what failed', () => {
    expect(advised('failed', { retryable: true })).toBe('reissue');
  });

  it.each([
    ['failed', { errorCategory: 'evidence' }],
    ['failed', { errorCategory: 'lost', retryable: false }],
    ['expired', {}],
    ['cancelled', { errorCategory: 'cancelled', certidaoId: 'left-at-the-service' }],
  ] as const)('is to look again, which buys nothing, at %s %j', (status, own) => {
    expect(advised(status, own)).toBe('watch');
  });

  it('is to ask for what was never sent, and nothing where a person gave it up', () => {
    expect(advised('cancelled')).toBe('reissue');
    expect(advised('cancelled', { errorCategory: 'abandoned' })).toBeUndefined();
  });

  it.each(['invalid', 'unsupported'] as const)(
    'is no decision about a line that is %s',
    (status) => {
      expect(advised(status)).toBeNull();
    },
  );
});

describe('a command line', () => {
  const batch = 'certificate-batch/318eb6ede1bfc4fa1055338604451b92/20261121T101530123Z';

  /** As a shell would part it, and the command would read it. */
  function read(line: string): Record<string, unknown> {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2] ?? '');
    expect(words.slice(0, 2)).toEqual(['diligence', 'resolve']);
    const command = resolveCommand().exitOverride();
    expect(command.parseOptions(words.slice(2))).toEqual({ operands: [batch], unknown: [] });
    return command.opts();
  }

  const line = (which: string, action: string): string =>
    resolveLine(batch, { action, which }, readerOf('en'));

  it('is one that the command takes', () => {
    expect(read(line('--line 7', 'watch'))).toMatchObject({
      line: [7],
      action: 'watch',
      note: 'why',
    });
    expect(read(line('--status expired', 'abandon'))).toMatchObject({
      status: ['expired'],
      action: 'abandon',
    });
    expect(read(line('--line 7', 'adopt'))).toMatchObject({ externalId: 'UUID' });
  });

  it('quotes a file name that a shell would part or run', () => {
    expect(shellWord('fornecedores.csv')).toBe('fornecedores.csv');
    expect(shellWord("a b'; rm $HOME.csv")).toBe(String.raw`'a b'\''; rm $HOME.csv'`);
  });
});
