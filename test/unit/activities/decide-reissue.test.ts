import { createCertificateDecisionActivities } from '../../../src/activities/certificates/decisions';
import type { RowListRef } from '../../../src/domain/certificates/job';
import { decisionFolder, type DecidedRow } from '../../../src/domain/core/decision';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA as document, environment } from './certificate-bench';

describe('a decision to reissue', () => {
  let bench: CertificateBench;
  let work: RowListRef;

  beforeEach(async () => {
    bench = await CertificateBench.start();
    work = await bench.work('batch', [document]);
    await bench.claim(document);
    await receive('given-up', 1);
  });
  afterEach(() => bench.close());

  const receive = (externalId: string, n: number) =>
    bench.receive(document, n, {
      kind: 'accepted',
      externalId,
      at: bench.now(),
    });

  /** The row expired under the id that was given up, and a person wants it again. */
  const decide = async (number: number): Promise<RowListRef> => {
    const row: DecidedRow = {
      item: 0,
      line: 2,
      status: 'expired',
      certidaoId: 'given-up',
      attempts: 1,
    };
    const decision = {
      number,
      action: 'reissue',
      rows: [row],
      certidaoId: null,
      by: 'ana',
      note: 'asked again',
      at: new Date(bench.now()).toISOString(),
    };
    const decided = decisionFolder(work.folder, number);
    const start = { id: decided, kind: 'decision', createdAt: decision.at, label: null } as const;
    await bench.place.store.jobs.start(decided, start, decision);
    const { carryOutDecision } = createCertificateDecisionActivities(bench.deps);
    return environment(work).run(carryOutDecision, { folder: work.folder, number });
  };

  it('overrules the issuance that was given up, and asks once more', async () => {
    bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'second' });
    const [answer] = await bench.request(await decide(1));
    expect(answer).toMatchObject({ kind: 'accepted', certidaoId: 'second' });
    expect(bench.server.posts()).toHaveLength(1);
  });

  it('takes up what an earlier decision has asked for, whose results were never put together', async () => {
    await decide(1);
    await bench.claim(document, {}, 2);
    await receive('second', 2);
    const [answer] = await bench.request(await decide(2), { chunk: 'r2' });
    expect(answer).toMatchObject({ kind: 'accepted', certidaoId: 'second' });
    expect(bench.server.posts()).toHaveLength(0);
  });
});
