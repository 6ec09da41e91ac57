import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions } from '../support/batch-account';
import { Installation, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 12;
const sealed = { DILIGENCE_ARCHIVE_ENCRYPTION: 'on' };

describe('an installation whose archive is encrypted', () => {
  let place: Installation;

  beforeAll(async () => {
    const quick = { waitingMs: [10, 20], processingMs: [10, 50], distribution: 'uniform' };
    place = await Installation.start({ issuance: quick } as never, sealed);
    await place.startWorkerHere();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  /** Objects of the archive that hold one of the texts. */
  async function holders(texts: readonly string[]): Promise<string[]> {
    const root = join(place.folder, 'data', 'archive');
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

  test('reads it again when encryption is off, and not without its keys', async () => {
    const again = ['certificate', 'batch', '--input', 'input.csv', '--out', 'again'];
    const clear = await place.run(again, { DILIGENCE_ARCHIVE_ENCRYPTION: 'off' });
    expect({ code: clear.code, stderr: clear.code === 0 ? '' : clear.stderr }).toEqual({
      code: 0,
      stderr: '',
    });
    const lines = await readSheetLines(join(place.folder, 'again', 'results.csv'));
    expect(lines).toHaveLength(rows);

    const withoutKeys = await place.run(again, { DILIGENCE_PAYLOAD_KEYS: 'off' });
    expect(withoutKeys.code).toBe(2);
    expect(withoutKeys.stderr).toContain('DILIGENCE_ARCHIVE_ENCRYPTION: is on');

    const otherKey = `k-other:${'5e'.repeat(32)}`;
    const wrong = await place.run(again, { DILIGENCE_PAYLOAD_KEYS: otherKey });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).not.toContain('5e5e');
  }, 120_000);

  test('counts what lies in the clear from before', async () => {
    await writeFile(join(place.folder, 'more.csv'), sheetOf(2, 100));
    const off = { DILIGENCE_ARCHIVE_ENCRYPTION: 'off' };
    const ended = await place.run(['certificate', 'batch', '--input', 'more.csv'], off);
    expect(ended.code).toBe(0);
    const examined = await place.run(['doctor', '--json']);
    const { findings } = JSON.parse(examined.stdout) as { findings: { check: string }[] };
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'archive encryption',
        state: 'warn',
        detail: expect.stringMatching(/^on, but \d+ of \d+ objects are in the clear$/) as string,
      }),
    );
  }, 60_000);
});
