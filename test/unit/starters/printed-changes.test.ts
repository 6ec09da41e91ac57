import { readerOf } from '../../../src/report/reader';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changePageFromWire } from '../../../src/apis/investigation/wire/monitors.wire';
import type { ReportedChange } from '../../../src/domain/monitors/stored';
import { noScanCounts } from '../../../src/domain/monitors/scan';
import { emptyBacklog, noCounts } from '../../../src/domain/monitors/sweep';
import { printResult, printView } from '../../../src/starters/cli/print-job';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { kindOf } from '../../../src/starters/kinds';
import { listChanges } from '../../../src/starters/monitors/changes';
import { writeReport } from '../../../src/starters/monitors/report';
import { ChangeRepository } from '../../../src/store/monitors/changes';
import { MonitorListRepository } from '../../../src/store/monitors/lists';
import { toldChange } from '../../support/monitor-changes';
import { printedByTests } from '../../support/printed';
import { TemporaryStore } from '../../support/temporary-store';
import { plain, wordsOf, type Fields } from '../../support/printed-leaves';
import { startResourceCaller } from '../sandbox/resource-caller';

/** What the sandbox reported of changes stands in the JSON, on the screen and in the report, before and after. */

const monitorId = '5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0002';
const sweep = `monitor-sweep/${monitorId}/20260105T120000000Z`;
const startedAt = '2026-01-05T12:00:00.000Z';
const at = '2026-01-05T12:00:01.000Z';
const endedAt = '2026-01-05T12:00:02.000Z';
const before = { socios: 1, situacao: 'ATIVA', capital: 7531 };
const after = { socios: 2, situacao: 'BAIXADA', capital: 7531, sede: { cidade: 'Santos' } };
const differing = ['partner_added', '1', '2', 'ATIVA', 'BAIXADA', 'Santos'];

let place: TemporaryStore;
let ctx: CommandContext;
let repository: ChangeRepository;
let answers: Fields[];
let changes: ReportedChange[];
const printed = printedByTests();

beforeAll(async () => {
  const caller = await startResourceCaller({
    monitors: {
      held: { [monitorId]: { changes: [{ type: 'partner_added', before, after }, {}] } },
    },
  });
  const { bytes, json } = await caller.call('GET', `/api/v1/monitors/${monitorId}/changes`);
  await caller.close();
  answers = json['data'] as Fields[];
  const { items } = changePageFromWire({ method: 'GET', pathTemplate: '/x' }, bytes);
  changes = items.flatMap((one) => (one.kind === 'change' ? [one] : []));
});
beforeEach(async () => {
  place = new TemporaryStore();
  const environment = { monitorSinks: { sinks: [], webhook: null }, language: 'en' };
  const idKey = { nameOf: () => '0'.repeat(32) };
  ctx = {
    store: place.store,
    reader: readerOf('en'),
    idKey,
    environment,
  } as unknown as CommandContext;
  repository = new ChangeRepository(place.store, () => '0'.repeat(32));
  await repository.file(monitorId, changes, { sweep, at, foundAs: 'open' });
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  Reflect.deleteProperty(process.stdout, 'columns');
  place.remove();
});

/** Of a terminal of 80 and of 140 columns. */
async function screens(print: () => Promise<unknown>, mayBeWide: readonly string[] = []) {
  const found: string[] = [];
  for (const width of [80, 140]) {
    Object.assign(process.stdout, { columns: width });
    const start = printed().length;
    await print();
    const text = printed().slice(start);
    const wide = text.split('\n').filter((line) => line.length > width);
    expect(wide.filter((line) => !mayBeWide.includes(line))).toEqual([]);
    found.push(text);
  }
  return found;
}

function expectDifferences(text: string): void {
  expect(differing.filter((word) => !text.includes(word))).toEqual([]);
  expect(text).toMatch(/situacao +ATIVA -> BAIXADA\n/);
  expect(text).toMatch(/sede\.cidade +- -> Santos\n/);
  expect(text).not.toContain('7531');
}

test('changes: before and after in the JSON, on screens, in the report', async () => {
  expect(changes).toHaveLength(2);
  await listChanges(ctx, { format: 'json' });
  const shown = JSON.parse(printed()) as { changes: { change: unknown }[] };
  expect(shown.changes.map(({ change }) => change)).toEqual(expect.arrayContaining(answers));
  for (const text of await screens(() => listChanges(ctx, { format: 'table' })))
    expectDifferences(text);

  const out = join(place.folder, 'changes.html');
  await writeReport(ctx, { out });
  const page = wordsOf(await readFile(out, 'utf8'));
  expect(differing.map(plain).filter((word) => !page.includes(word))).toEqual([]);
});

