/**
 * `npx tsx scripts/run-layers.ts unit,property integration [jest options]`: runs groups of layers one
 * after the other, each although one before it failed. In layers that drive real servers a file that
 * failed is run once more, alone, when all else is done; one that passes then is named at the end, for
 * somebody to mend, and does not count as failed. Ends with "Layers: N passed, N failed".
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** What these come to depends on processes and clocks of the machine as well. */
const withServers = new Set(['workflow', 'integration', 'long']);

/** One test file, as `jest --json` tells of it. */
export interface FileResult {
  name: string;
  status: string;
  assertionResults: { status: string }[];
}

export interface Account {
  passed: number;
  failed: number;
  /** Files that failed, and passed when they were run again. */
  unsteady: string[];
}

export function layerOf(file: string): string {
  return /(?:^|\/)test\/([^/]+)\//.exec(file)?.[1] ?? '';
}

/** The files to be run again: those of layers with servers alone. */
export function toRunAgain(results: readonly FileResult[]): string[] {
  return results
    .filter(({ name, status }) => status === 'failed' && withServers.has(layerOf(name)))
    .map(({ name }) => name);
}

/** What counts of a file that was run twice is its second run. */
export function accountOf(first: readonly FileResult[], second: readonly FileResult[]): Account {
  const again = new Map(second.map((result) => [result.name, result]));
  const results = first.map((result) => again.get(result.name) ?? result);
  return {
    passed: results.reduce((sum, result) => sum + countOf(result, 'passed'), 0),
    failed: results.reduce((sum, result) => sum + failuresOf(result), 0),
    unsteady: second.filter(({ status }) => status === 'passed').map(({ name }) => name),
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
    spawnSync('npx', ['jest', ...options, '--json', `--outputFile=${outputFile}`], {
      stdio: 'inherit',
    });
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
  const runs = groups.map((group) =>
    runJest(['--selectProjects', ...group.split(','), ...options]),
  );
  const first = runs.flatMap((results) => results ?? []);
  const again = toRunAgain(first);
  if (again.length > 0) process.stdout.write(`\nRun again, alone:\n${listOf(again)}`);
  const second = again.length > 0 ? runJest(['--runInBand', '--runTestsByPath', ...again]) : [];

  const { passed, failed, unsteady } = accountOf(first, second ?? []);
  const unheard = runs.filter((results) => results === null).length;
  if (unsteady.length > 0) {
    process.stdout.write(`\nFailed, and passed when run again:\n${listOf(unsteady)}`);
  }
  process.stdout.write(`\nLayers: ${passed} passed, ${failed + unheard} failed\n`);
  process.exitCode = failed + unheard === 0 ? 0 : 1;
}

function listOf(files: readonly string[]): string {
  return files.map((file) => `  ${relative(process.cwd(), file)}\n`).join('');
}

if (require.main === module) main(process.argv.slice(2));
