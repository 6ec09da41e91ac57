import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, postsOf } from './batch-account';
import { eventually, readSheetLines, type Installation } from './diligence-process';
import { sheetOf } from './documents';

const rows = 30;

/** Requests that take a while, and issuances that do not. */
export const slowRequests = {
  latencyMs: [100, 200],
  issuance: { waitingMs: [20, 50], processingMs: [100, 300], distribution: 'uniform' },
} as const;

/** @returns the id of a batch that has requested its first rows */
export async function batchUnderWay(place: Installation): Promise<string> {
  await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  const words = ['certificate', 'batch', '--input', 'input.csv', '--detach', '--json'];
  const { id } = JSON.parse((await place.run(words)).stdout) as { id: string };
  await eventually('it is under way', () => postsOf(place.sandbox).length >= 8);
  return id;
}

/** The lines of its sheet, and what contradicts them in what the service saw. */
export async function accountOf(place: Installation, id: string) {
  // The process that ran the commands may have opened another store.
  await place.endCommands();
  await (await place.client()).workflow.getHandle(id).result();
  const { code, stderr } = await place.run(['result', id, '--out', 'out']);
  if (code !== 0 && code !== 3) throw new Error(`result ended with ${code}: ${stderr}`);
  const folder = join(place.folder, 'out');
  const lines = await readSheetLines(join(folder, 'results.csv'));
  expect(lines).toHaveLength(rows);
  return { lines, found: await contradictions(place.sandbox, lines, folder) };
}
