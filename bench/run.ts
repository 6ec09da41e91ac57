/**
 * `npm run bench`: what durability costs, as ratios within one run. Prints tables and keeps them in
 * bench/RESULTS.md. `--only spread|quick|codec|large|cnab|credit|monitors` measures one of them and leaves the others as they were.
 */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measureBatch, measureFloor, oracleCalls, type Figures } from './comparison';
import { measureCnab, type ScanFigures } from './cnab';
import { measureAnalysis, type AnalysisFigures } from './credit';
import { measureLarge } from './large';
import { measureBacklog, measureIdle, measureSweeps } from './monitors';

interface Comparison {
  title: string;
  what: string;
  rows: number;
  processingMs: [number, number];
  /** The aims, as sentences with their verdict. */
  aims: (floor: Figures, batch: Figures) => [aim: string, figure: string, met: boolean][];
}

const inFlight = 100;
const warmUpRows = 2_000;

const commonAims = (batch: Figures): [string, string, boolean][] => {
  const processor = (batch.processorMs?.worker ?? 0) + (batch.processorMs?.server ?? 0);
  return [
    [
      'processor time a row, worker + server, at most 10 ms',
      `${processor.toFixed(1)} ms`,
      processor <= 10,
    ],
    [
      'calls a certificate at most two above the oracle (3)',
      batch.callsPerRow.toFixed(2),
      batch.callsPerRow <= oracleCalls + 2,
    ],
  ];
};

const comparisons: Record<'spread' | 'quick', Comparison> = {
  spread: {
    title: 'Issuances that take about three seconds',
    what: '1,000 rows; issuance times lognormal between 1.2 and 7.5 s, median 3 s.',
    rows: 1_000,
    processingMs: [1_200, 7_500],
    aims: (floor, batch) => {
      const ratio = batch.makespanMs / floor.makespanMs;
      return [
        ['makespan at most 1.10 of the floor', ratio.toFixed(2), ratio <= 1.1],
        ...commonAims(batch),
        [
          'lag from completion to the store at most 15 % of the issuance',
          `${(batch.lagShare * 100).toFixed(1)} %`,
          batch.lagShare <= 0.15,
        ],
      ];
    },
  },
  quick: {
    title: 'Issuances that take 0.3 seconds',
    what: '500 rows; every issuance takes 0.3 s.',
    rows: 500,
    processingMs: [300, 300],
    aims: (floor, batch) => {
      const ratio = batch.rowsPerSecond / floor.rowsPerSecond;
      return [
        [
          'at least 120 rows/s, or 0.5 of the floor',
          `${batch.rowsPerSecond.toFixed(0)} rows/s, ${ratio.toFixed(2)} of the floor`,
          batch.rowsPerSecond >= 120 || ratio >= 0.5,
        ],
        ...commonAims(batch),
      ];
    },
  },
};

async function compare({ title, what, rows, processingMs, aims }: Comparison): Promise<string> {
  const floor = await measureFloor({ processingMs }, rows, inFlight);
  const first = await measureBatch({ processingMs }, rows, inFlight, 0);
  const batch = await measureBatch({ processingMs }, rows, inFlight, warmUpRows);
  const line = (name: string, of: Figures): string =>
    `| ${name} | ${(of.makespanMs / 1_000).toFixed(1)} s | ${of.rowsPerSecond.toFixed(1)} | ${
      of.processorMs === null
        ? '-'
        : `${of.processorMs.worker.toFixed(1)} + ${of.processorMs.server.toFixed(1)}`
    } | ${of.callsPerRow.toFixed(2)} | ${of.lagMs.toFixed(0)} ms (${(of.lagShare * 100).toFixed(1)} %) |`;
  return [
    `## ${title}`,
    '',
    `${what} At most ${inFlight} in flight.`,
    '',
    '| | makespan | rows/s | processor ms a row (worker + server) | calls a certificate | lag |',
    '| --- | --- | --- | --- | --- | --- |',
    line('loop without durability, a poll every 0.2 s', floor),
    line('diligence, first batch of a new worker', first),
    line('diligence', batch),
    '',
    '| aim | measured | |',
    '| --- | --- | --- |',
    ...aims(floor, batch).map(
      ([aim, figure, met]) => `| ${aim} | ${figure} | ${met ? 'met' : '**missed**'} |`,
    ),
  ].join('\n');
}

/** Pairs of batches. The two of a pair run at the same time: the machine's noise hits both alike. */
const codecRuns = 3;
/** Both are alike cold: fewer rows do than where absolute figures are measured. */
const codecWarmUpRows = 500;
const leastShare = 0.9;

