import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  BatchSummary,
  StoredResultRow,
  ResultRow,
} from '../../domain/certificates/certificates';
import { CertificateJobs } from '../../store/certificates/jobs';
import { openResultSheet } from '../../sheets/write/result-sheet';
import { fitsWorkbook, openResultWorkbook } from '../../sheets/write/result-workbook';
import type { ExportOptions } from '../jobs/job-kind';
import { pdfName, summaryDocument } from './result-names';
import { ResultReport } from './result-report';
import type { CommandContext } from '../jobs/context';
import { writeWhole } from '../jobs/written-file';

export interface ResultFolderOptions extends Omit<ExportOptions, 'html'> {
  folder: string;
}

/**
 * Writes the analyst's folder from the store: `results.csv`, `results.xlsx`, `summary.json`,
 * `report.html`, `pdf/`. An export, unencrypted; the report masks documents. Written again, it
 * replaces the sheets and the report, and adds what is missing.
 */
export async function writeResultFolder(
  ctx: CommandContext,
  certificateFolder: string,
  summary: BatchSummary,
  { folder, excel, pdfNames, lang }: ResultFolderOptions,
): Promise<string[]> {
  await mkdir(join(folder, 'pdf'), { recursive: true });
  const certificateJobs = new CertificateJobs(ctx.store);
  const { columns = [] } = (await certificateJobs.record(certificateFolder)) ?? {};
  const sheet = openResultSheet(join(folder, 'results.csv'), { columns, excel });
  const workbook = openResultWorkbook(join(folder, 'results.xlsx'), summary.total, columns);
  const report = new ResultReport(ctx, certificateFolder);
  try {
    for await (const row of certificateJobs.rows(certificateFolder)) {
      report.add(row);
      const pdf = row.pdfKey === null ? null : await exportPdf(ctx, row, folder, pdfNames);
      const result = toResultRow(row, pdf);
      await sheet.write(result);
      await workbook.write(result);
    }
    await sheet.close();
    await workbook.close();
  } catch (error) {
    await sheet.abandon();
    throw error;
  }
  const document = `${JSON.stringify(summaryDocument(summary), null, 2)}\n`;
  await writeWhole(folder, 'summary.json', document);
  await report.write(folder, summary, lang);
  const names = ['results.csv', 'summary.json', 'report.html', 'pdf/'];
  return fitsWorkbook(summary.total, columns.length) ? [...names, 'results.xlsx'] : names;
}

async function exportPdf(
  ctx: CommandContext,
  row: StoredResultRow,
  folder: string,
  names: 'id' | 'reference',
): Promise<string | null> {
  if (row.pdfKey === null) return null;
  const name = pdfName(row, row.pdfKey, names);
  const target = join(folder, 'pdf', name);
  const bytes = await ctx.store.records.get(row.pdfKey);
  if (bytes === null) return null;
  if ((await sizeOf(target)) !== bytes.length) await writeFile(target, bytes);
  return `pdf/${name}`;
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    (found) => found.size,
    () => null,
  );
}

function toResultRow(row: StoredResultRow, pdf: string | null): ResultRow {
  const { pdfKey: _key, item: _item, issuances: _issuances, ...columns } = row;
  return { ...columns, pdf };
}
