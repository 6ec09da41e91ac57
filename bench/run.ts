/**
 * `npm run bench [-- PART...]`: what durability costs. Each part is measured three times, in turn with the others,
 * its floor (a plain loop without durability) within the same round. Prints a table, and keeps it in bench/RESULTS.md.
 */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atDefaults, besideTheFloor, inTrouble, throttled } from './certificates';
import { scannedFile } from './cnab';
import { analysed } from './credit';
import { largeBatch } from './large';
import { sweptChanges } from './monitors';
import { followedRate } from './rate';
import { started } from './starts';

/** Figures of one round, by their names. */
export type Samples = Record<string, number>;

interface Part {
  measure: () => Promise<Samples>;
  /** Default: three. */
  rounds?: number;
}

const parts: Record<string, Part> = {
  quick: { measure: () => besideTheFloor('certificates of 0.3 s', 500, [300, 300]) },
  slow: { measure: () => besideTheFloor('certificates of 3 s', 600, [1_200, 7_500]) },
  trouble: { measure: inTrouble },
  defaults: { measure: atDefaults },
  throttled: { measure: throttled },
  credit: { measure: analysed },
  monitors: { measure: sweptChanges },
  cnab: { measure: scannedFile, rounds: 1 },
  rate: { measure: followedRate, rounds: 1 },
  large: { measure: largeBatch, rounds: 1 },
  starts: { measure: started },
};

/** What a figure must be; of those without a bound nothing is asked. */
const bounds: Record<string, ['at least' | 'at most', number]> = {
  'certificates of 0.3 s: of the floor, warm worker': ['at least', 0.9],
  'certificates of 0.3 s: of the floor, first batch of a worker': ['at least', 0.75],
  'certificates of 0.3 s: processor ms a row': ['at most', 6],
  'certificates of 3 s: makespan against the floor': ['at most', 1.03],
  'certificates of 3 s: processor ms a row': ['at most', 8],
  'trouble, 10 % of the rows: speed against the same rows without': ['at least', 0.6],
  'trouble, 16 lost answers in a row: seconds beyond the same spread': ['at most', 60],
  'defaults, instant service: rows a second': ['at least', 60],
  '15 calls a second allowed: of them used': ['at least', 0.9],
  '15 calls a second allowed: reads refused, %': ['at most', 5],
  '15 calls a second allowed: paid requests refused': ['at most', 3],
  'analysis of 50,000 titulos: against the floor': ['at most', 2],
  'analysis of 50,000 titulos: MiB of the worker': ['at most', 512],
  'changes of monitors: of the loop': ['at least', 0.4],
  'changes of monitors: processor ms a change': ['at most', 0.6],
  'a CNAB file of 1,000,000 lines: MB a second of processor time': ['at least', 200],
  '100,000 rows, 1,000 in flight: seconds': ['at most', 400],
  '100,000 rows, 1,000 in flight: MiB of the worker': ['at most', 300],
  'start of a command that reads the store: processor seconds': ['at most', 0.3],
  'start of --version: processor seconds': ['at most', 0.1],
};

const resultsPath = join(__dirname, 'RESULTS.md');
const head = [
  '# What durability costs',
  '',
  'Written by `npm run bench`. Server, worker, command and sandbox share the machine. The floor is a plain loop that does the',
  'same calls and keeps nothing: whatever dies is lost. Each figure is the median of its rounds, which take turns; its spread',
  'is beside it. Machines differ and are noisy: compare ratios.',
  '',
  '| figure | measured | spread | bound | | measured on |',
  '| --- | --- | --- | --- | --- | --- |',
].join('\n');

async function run(names: readonly string[]): Promise<void> {
  for (const name of names)
    if (parts[name] === undefined)
      throw new Error(`${name} is none of ${Object.keys(parts).join(', ')}`);
  const samples = new Map<string, number[]>();
  for (let round = 0; round < 3; round += 1) {
    for (const name of names) {
      const { measure, rounds = 3 } = parts[name] ?? {};
      if (measure === undefined || round >= rounds) continue;
      const figures = await measure();
      process.stderr.write(`${name}, round ${round + 1}: ${JSON.stringify(figures)}\n`);
      for (const [figure, value] of Object.entries(figures))
        samples.set(figure, [...(samples.get(figure) ?? []), value]);
    }
  }
  const stamp = stampOf();
  const measured = new Map(
    [...samples].map(([figure, values]) => [figure, line(figure, values, stamp)]),
  );
  const before = await standingLines();
  const lines = new Map([...before, ...measured]);
  await writeFile(resultsPath, `${[head, ...lines.values()].join('\n')}\n`);
  process.stdout.write(`${[head, ...measured.values()].join('\n')}\n`);
}

function line(figure: string, values: readonly number[], stamp: string): string {
  const sorted = values.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const [word, bound] = bounds[figure] ?? [null, 0];
  const holds = word === 'at least' ? median >= bound : median <= bound;
  const spread = sorted.length < 2 ? 'one round' : `${shown(sorted[0])} to ${shown(sorted.at(-1))}`;
  const asked = word === null ? '' : `${word} ${bound}`;
  const verdict = word === null ? '' : holds ? 'met' : '**missed**';
  return `| ${figure} | ${shown(median)} | ${spread} | ${asked} | ${verdict} | ${stamp} |`;
}

function shown(value = 0): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 2 });
}

/** Of parts that are not measured now, by their figures. */
async function standingLines(): Promise<Map<string, string>> {
  const text = await readFile(resultsPath, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((one) => /^\| (?!figure |-)/.test(one));
  return new Map(lines.map((one) => [one.split(' | ')[0]?.slice(2).trim() ?? '', one]));
}

function stampOf(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  return `${new Date().toISOString().slice(0, 10)}, ${commit}, ${machine}`;
}

const asked = process.argv.slice(2);
void run(asked.length > 0 ? asked : Object.keys(parts));