async function codec(): Promise<string> {
  const measure = (state: 'on' | 'off'): Promise<Figures> =>
    measureBatch({ processingMs: [300, 300], codec: state }, 1_000, inFlight, codecWarmUpRows);
  const runs: { off: Figures[]; on: Figures[] } = { off: [], on: [] };
  for (let pair = 0; pair < codecRuns; pair += 1) {
    const [off, on] = await Promise.all([measure('off'), measure('on')]);
    runs.off.push(off);
    runs.on.push(on);
  }
  const shares = runs.on.map((on, pair) => on.rowsPerSecond / (runs.off[pair]?.rowsPerSecond ?? 0));
  const share = median(shares);
  const line = (name: string, of: readonly Figures[]): string =>
    `| ${name} | ${of.map((one) => one.rowsPerSecond.toFixed(1)).join(', ')} | ${median(of.map(rowsPerSecond)).toFixed(1)} | ${median(of.map(workerMs)).toFixed(1)} + ${median(of.map(serverMs)).toFixed(1)} |`;
  return [
    '## Payloads encrypted, and in the clear',
    '',
    `1,000 rows; every issuance takes 0.3 s. At most ${inFlight} in flight. ${codecRuns} pairs of batches, the two of a pair at the same time; each on a server and worker of its own that have done ${codecWarmUpRows} other rows.`,
    '',
    '| | rows/s | median | processor ms a row (worker + server), median |',
    '| --- | --- | --- | --- |',
    line('in the clear (`DILIGENCE_PAYLOAD_KEYS=off`)', runs.off),
    line('encrypted', runs.on),
    '',
    '| aim | measured | |',
    '| --- | --- | --- |',
    `| encrypted at least ${leastShare} of in the clear, rows/s, median of the pairs | ${share.toFixed(2)} | ${share >= leastShare ? 'met' : '**missed**'} |`,
  ].join('\n');
}

const rowsPerSecond = (of: Figures): number => of.rowsPerSecond;
const workerMs = (of: Figures): number => of.processorMs?.worker ?? 0;
const serverMs = (of: Figures): number => of.processorMs?.server ?? 0;

function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function large(): Promise<string> {
  const figures = await measureLarge(100_000, 1_000);
  return [
    '## A batch of 100,000 rows',
    '',
    'A service that settles at once; 1,000 in flight. What counts here is memory.',
    '',
    '| | |',
    '| --- | --- |',
    `| the whole command, from the file to the results | ${(figures.makespanMs / 1_000).toFixed(0)} s |`,
    `| most memory of the worker | ${figures.workerPeakMib} MiB |`,
    `| most memory of the command | ${figures.commandPeakMib} MiB |`,
    `| processor time a row, worker + server | ${figures.processorMsPerRow.toFixed(1)} ms |`,
    `| history events a row | ${figures.eventsPerRow.toFixed(2)} |`,
    `| largest payload in a history | ${figures.largestPayloadKib.toFixed(0)} KiB (limit 256) |`,
  ].join('\n');
}

async function cnab(): Promise<string> {
  const figures = await measureCnab(1_000_000);
  const speed = ({ megabytes, scan }: ScanFigures): number => megabytes / (scan.wallMs / 1_000);
  // One thread does nearly all: with the machine to itself, the scan is at least this quick.
  const ownSpeed = ({ megabytes, scan }: ScanFigures): number =>
    megabytes / (scan.processorMs / 1_000);
  const bound = ({ receivables }: ScanFigures): number => 64 + (40 * receivables) / 2 ** 20;
  const slowest = Math.min(...figures.map(ownSpeed));
  const share = Math.max(...figures.map((of) => of.scan.peakMib / bound(of)));
  const row = (of: ScanFigures): string =>
    `| ${of.layout} | ${of.megabytes.toFixed(0)} MB | ${speed(of).toFixed(0)} MB/s | ${ownSpeed(of).toFixed(0)} MB/s | ${(of.scan.wallMs / of.read.wallMs).toFixed(1)} | ${(of.scan.processorMs / of.read.processorMs).toFixed(1)} | ${of.scan.peakMib.toFixed(0)} MiB (${bound(of).toFixed(0)}) | ${of.read.peakMib.toFixed(0)} MiB |`;
  return [
    '## A CNAB file of 1,000,000 lines, looked at',
    '',
    'The scan of `credit check` in a process of its own, against one that reads the same file in pieces of 1 MiB and adds up',
    'its sha256, which the scan does as well. Memory is that of the whole process, Node included.',
    '',
    '| lines of | file | scan | of processor time | time against the read | processor time against the read | most memory (bound) | most memory of the read |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...figures.map(row),
    '',
    '| aim | measured | |',
    '| --- | --- | --- |',
    `| at least 200 MB a second of processor time | ${slowest.toFixed(0)} MB/s | ${slowest >= 200 ? 'met' : '**missed**'} |`,
    `| at most 64 MiB and 40 bytes a receivable | ${share.toFixed(2)} of it | ${share <= 1 ? 'met' : '**missed**'} |`,
  ].join('\n');
}

