import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions } from '../support/batch-account';
import { Installation, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 12;

describe('the store of an installation', () => {
  let place: Installation;

  beforeAll(async () => {
    const quick = { waitingMs: [10, 20], processingMs: [10, 50], distribution: 'uniform' };
    place = await Installation.start({ issuance: quick } as never);
    await place.startWorkerHere();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  /** Objects of the store that hold one of the texts. */
  async function holders(texts: readonly string[]): Promise<string[]> {
    const root = join(place.folder, 'data', 'store');
    const found: string[] = [];
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      if (texts.some((text) => bytes.includes(text))) found.push(entry.name);
    }
    return found;
  }

  test('holds neither documents nor PDFs in the clear, and exports both', async () => {
    const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out'];
    const ended = await place.run(batch);
    expect({ code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({
      code: 0,
      stderr: '',
    });
    const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));
    expect(lines.map(({ status }) => status)).toEqual(lines.map(() => 'issued'));
    expect(lines).toHaveLength(rows);
    expect(await contradictions(place.sandbox, lines, join(place.folder, 'out'))).toEqual([]);
    const documents = Array.from({ length: rows }, (_, index) => cnpj(index + 1));
    expect(await holders([...documents, '%PDF-', '"outcome"'])).toEqual([]);
    expect(await holders(['DILIGENCE1'])).not.toEqual([]);
  }, 120_000);

  test('is not read without its keys', async () => {
    const again = ['certificate', 'batch', '--input', 'input.csv', '--out', 'again'];
    const otherKey = `k-other:${'5e'.repeat(32)}`;
    const wrong = await place.run(again, { DILIGENCE_PAYLOAD_KEYS: otherKey });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).not.toContain('5e5e');
  }, 120_000);
});