const sweepOutcome = {
  counts: { ...noCounts(), stored: 2 },
  fault: null,
  reconciled: null,
  stopped: null,
  monitorId,
  sweep,
  status: 'swept',
  backlog: emptyBacklog,
  warnings: [],
  health: [],
  startedAt,
  endedAt,
};
const scanOutcome = {
  scan: 'monitor-scan/all/20260105T120000000Z',
  list: 'all',
  stopped: null,
  counts: { ...noScanCounts(), stored: 2 },
  startedAt,
  endedAt,
};
const kinds = { 'monitor-sweep': sweepOutcome, 'monitor-scan': scanOutcome };

async function jobOf(kind: keyof typeof kinds, counts: object = {}) {
  const list = await new MonitorListRepository(place.store).put('all', [monitorId]);
  const outcome = { ...kinds[kind], counts: { ...kinds[kind].counts, ...counts } };
  const input = { jobId: 'x', monitorId, list, createdAt: startedAt, createdBy: 'ana' };
  const job = { id: 'x/1', folder: 'x/1', kind, status: 'swept', needsAttention: false };
  const times = { createdAt: startedAt, endedAt };
  return { ...job, ...times, waitsFor: null, output: null, input, outcome };
}

type Swept = { changes: { total: number; rows: { change_id: string; change: unknown }[] } };

async function sweptOf(job: Awaited<ReturnType<typeof jobOf>>): Promise<Swept['changes']> {
  const start = printed().length;
  await printResult(ctx, kindOf(job.kind), job as never, { json: true });
  return (JSON.parse(printed().slice(start)) as { outcome: Swept }).outcome.changes;
}

test.each(['monitor-sweep', 'monitor-scan'] as const)(
  '%s: its changes before and after, in the JSON and on screens',
  async (kind) => {
    const others = { sweep: 'another', at, foundAs: 'open' } as const;
    await repository.file('another-monitor', [toldChange('of-another')], others);
    const job = await jobOf(kind);
    const { rows, total } = await sweptOf(job);
    expect({ total, count: rows.length }).toEqual({ total: 2, count: 2 });
    expect(rows.map(({ change }) => change)).toEqual(expect.arrayContaining(answers));

    const view = { job, state: null, progress: null } as never;
    const sentences = await kindOf(kind).lines(job, ctx);
    for (const text of await screens(() => printView(ctx, kindOf(kind), view, false), sentences)) {
      expect(text).toContain('  2 changes, with what was -> what is:\n');
      expectDifferences(text);
    }
  },
);

test('a sweep has what it stored and what it acknowledged, and nothing of another sweep', async () => {
  const [earlier, others] = [toldChange('earlier'), toldChange('others')];
  const by = { sweep: 'another', at: '2026-01-04T12:00:00.000Z', foundAs: 'open' } as const;
  await repository.file(monitorId, [earlier, others], by);
  const mark = { at, sweep, by: 'us', acknowledgedAt: at, required: [] } as const;
  await repository.putAcknowledged(monitorId, [{ changeId: 'earlier', mark }]);
  const { rows, total } = await sweptOf(await jobOf('monitor-sweep'));
  expect(total).toBe(3);
  expect(rows.map((row) => row.change_id)).toEqual(['earlier', ...changes.map(idOf).toSorted()]);
});

test.each(['monitor-sweep', 'monitor-scan'] as const)(
  '%s with many changes: the first 1,000 in the JSON, 50 on the screen, and how many there are',
  async (kind) => {
    const many = Array.from({ length: 1_200 }, (_, n) => toldChange(`many-${n}`));
    await repository.file(monitorId, many, { sweep, at, foundAs: 'open' });
    const job = await jobOf(kind, { stored: 1_202 });
    const { rows, total } = await sweptOf(job);
    expect([total, rows.length]).toEqual([1_202, 1_000]);
    const lines = await kindOf(kind).lines(job, ctx);
    expect(lines.at(-1)).toMatch(/^ {2}and 1152 more: `diligence monitor changes .*--since 2026/);
  },
);

const idOf = ({ change }: ReportedChange): string => change.changeId;