/** What the worker of an analysis of this size may take. */
const mostWorkerMib = 512;

async function credit(): Promise<string> {
  const quarter = await measureAnalysis(12_500);
  const whole = await measureAnalysis(50_000);
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const row = (of: AnalysisFigures): string =>
    `| ${of.receivables.toLocaleString('en')} | ${of.sentMegabytes.toFixed(0)} MB | ${of.resultMegabytes.toFixed(0)} MB | ${seconds(of.commandMs)} | ${seconds(of.floorMs)} | ${(of.commandMs / of.floorMs).toFixed(1)} | ${seconds(of.processorMs.worker)} + ${seconds(of.processorMs.server)} | ${of.workerPeakMib} MiB (${of.idleWorkerMib} idle) | ${of.commandPeakMib} MiB |`;
  const grown = (whole.workerPeakMib / quarter.workerPeakMib).toFixed(2);
  return [
    '## An analysis of 50,000 titulos',
    '',
    'One operation from end to end, with the ZIP of its invoices, the store sealed; the service takes 2 s to judge. The',
    'floor is a script that uploads, asks every 0.2 s and writes both results: it scans, checks and files nothing. A new',
    'worker for each.',
    '',
    '| titulos | file and ZIP | result | whole command | floor | ratio | processor time of worker + server | most memory of the worker | of the command |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    row(quarter),
    row(whole),
    '',
    '| aim | measured | |',
    '| --- | --- | --- |',
    `| at most ${mostWorkerMib} MiB of worker memory | ${whole.workerPeakMib} MiB, ${grown} of what a quarter of the titulos takes | ${whole.workerPeakMib <= mostWorkerMib ? 'met' : '**missed**'} |`,
  ].join('\n');
}

/** Changes of each monitor that is swept: ten pages. */
const changesEach = 1_000;
const gravity = ['critical', 'warn', 'info'];

