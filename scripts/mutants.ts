/**
 * `npm run test:mutants [-- name...]`: puts each fault of test/mutants.ts into a copy of the repository
 * and expects the tests named beside it to fail. Ends with 1 when one goes unnoticed. When all were
 * tried it writes test/MUTANTS.md.
 */
import { spawn, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { mutants, type Mutant } from '../test/mutants';

const root = join(__dirname, '..');
/** Of one run: a fault may keep its tests from ending. */
const mostMs = 600_000;
const table = join(root, 'test/MUTANTS.md');

/** What a fault may not do: it would break, and show nothing of the promise. */
const unknownName = /error TS(?:2304|2552|18004): .*/;

/** As `jest --json` tells it. */
interface Results {
  numTotalTests: number;
  success: boolean;
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}

type Verdict = { kind: 'caught'; by: string } | { kind: 'not caught'; why: string };

const isBuilt = (test: string): boolean => /^test\/(workflow|integration|long|full)\//.test(test);

const seconds = (since: number): string => `${Math.round((Date.now() - since) / 1_000)} s`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function withFault({ name, file, find, replace }: Mutant): string {
  const parts = readFileSync(join(root, file), 'utf8').split(find);
  if (parts.length !== 2) {
    throw new Error(
      `${name}: expected its snippet once in ${file}, found it ${parts.length - 1} times`,
    );
  }
  return parts.join(replace);
}

function copyOfRepository(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'mutants-')));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split(
    '\0',
  );
  for (const file of files) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'));
  copyDist(copy);
  return copy;
}

function copyDist(copy: string): void {
  rmSync(join(copy, 'dist'), { recursive: true, force: true });
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
}

/** @returns its exit code, and the end of what it said */
function run(copy: string, tool: string, ...options: string[]) {
  const limits = { timeout: mostMs, killSignal: 'SIGKILL' } as const;
  const child = spawn(join(root, 'node_modules/.bin', tool), options, { cwd: copy, ...limits });
  let said = '';
  const keep = (chunk: Buffer): void => void (said = `${said}${chunk.toString()}`.slice(-40_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise<{ code: number | null; said: string }>((done, fail) => {
    child.once('error', fail).once('close', (code) => done({ code, said }));
  });
}

const layers = ['unit', 'property', 'contract', 'workflow', 'integration', 'long'];

/** Without results when it did not come to its end. */
async function jest(copy: string, workers: number, tests: readonly string[]) {
  const outputFile = join(copy, 'results.json');
  rmSync(outputFile, { force: true });
  const options = ['--json', `--outputFile=${outputFile}`, `--maxWorkers=${workers}`];
  const { said } = await run(
    copy,
    'jest',
    ...options,
    '--runTestsByPath',
    ...tests,
    // One database shows it.
    '--selectProjects',
    ...layers,
  );
  if (!existsSync(outputFile)) return { said, results: null };
  return { said, results: JSON.parse(readFileSync(outputFile, 'utf8')) as Results };
}

/** A failed test alone counts: not a fault that keeps a file from being loaded. */
async function verdictOn(copy: string, mutant: Mutant): Promise<Verdict> {
  const { file, tests } = mutant;
  writeFileSync(join(copy, file), withFault(mutant));
  try {
    if (tests.some(isBuilt)) {
      // What only the types object to is built all the same.
      const compiled = await run(copy, 'tsc', '-p', 'tsconfig.json');
      const absent = unknownName.exec(compiled.said);
      if (absent !== null) return { kind: 'not caught', why: `it is out of date: ${absent[0]}` };
      const { code, said } = await run(copy, 'tsx', 'scripts/build-workflow-bundle.ts');
      if (code !== 0) return { kind: 'not caught', why: `it does not build:\n${said}` };
    }
    const { said, results } = await jest(copy, 1, tests);
    const ends = (results?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
    const failed = ends.find(({ status }) => status === 'failed');
    if (failed !== undefined) return { kind: 'caught', by: failed.fullName };
    // What the fault left behind may break jest before it writes its results.
    const [, told] = (results === null && /^ +✕ (.+) \(\d+ ms\)$/m.exec(said)) || [];
    if (told !== undefined) return { kind: 'caught', by: told };
    return { kind: 'not caught', why: results?.success === true ? 'the tests pass' : said };
  } finally {
    cpSync(join(root, file), join(copy, file));
    if (tests.some(isBuilt)) copyDist(copy);
  }
}

async function written(caught: ReadonlyMap<Mutant, Verdict>): Promise<string> {
  const rows = mutants.map((mutant, at) => {
    const { promise, file, tests } = mutant;
    const paths = tests.map((test) => `\`${test}\``).join(', ');
    return `| ${at + 1} | ${promise} | \`${file}\` | ${paths} | ${caught.get(mutant)?.kind} |`;
  });
  const text = `# Faults that the tests must notice

\`npm run test:mutants\` puts each fault of \`test/mutants.ts\` into a copy of the repository and runs the tests named
beside it: one of them must fail. \`npm run test:mutants -- NAME...\` tries those whose name holds one of the words. It
writes this table when all were tried.

| no. | promise broken | file | tests | outcome |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
  return format(text, { ...(await resolveConfig(table)), parser: 'markdown' });
}

async function main(names: readonly string[]): Promise<void> {
  const begunAt = Date.now();
  const isAsked = ({ name }: Mutant): boolean => names.some((word) => name.includes(word));
  const chosen = names.length === 0 ? mutants : mutants.filter(isAsked);
  if (chosen.length === 0) throw new Error(`no mutant of ${names.join(', ')}`);
  chosen.forEach(withFault);
  const copies = [copyOfRepository(), copyOfRepository()];
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const { said, results } = await jest(copies[0] ?? '', copies.length, files);
  if (results?.success !== true) throw new Error(`these tests fail without any fault:\n${said}`);
  say(`${results.numTotalTests} tests pass without any fault (${seconds(begunAt)})`);

  const verdicts = new Map<Mutant, Verdict>();
  // Those that are built take longest: begun last, they would leave one of the two idle.
  const isSlow = ({ tests }: Mutant): boolean => tests.some(isBuilt);
  const queue = [...chosen.filter(isSlow), ...chosen.filter((one) => !isSlow(one))];
  const tryAll = async (copy: string): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const since = Date.now();
      const verdict = await verdictOn(copy, mutant);
      verdicts.set(mutant, verdict);
      const more = verdict.kind === 'caught' ? verdict.by : verdict.why;
      say(`${verdict.kind}: ${mutant.name} (${seconds(since)}): ${more}`);
    }
  };
  await Promise.all(copies.map(tryAll));
  const missed = chosen.filter((mutant) => verdicts.get(mutant)?.kind !== 'caught');
  if (names.length === 0) writeFileSync(table, await written(verdicts));
  say(`${chosen.length - missed.length} of ${chosen.length} caught in ${seconds(begunAt)}`);
  for (const { name, promise } of missed) say(`not caught: ${name}: ${promise}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
