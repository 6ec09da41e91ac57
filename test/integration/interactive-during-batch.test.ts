import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postsOf } from '../support/batch-account';
import { Installation, eventually } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { sized } from '../support/full-size';

const rows = sized(300, 1_000);
const betweenIssuances = sized(20, 40);
const issuances = 3;

describe(`an issuance asked for by a person while a batch of ${rows} rows runs`, () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      { issuance: { waitingMs: [20, 100], processingMs: [100, 800], distribution: 'lognormal' } },
      { CERTIFICATES_RPS: String(sized(20, 40)) },
    );
    await place.startWorkerHere();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('starts its request within two seconds, each time', async () => {
    const posts = () => postsOf(place.sandbox);
    await place.run(['certificate', 'batch', '--input', 'input.csv', '--detach']);
    const { workflow } = await place.client();
    const waitFor = async (document: string): Promise<number> => {
      const args = ['certificate', 'issue', '--type', 'cnpj', '--document', document];
      const issued = await place.run(args);
      expect(issued.code).toBe(0);
      const id = /^(certificate\/cnpj\/\w+)/m.exec(issued.stderr)?.[1] ?? '';
      // From the start of the work to the arrival of its request: the command's own start is its own.
      const { startTime } = await workflow.getHandle(id).describe();
      const arrived = posts().find((post) => post.subject === document)?.at ?? '';
      return Date.parse(arrived) - startTime.getTime();
    };
    const begun: Promise<number>[] = [];
    for (let issuance = 1; issuance <= issuances; issuance += 1) {
      const before = posts().length;
      await eventually('the batch goes on', () => posts().length > before + betweenIssuances);
      begun.push(waitFor(cnpj(90_000 + issuance)));
    }
    const waits = await Promise.all(begun);
    expect(posts().length).toBeLessThan(rows);
    expect(waits).toHaveLength(issuances);
    expect(waits.filter((wait) => wait > 2_000 || Number.isNaN(wait))).toEqual([]);
  }, 120_000);
});
