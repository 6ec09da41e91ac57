import { createCertificateDecisionActivities } from '../../../src/activities/certificates/decisions';
import type { RowListRef } from '../../../src/domain/certificates/job';
import {
  decisionFolder,
  type DecidedRow,
  type DecisionRecord,
} from '../../../src/domain/core/decision';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA as document, environment } from './certificate-bench';

describe('a decision about a row', () => {
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
  const decide = async (
    number: number,
    what: Partial<DecisionRecord> = {},
  ): Promise<RowListRef> => {
    const row: DecidedRow = {
      item: 0,
      line: 2,
      status: 'expired',
      certidaoId: 'given-up',
      attempts: 1,
    };
    const decision: DecisionRecord = {
      number,
      action: 'reissue',
      rows: [row],
      externalId: null,
      by: 'ana',
      note: 'asked again',
      at: new Date(bench.now()).toISOString(),
      ...what,
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

  it('to adopt an id that the service does not know is refused, and the row stays as it was', async () => {
    bench.server.reply = (_request, response) => sendJson(response, 404, { code: 'not_found' });
    expect(await decide(1, { action: 'adopt', externalId: 'mistyped' })).toMatchObject({
      items: 0,
    });
    expect(await bench.outcomes(work)).toMatchObject([
      {
        status: 'expired',
        certidaoId: 'given-up',
        note: 'adopt by ana refused: the service does not know mistyped',
      },
    ]);
    expect((await bench.last(document))?.resolution).toBeNull();
  });

  it.each([
    ['it has', 200, { certidao_id: 'lost-one', status: 'queued' }],
    ['it cannot be asked for now', 503, {}],
  ])('to adopt an id follows it when %s', async (_, status, body) => {
    bench.server.reply = (_request, response) => sendJson(response, status, body);
    const list = await decide(1, { action: 'adopt', externalId: 'lost-one' });
    const item = await bench.deps.certificateJobs.item(list, 0);
    expect(item.start).toMatchObject({ kind: 'watch', certidaoId: 'lost-one' });
  });
});
