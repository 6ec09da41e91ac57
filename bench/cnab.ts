import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCnabFile, type FileTerms } from '../test/support/cnab-files';
import type { Samples } from './run';

interface ScanFigures {
  layout: string;
  megabytes: number;
  receivables: number;
  scan: Run;
  /** Reads the same file in the same way, and adds up its sha256. */
  read: Run;
}

interface Run {
  wallMs: number;
  processorMs: number;
  /** Most memory that the process ever held, Node itself included. */
  peakMib: number;
}

const scanModule = join(__dirname, '..', 'dist', 'receivables', 'scan-file.js');
const rounds = 3;

/** The scan of `credit check`, in a process of its own. */
export async function scannedFile(): Promise<Samples> {
  const figures = await measureCnab(1_000_000);
  const speeds = figures.map(({ megabytes, scan }) => megabytes / (scan.processorMs / 1_000));
  const name = 'a CNAB file of 1,000,000 lines';
  return {
    [`${name}: MB a second of processor time`]: Math.min(...speeds),
    [`${name}: MiB`]: Math.max(...figures.map(({ scan }) => scan.peakMib)),
  };
}

/** A CNAB file of a million lines, looked at by a process that does nothing else. */
async function measureCnab(lines: number): Promise<ScanFigures[]> {
  const folder = await mkdtemp(join(tmpdir(), 'diligence-bench-'));
  try {
    const layouts: [string, FileTerms][] = [
      ['400 columns', { bank: 'itau' }],
      ['444 columns, with NF-e keys', { bank: 'paulista' }],
    ];
    const figures: ScanFigures[] = [];
    for (const [layout, terms] of layouts) {
      const path = join(folder, 'file.rem');
      await writeCnabFile(path, { ...terms, receivables: lines - 2 });
      const { size } = await stat(path);
      // Once to have it in the memory of the system: disks are not what is measured.
      execFileSync('cat', [path], { stdio: ['ignore', 'ignore', 'inherit'] });
      figures.push({
        layout,
        megabytes: size / 1e6,
        receivables: lines - 2,
        scan: best(scanProgram, path),
        read: best(readProgram, path),
      });
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const tellUse = `
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({
    wallMs: performance.now() - startedAt,
    processorMs: (user + system) / 1_000,
    peakMib: process.resourceUsage().maxRSS / 1_024,
  }));`;

const scanProgram = `
  const { scanFile } = require(${JSON.stringify(scanModule)});
  const startedAt = performance.now();
  scanFile(process.argv[1], { today: '2026-11-21' }).then(({ findings }) => {
    if (findings.some(({ level }) => level !== 'warn')) throw new Error('not a good file');
    ${tellUse}
  });`;

const readProgram = `
  const { openSync, readSync } = require('node:fs');
  const hash = require('node:crypto').createHash('sha256');
  const startedAt = performance.now();
  const file = openSync(process.argv[1]);
  const chunk = Buffer.alloc(1_048_576);
  for (let length; (length = readSync(file, chunk)) > 0; ) hash.update(chunk.subarray(0, length));
  hash.digest('hex');
  ${tellUse}`;

/** The quickest of several, since what slows a run down is the rest of the machine. */
function best(program: string, path: string): Run {
  const runs = Array.from({ length: rounds }, () => run(program, path));
  return runs.toSorted((one, other) => one.wallMs - other.wallMs)[0] as Run;
}

function run(program: string, path: string): Run {
  const { stdout, status } = spawnSync(process.execPath, ['-e', program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`ended with ${status}`);
  return JSON.parse(stdout.toString()) as Run;
}
