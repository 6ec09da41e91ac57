import type { StoredResultRow } from '../../../src/domain/certificates/certificates';
import {
  actionFor,
  adviceFor,
  batchCommandLine,
  type StatusLeft,
} from '../../../src/report/certificates/next-steps';
import { resolveCommand } from '../../../src/starters/resolve';
import { resolveLine } from '../../../src/report/command-line';
import { rowOf } from './sample';

const advised = (status: StatusLeft, own: Partial<StoredResultRow> = {}) =>
  adviceFor({ ...rowOf(status, own), status });

describe('what is advised', () => {
  it('never begins with a second request for an unknown outcome', () => {
    expect(actionFor(advised('unknown_outcome'))).toBe('watch');
  });

  it('is to ask again for what failed, with a doubt where the service calls it final', () => {
    expect(advised('failed', { retryable: true })).toBe('ask_again');
    expect(advised('failed', { retryable: null })).toBe('ask_again');
    expect(advised('failed', { retryable: false })).toBe('ask_again_in_doubt');
  });

  it.each([
    ['failed', { errorCategory: 'evidence' }],
    ['failed', { errorCategory: 'lost', retryable: false }],
    ['expired', {}],
    ['cancelled', { errorCategory: 'cancelled', certidaoId: 'left-at-the-service' }],
  ] as const)('is to look again, which buys nothing, at %s %j', (status, own) => {
    expect(actionFor(advised(status, own))).toBe('watch');
  });

  it('is to ask for what was never sent, and nothing where a person gave it up', () => {
    expect(actionFor(advised('cancelled'))).toBe('reissue');
    expect(actionFor(advised('cancelled', { errorCategory: 'abandoned' }))).toBeNull();
  });

  it.each(['invalid', 'unsupported'] as const)(
    'is no decision about a line that is %s',
    (status) => {
      expect(actionFor(advised(status))).toBeNull();
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

  const line = (which: string, action: string, note: string): string =>
    resolveLine(batch, { action, note, which });

  it('is one that the command takes', () => {
    expect(read(line('--line 7', 'watch', 'a reason'))).toMatchObject({
      line: [7],
      action: 'watch',
      note: 'a reason',
    });
    expect(read(line('--status expired', 'abandon', 'no'))).toMatchObject({
      status: ['expired'],
      action: 'abandon',
    });
    expect(read(line('--line 7', 'adopt', 'no'))).toMatchObject({
      externalId: 'UUID',
    });
  });

  it('quotes a file name that a shell would part or run', () => {
    expect(batchCommandLine('fornecedores.csv', null)).toBe(
      'diligence certificate batch --input fornecedores.csv',
    );
    expect(batchCommandLine("a b'; rm $HOME.csv", 'cnpj')).toBe(
      String.raw`diligence certificate batch --input 'a b'\''; rm $HOME.csv' --type cnpj`,
    );
  });
});
