import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cnpj } from '../test/support/documents';
import { runFloor } from './floor';
import { Parts, type Timing } from './parts';
import type { Store } from '../src/store/store';

export interface Figures {
  makespanMs: number;
  rowsPerSecond: number;
  /** Processor time a row, in milliseconds; null for the floor, which has no worker and no server. */
  processorMs: { worker: number; server: number } | null;
  callsPerRow: number;
  /** From completion at the service to the result on file, in milliseconds and against the issuance. */
  lagMs: number;
  lagShare: number;
}

interface SandboxCertificate {
  certificate: { certidao_id: string; created_at: string; completed_at: string };
}

interface SandboxCount {
  requested: number;
  started: number;
  polls: number;
  pdfs: number;
}

/** The calls of an oracle that polls exactly at completion: request, one poll, PDF. */
export const oracleCalls = 3;

export async function measureFloor(timing: Timing, rows: number, inFlight: number) {
  const parts = await Parts.start(timing);
  try {
    await runFloor(parts, documentsOf(200, 1_000_000), inFlight, join(parts.folder, 'warm-up'));
    await parts.reset();
    const folder = join(parts.folder, 'floor');
    const makespanMs = await runFloor(parts, documentsOf(rows), inFlight, folder);
    const onFile = await timesOf(folder, '.pdf');
    return await figures(parts, rows, makespanMs, onFile, null);
  } finally {
    await parts.stop();
  }
}

/** @param warmUpRows other rows that the worker has done before; 0 measures its very first */
export async function measureBatch(
  timing: Timing,
  rows: number,
  inFlight: number,
  warmUpRows: number,
) {
  const parts = await Parts.start(timing);
  try {
    await parts.startEngine();
    const input = join(parts.folder, 'input.csv');
    await writeFile(input, `cnpj\n${documentsOf(rows).join('\n')}\n`);
    const flags = ['--type', 'cnpj', '--concurrency', String(inFlight), '--out', 'out', '--json'];
    if (warmUpRows > 0) await warmUp(parts, warmUpRows);
    const before = parts.processorMs();
    await parts.run(['certificate', 'batch', '--input', input, ...flags]);
    const after = parts.processorMs();
    const summary = await summaryOf(parts);
    const makespanMs = Date.parse(summary.finishedAt) - Date.parse(summary.startedAt);
    const onFile = await timesOfFacts(parts.store());
    return await figures(parts, rows, makespanMs, onFile, {
      worker: (after.worker - before.worker) / rows,
      server: (after.server - before.server) / rows,
    });
  } finally {
    await parts.stop();
  }
}

/** A worker lives long: what its first rows cost is not what a row costs. */
async function warmUp(parts: Parts, rows: number): Promise<void> {
  const input = join(parts.folder, 'warm-up.csv');
  await writeFile(input, `cnpj\n${documentsOf(rows, 1_000_000).join('\n')}\n`);
  const flags = ['--type', 'cnpj', '--concurrency', '100', '--out', 'warm-up', '--json'];
  await parts.run(['certificate', 'batch', '--input', input, ...flags]);
  await parts.reset();
}

async function summaryOf(parts: Parts): Promise<{ startedAt: string; finishedAt: string }> {
  const text = await readFile(join(parts.folder, 'out', 'summary.json'), 'utf8');
  return JSON.parse(text) as { startedAt: string; finishedAt: string };
}

async function figures(
  parts: Parts,
  rows: number,
  makespanMs: number,
  onFile: ReadonlyMap<string, number>,
  processorMs: Figures['processorMs'],
): Promise<Figures> {
  const counts = await parts.ask<SandboxCount[]>('counts');
  const { certificates } = await parts.ask<{ certificates: SandboxCertificate[] }>('state');
  let calls = 0;
  for (const { requested, polls, pdfs } of counts) calls += requested + polls + pdfs;
  let lag = 0;
  let issuance = 0;
  for (const { certificate } of certificates) {
    const completedAt = Date.parse(certificate.completed_at);
    const filedAt = onFile.get(certificate.certidao_id);
    if (filedAt === undefined) throw new Error(`${certificate.certidao_id} is not on file`);
    lag += filedAt - completedAt;
    issuance += completedAt - Date.parse(certificate.created_at);
  }
  if (certificates.length !== rows)
    throw new Error(`${certificates.length} issuances for ${rows} rows`);
  return {
    makespanMs,
    rowsPerSecond: rows / (makespanMs / 1_000),
    processorMs,
    callsPerRow: calls / rows,
    lagMs: lag / rows,
    lagShare: lag / issuance,
  };
}

/** When each issuance was settled for us, by its id. */
async function timesOfFacts(store: Store | null): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  if (store === null) return times;
  for await (const { certidaoId, settledAt } of store.facts.all()) {
    times.set(certidaoId, settledAt);
  }
  return times;
}

/** When each file of an issuance was written, by the id in its name. */
async function timesOf(root: string, ending: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !path.endsWith(ending)) continue;
    times.set(basename(entry.name, ending), (await stat(path)).mtimeMs);
  }
  return times;
}

function documentsOf(rows: number, from = 0): string[] {
  return Array.from({ length: rows }, (_, index) => cnpj(from + index + 1));
}
