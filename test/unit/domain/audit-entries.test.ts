import { outcomeEntry, requestEntry } from '../../../src/domain/audit-entries';
import type { Receipt } from '../../../src/domain/core/service/attempts';
import type { OutcomeRecord } from '../../../src/domain/certificates/outcomes';

const work = { jobId: 'certificate-batch/0a1b', by: 'Ana' };

function detailsOf(receipt: Receipt): object | undefined {
  const claim = { kind: 'send', claimedAt: 0 } as never;
  const sent = { type: 'cnpj', subject: 'c'.repeat(32), n: 1, item: 0, claim, receipt };
  return requestEntry(sent, work)?.details;
}

const refused = (code: string): object | undefined =>
  detailsOf({ kind: 'refused', status: 422, code, at: 0 });

const notSent = (reason: string): object | undefined =>
  detailsOf({ kind: 'not_sent', reason, at: 0 });

describe('the audit trail of what a service said', () => {
  it.each(['documento_invalido', 'NOT_FOUND', 'E-4012', 'fiscal.denied:2', 'http_404'])(
    'keeps the code %s',
    (code) => expect(refused(code)).toMatchObject({ status: 422, code }),
  );

  it.each([
    '123.456.789-09',
    '12.345.678:0001-95',
    'cpf:123.456.789-09',
    'cpf_12345678',
    'Maria da Silva Souza',
    'a'.repeat(61),
  ])('leaves out %s, which is no code, or might hold a document', (code) => {
    expect(refused(code)).toMatchObject({ status: 422, code: null });
    const outcome = { errorCode: code, certidaoId: null, sha256: null } as OutcomeRecord;
    expect(outcomeEntry(outcome, work).details).toEqual({ code: null });
  });

  it.each(['too late', 'no token', 'answered 503', 'ConnectionError'])(
    'keeps the reason %s, which is our own word',
    (reason) => expect(notSent(reason)).toMatchObject({ reason }),
  );

  it('leaves out a reason that is none of ours', () => {
    expect(notSent('Maria da Silva')).toMatchObject({ reason: null });
  });
});
