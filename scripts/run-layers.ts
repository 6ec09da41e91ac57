/**
 * `npx tsx scripts/run-layers.ts unit,property integration [jest options]`: runs groups of layers one
 * after the other, each although one before it failed. In layers that drive real servers a file that
 * failed is run once more, alone, when all else is done; one that passes then is named at the end, for
 * somebody to mend, and does not count as failed, unless there are more than two. Says how long each
 * group and the ten slowest files took, and ends with "Layers: N passed, N failed".
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** What these come to depends on processes and clocks of the machine as well. */
const withServers = new Set(['workflow', 'integration', 'long', 'full']);
/** Files of one run that may pass at their second try. */
const mostUnsteady = 2;
const slowestShown = 10;
/**
 * Jest workers of a group, unless another number is given. Each file with servers has processes of its own.
 * Those of `integration` wait for a third of their time; where time skips or is measured, a task that is late
 * changes what comes of it.
 */
function workersOf(layers: readonly string[]): string[] {
  if (!layers.some((layer) => withServers.has(layer))) return [];
  const isSteady = layers.every((layer) => ['integration', 'works-on-postgres'].includes(layer));
  return [`--maxWorkers=${isSteady ? 3 : 2}`];
}

/** One test file, as `jest --json` tells of it. */
export interface FileResult {
  name: string;
  status: string;
  /** Epoch milliseconds. */
  startTime: number;
  endTime: number;
  assertionResults: { status: string }[];
}

export interface Account {
  passed: number;
  failed: number;
  /** Files that failed, and passed when they were run again. */
  unsteady: string[];
}

/** The files that took longest, with their seconds. */
export function slowestOf(results: readonly FileResult[]): string[] {
  const seconds = ({ startTime, endTime }: FileResult): number => (endTime - startTime) / 1_000;
  return results
    .toSorted((a, b) => seconds(b) - seconds(a))
    .slice(0, slowestShown)
    .map((one) => `${seconds(one).toFixed(1)} s ${relative(process.cwd(), one.name)}`);
}

export function layerOf(file: string): string {
  return /(?:^|\/)test\/([^/]+)\//.exec(file)?.[1] ?? '';
}

/** The files to be run again: those of layers with servers alone. */
export function toRunAgain(results: readonly FileResult[]): string[] {
  return results
    .filter(({ name, status }) => status === 'failed' && withServers.has(layerOf(name)))
    .map(({ name }) => name)
    .filter((name, at, names) => names.indexOf(name) === at);
}

/** What counts of a file that was run twice is its second run: of one that two projects have, the worse. */
export function accountOf(first: readonly FileResult[], second: readonly FileResult[]): Account {
  const worstLast = second.toSorted((a, b) => failuresOf(a) - failuresOf(b));
  const again = new Map(worstLast.map((result) => [result.name, result]));
  const results = first.map((result) => again.get(result.name) ?? result);
  const unsteady = [...again.values()]
    .filter(({ status }) => status === 'passed')
    .map(({ name }) => name);
  const failed = results.reduce((sum, result) => sum + failuresOf(result), 0);
  return {
    passed: results.reduce((sum, result) => sum + countOf(result, 'passed'), 0),
    failed: failed + (unsteady.length > mostUnsteady ? unsteady.length : 0),
    unsteady,
  };
}

function countOf({ assertionResults }: FileResult, wanted: string): number {
  return assertionResults.filter(({ status }) => status === wanted).length;
}

/** A file that does not compile, or whose preparation fails, fails without a test. */
function failuresOf(result: FileResult): number {
  return result.status === 'failed' ? Math.max(1, countOf(result, 'failed')) : 0;
}

/** What jest says of each file, or null when it ended without saying so. */
function runJest(options: readonly string[]): FileResult[] | null {
  const folder = mkdtempSync(join(tmpdir(), 'run-layers-'));
  const outputFile = join(folder, 'results.json');
  try {
    // A test that failed may have left a server that would keep jest from ending.
    const always = ['--forceExit', '--json', `--outputFile=${outputFile}`];
    spawnSync('npx', ['jest', ...options, ...always], { stdio: 'inherit' });
    return (JSON.parse(readFileSync(outputFile, 'utf8')) as { testResults: FileResult[] })
      .testResults;
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function main(words: readonly string[]): void {
  const firstOption = words.findIndex((word) => word.startsWith('-'));
  const groups = firstOption === -1 ? words : words.slice(0, firstOption);
  const options = words.slice(groups.length);
  const times: string[] = [];
  const runs = groups.map((group) => {
    const from = Date.now();
    const layers = group.split(',');
    const isGiven = options.some((option) => option.startsWith('--maxWorkers'));
    const workers = isGiven ? [] : workersOf(layers);
    const results = runJest(['--selectProjects', ...layers, ...workers, ...options]);
    times.push(`${Math.round((Date.now() - from) / 1_000)} s ${group}`);
    return results;
  });
  const first = runs.flatMap((results) => results ?? []);
  const again = toRunAgain(first);
  if (again.length > 0) process.stdout.write(`\nRun again, alone:\n${listOf(again)}`);
  const second = again.length > 0 ? runJest(['--runInBand', '--runTestsByPath', ...again]) : [];

  const { passed, failed, unsteady } = accountOf(first, second ?? []);
  const unheard = runs.filter((results) => results === null).length;
  if (unsteady.length > 0) {
    process.stdout.write(`\nFailed, and passed when run again:\n${listOf(unsteady)}`);
    if (unsteady.length > mostUnsteady) process.stdout.write('These are too many: it counts.\n');
  }
  process.stdout.write(
    `\nSlowest files:\n${indented(slowestOf(first))}Groups:\n${indented(times)}`,
  );
  process.stdout.write(`\nLayers: ${passed} passed, ${failed + unheard} failed\n`);
  process.exitCode = failed + unheard === 0 ? 0 : 1;
}

function listOf(files: readonly string[]): string {
  return indented(files.map((file) => relative(process.cwd(), file)));
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}

if (require.main === module) main(process.argv.slice(2));
