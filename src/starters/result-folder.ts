import { copyFile, constants, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BatchSummary, FiledRow, ResultRow } from '../domain/certificates';
import { openResultSheet } from '../sheets/result-sheet';
import type { Workplace } from './workplace';

export interface ResultFolderOptions {
  folder: string;
  /** `;`, BOM, CRLF and punctuated documents, for a spreadsheet program in Portuguese. */
  excel: boolean;
  pdfNames: 'id' | 'reference';
}

/**
 * Writes the analyst's folder from the archive: `results.csv`, `summary.json`, `pdf/`. It is an
 * export, in the clear. Written again, it replaces the sheets and adds what is missing.
 */
export async function writeResultFolder(
  place: Workplace,
  workFolder: string,
  summary: BatchSummary,
  { folder, excel, pdfNames }: ResultFolderOptions,
): Promise<void> {
  await mkdir(join(folder, 'pdf'), { recursive: true });
  const sheet = openResultSheet(join(folder, 'results.csv'), { excel });
  try {
    for await (const row of place.works.rows(workFolder)) {
      const pdf = row.pdfKey === null ? null : await exportPdf(place, row, folder, pdfNames);
      await sheet.write(toResultRow(row, pdf));
    }
    await sheet.close();
  } catch (error) {
    await sheet.abandon();
    throw error;
  }
  const aside = join(folder, '.summary.json');
  await writeFile(aside, `${JSON.stringify(summaryDocument(summary), null, 2)}\n`);
  await rename(aside, join(folder, 'summary.json'));
}

/** `summary.json`: the count of each status stands beside `total`, as a reader expects it. */
export function summaryDocument(summary: BatchSummary): Record<string, unknown> {
  const { counts, batchId, total, ...rest } = summary;
  return { batchId, total, ...counts, counts, ...rest };
}

async function exportPdf(
  place: Workplace,
  row: FiledRow,
  folder: string,
  names: 'id' | 'reference',
): Promise<string | null> {
  if (row.pdfKey === null) return null;
  const name = pdfName(row, row.pdfKey, names);
  const target = join(folder, 'pdf', name);
  const source = place.archive.localPath(row.pdfKey);
  if (source !== null) {
    const [there, here] = await Promise.all([sizeOf(target), sizeOf(source)]);
    if (here === null) return null;
    if (there !== here) await copyFile(source, target, constants.COPYFILE_FICLONE);
  } else {
    const bytes = await place.archive.get(row.pdfKey);
    if (bytes === null) return null;
    await writeFile(target, bytes);
  }
  return `pdf/${name}`;
}

/** No document in the name, unless the user's own references hold one. */
function pdfName(row: FiledRow, key: string, names: 'id' | 'reference'): string {
  const reference = row.reference.normalize('NFKD').replace(/[^A-Za-z0-9_-]+/g, '-');
  if (names === 'id' || /^-*$/.test(reference)) return basename(key);
  const mark = (row.certidaoId ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 8);
  return `${reference.slice(0, 80)}_${mark}.pdf`;
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    (found) => found.size,
    () => null,
  );
}

function toResultRow(row: FiledRow, pdf: string | null): ResultRow {
  const { pdfKey: _key, item: _item, issuances: _issuances, ...columns } = row;
  return { ...columns, pdf };
}