async function monitors(): Promise<string> {
  const idle = await measureIdle(100);
  const swept = await measureSweeps({ warmUp: 2, measured: 8 }, changesEach);
  const backlog = await measureBacklog(100_000);
  const perSecond = (count: number, ms: number): number => count / (ms / 1_000);
  const rate = perSecond(swept.changes, swept.watchMs);
  const ratio = swept.floorMs / swept.watchMs;
  const perChange = (count: number): number => count / swept.changes;
  const { ack, delivery, list } = swept.calls;
  const events = perChange(swept.events) * 1_000;
  const order = backlog.arrived.map(({ severity }) => severity);
  const isGravestFirst = order.join() === gravity.join();
  const grown = backlog.workerPeakMib - backlog.idleWorkerMib;
  const sweptAim = rate >= 500 || ratio >= 0.5;
  // Beside the one look of the watch at each monitor.
  const pages = perChange(list) - 1 / changesEach;
  const callsAim = perChange(ack) <= 1 && perChange(delivery) <= 1 && pages <= 0.02;
  const ms = (of: number): string => (of / swept.changes).toFixed(2);
  const verdict = (met: boolean): string => (met ? 'met' : '**missed**');
  return [
    '## Changes of monitors',
    '',
    `8 monitors with ${changesEach.toLocaleString('en')} open changes each, first sweeps, by one watch of a worker that has done 2,000 others; the sandbox`,
    'and the receiver of the webhook answer at once. The loop lists, appends each page to a file, posts each change (signed) and',
    'acknowledges it, 16 at a time: it flushes nothing, and knows nothing after a crash. Of each change the worker puts three',
    'objects on the disk before it goes on.',
    '',
    '| | changes/s | processor ms a change (worker + server) | calls a change (list + delivery + ack) | events per 1,000 changes |',
    '| --- | --- | --- | --- | --- |',
    `| loop without durability | ${perSecond(swept.changes, swept.floorMs).toFixed(0)} | ${ms(swept.floorProcessorMs)} | - | - |`,
    `| diligence | ${rate.toFixed(0)} | ${ms(swept.processorMs.worker)} + ${ms(swept.processorMs.server)} | ${perChange(list).toFixed(3)} + ${perChange(delivery).toFixed(2)} + ${perChange(ack).toFixed(2)} | ${events.toFixed(0)} |`,
    '',
    `A backlog of ${backlog.changes.toLocaleString('en')} open changes on one monitor, \`--order severity\`, by a worker that has done nothing else:`,
    '',
    '| | |',
    '| --- | --- |',
    `| time, and changes a second | ${(backlog.sweepMs / 1_000).toFixed(0)} s, ${perSecond(backlog.changes, backlog.sweepMs).toFixed(0)} |`,
    `| most memory of the worker | ${backlog.workerPeakMib} MiB (${backlog.idleWorkerMib} idle) |`,
    `| most memory of the command | ${backlog.commandPeakMib} MiB |`,
    `| runs, events, most events in a run | ${backlog.runs}, ${backlog.events.toLocaleString('en')}, ${backlog.mostEventsInARun} |`,
    `| as they arrived | ${backlog.arrived
      .slice(0, 5)
      .map(({ severity, changes }) => `${changes.toLocaleString('en')} ${severity}`)
      .join(', ')} |`,
    `| lines of progress | ${backlog.linesOfProgress} |`,
    '',
    '| aim | measured | |',
    '| --- | --- | --- |',
    `| at least 500 changes/s, or 0.5 of the loop | ${rate.toFixed(0)}/s, ${ratio.toFixed(2)} of the loop | ${verdict(sweptAim)} |`,
    `| calls a change at most 1 ack + 1 delivery + 2 pages per 100 | ${perChange(ack).toFixed(2)} + ${perChange(delivery).toFixed(2)} + ${(pages * 100).toFixed(1)} per 100, and one look a monitor | ${verdict(callsAim)} |`,
    `| events per 1,000 changes at most 100 | ${events.toFixed(0)}; ${(backlog.events / (backlog.changes / 1_000)).toFixed(0)} of the backlog | ${verdict(events <= 100)} |`,
    `| a pass over ${idle.monitors} idle monitors: one call each, no sweep, at most 20 events | ${idle.calls} calls, ${idle.sweeps} sweeps, ${idle.events} events | ${verdict(idle.calls === idle.monitors && idle.sweeps === 0 && idle.events <= 20)} |`,
    `| the backlog: critical first, bounded memory and history | ${isGravestFirst ? 'in order' : 'not in order'}, ${grown} MiB above idle, at most ${backlog.mostEventsInARun} events a run | ${verdict(isGravestFirst && backlog.workerPeakMib <= mostWorkerMib)} |`,
  ].join('\n');
}

const names = ['spread', 'quick', 'codec', 'large', 'cnab', 'credit', 'monitors'] as const;
type Name = (typeof names)[number];

const resultsPath = join(__dirname, 'RESULTS.md');
const heading = [
  '# What durability costs',
  '',
  'Made by `npm run bench`. Dev server, worker, command and sandbox share the machine; `CERTIFICATES_RPS` is 1,000. The',
  'makespan of a batch runs from the start of its workflow to its merged results, that of the loop from its first request',
  'to its last file. The aims are measured on a worker that has done 2,000 other rows before, since a worker lives long;',
  'what its very first batch costs is told too. Machines differ and are noisy: compare within one table only.',
].join('\n');

const markOf = (name: Name): string => `<!-- ${name} -->`;

/** What is kept of earlier runs, by name. */
async function keptParts(): Promise<Map<Name, string>> {
  const text = await readFile(resultsPath, 'utf8').catch(() => '');
  const parts = new Map<Name, string>();
  for (const name of names) {
    const [, after] = text.split(`${markOf(name)}\n\n`);
    if (after !== undefined) parts.set(name, after.split('\n<!-- ')[0]?.trim() ?? '');
  }
  return parts;
}

const measureOf: Record<Name, () => Promise<string>> = {
  spread: () => compare(comparisons.spread),
  quick: () => compare(comparisons.quick),
  codec,
  large,
  cnab,
  credit,
  monitors,
};

async function run(): Promise<void> {
  const only = process.argv[2] === '--only' ? process.argv[3] : undefined;
  const parts = await keptParts();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const stamp = `${new Date().toISOString().slice(0, 10)}, on top of ${commit}; ${machine}.`;
  for (const name of names) {
    if (only !== undefined && only !== name) continue;
    const part = await measureOf[name]();
    process.stdout.write(`${part}\n\n`);
    parts.set(name, `${part}\n\n${stamp}`);
  }
  const sections = names.flatMap((name) => {
    const part = parts.get(name);
    return part === undefined ? [] : [`${markOf(name)}\n\n${part}`];
  });
  await writeFile(resultsPath, `${[heading, ...sections].join('\n\n')}\n`);
}

void run();
