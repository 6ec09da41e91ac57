import { jobFolder } from '../../src/domain/job';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AnalysisRepository } from '../../src/store/credit/analyses';
import { storeIn } from '../support/temporary-store';
import type { ResultFilter } from '../../src/domain/credit/job';
import type { Received, ScenarioInput } from '../../src/sandbox';
import { anyCallFaults } from '../support/any-call-faults';
import { answerLost } from '../support/batch-account';
import { cnabFile, testReceivable } from '../support/cnab-files';
import { CreditInstallation, sheetRows } from '../support/credit-installation';
import { sized } from '../support/full-size';

const files = sized(60, 200);
/** Of the calls; a higher one where there are fewer of them. */
const faultRate = sized(0.25, 0.1);

/** What contradicts itself in a result: told, and the analysis is complete all the same. */
const twisted = new Set<string | null>(['wrong_summary', 'stray_titulo', 'unknown_entity_status']);

/** Every fault after which an analysis can complete, and every one that loses an answer. */
const scenario: ScenarioInput = {
  latencyMs: [0, 10],
  credit: {
    analysis: { waitingMs: [0, 500], processingMs: [0, 2_000], distribution: 'uniform' },
    resultDelayMs: [0, 1_000],
    background: {
      rate: faultRate,
      kinds: [
        ...anyCallFaults,
        'missing_id',
        'unknown_status',
        'not_ready',
        'wrong_summary',
        'stray_titulo',
        'unknown_entity_status',
      ],
    },
  },
};

interface Line {
  file: string;
  status: string;
  id: string;
  folder: string;
}

const receivablesOf = (index: number): number => 1 + (index % 3);
const nameOf = (index: number): string => `f${String(index).padStart(3, '0')}.rem`;
const isLost = ({ fault, abandoned }: Received): boolean =>
  abandoned || (fault !== null && answerLost.has(fault));

describe(`${files} analyses with ${faultRate * 100} % faults of every kind`, () => {
  let place: CreditInstallation;

  beforeAll(async () => {
    place = await CreditInstallation.start({ scenario, env: { CREDIT_RPS: '400' } });
    await mkdir(join(place.folder, 'files'));
    for (let index = 0; index < files; index += 1) {
      // A number of its own makes a file of its own.
      const receivables = Array.from({ length: receivablesOf(index) }, (_, at) => ({
        ...testReceivable(at),
        cents: 100_000 + index,
      }));
      const bytes = cnabFile({ bank: 'paulista', receivables });
      await writeFile(join(place.folder, 'files', nameOf(index)), bytes);
    }
  }, 120_000);
  afterAll(() => place.stop(), 60_000);

  const batch = [
    'credit',
    'analyze',
    '--input',
    'files',
    '--concurrency',
    '20',
    '--out',
    'out',
    '--json',
  ];

  test('none is started twice, lost answers are told, and all others have both results on file', async () => {
    const { code, stderr } = await place.installation.run(batch);
    expect({ code, stderr: code === 3 ? '' : stderr }).toEqual({ code: 3, stderr: '' });
    const lines = await linesOf();
    expect(lines.map(({ file }) => file)).toEqual(
      Array.from({ length: files }, (_, i) => nameOf(i)),
    );
    place.sandbox.configure({ credit: { background: { rate: 0 } } });

    const wrong: string[] = [];
    let unknown = 0;
    for (const [index, line] of lines.entries()) {
      if (line.status === 'unknown_outcome') unknown += 1;
      for (const sentence of await contradictionsOf(line, index))
        wrong.push(`${line.file}: ${sentence}`);
    }
    expect(wrong).toEqual([]);
    // The faults did strike, and of many kinds.
    expect(unknown).toBeGreaterThan(3);
    const faults = new Set(place.sandbox.credit.received().map(({ fault }) => fault));
    expect(faults.size).toBeGreaterThan(15);
  }, 600_000);

  test('run again it buys nothing: what is unknown stays so, the rest comes from the store', async () => {
    const sent = place.uploads().length;
    const before = await linesOf();
    expect((await place.installation.run(batch)).code).toBe(3);
    expect(await linesOf()).toEqual(before);
    expect(place.uploads()).toHaveLength(sent);
  }, 120_000);

  /** As the command has written them. */
  async function linesOf(): Promise<Line[]> {
    const out = join(place.folder, 'out');
    const rows = await sheetRows(out, 'results.csv');
    return rows.map(({ requested: file = '', id = '', status = '' }) => {
      return { file, id, status, folder: join(out, basename(file, '.rem')) };
    });
  }

  /** What the sandbox and the store say, against what the command says. */
  async function contradictionsOf(
    { file, status, id, folder }: Line,
    index: number,
  ): Promise<string[]> {
    const found: string[] = [];
    const uploads = place.uploads(file);
    const started = place.started(file);
    if (started > 1) found.push(`started ${started} times`);
    const lost = uploads.filter(isLost);
    if (lost.length > 1) found.push('sent again after a lost answer');
    if (lost.length > 0 && uploads.at(-1) !== lost[0]) found.push('sent again after a lost answer');
    const wanted = lost.length > 0 ? 'unknown_outcome' : 'completed';
    if (status !== wanted) found.push(`${status}, and not ${wanted}`);
    if (status !== 'completed') return found;

    const store = storeIn(place.folder);
    const outcome = await new AnalysisRepository(store).outcome(jobFolder(id));
    const stored = outcome && (await place.stored(outcome));
    if (outcome === null || stored === null) return [...found, 'without results on file'];
    const operationId = uploads.find(({ accepted }) => accepted)?.id ?? '';
    if (outcome.operationId !== operationId) found.push('another operation');
    const given = place.sandbox.credit
      .received()
      .filter((one) => one.id === operationId && one.path.endsWith('/result'))
      .filter((one) => one.status === 200);
    for (const filter of ['issues', 'all'] as const) {
      const spoilt = given.some(({ query, fault }) => query.filter === filter && fault !== null);
      const isSame = stored[filter] === (await place.served(operationId, filter));
      if (!spoilt && !isSame) found.push(`${filter} is not what the service gives`);
    }
    // A result without a titulo has no place for a status that nobody knows.
    const isTwisted = given.some(
      ({ fault, query }) =>
        twisted.has(fault) &&
        (fault !== 'unknown_entity_status' ||
          stored[query.filter as ResultFilter].includes('em_revisao')),
    );
    const told = outcome.result?.contradictions ?? [];
    if (told.length > 0 && !isTwisted) found.push(`contradicts itself: ${told.join()}`);
    if (told.length === 0 && isTwisted) {
      const kinds = given.map(({ fault, query }) => `${query.filter} ${fault}`);
      found.push(`a contradiction is hidden (${kinds.join()})`);
    }
    const rows = await sheetRows(folder, 'titulos.csv');
    const extra = given.some(({ fault }) => fault === 'stray_titulo') ? 1 : 0;
    const least = receivablesOf(index);
    if (rows.length < least || rows.length > least + extra) found.push(`${rows.length} rows`);
    return found;
  }
});
