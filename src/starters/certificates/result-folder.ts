import { statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { BatchSummary, ResultRow } from '../../domain/certificates/certificates';
import type { OpenResultRow } from '../../domain/certificates/result-rows';
import { CertificateJobs } from '../../store/certificates/jobs';
import { openResultSheet } from '../../sheets/write/result-sheet';
import { fitsWorkbook, openResultWorkbook } from '../../sheets/write/result-workbook';
import { evidenceOf } from '../jobs/export-job';
import type { ExportOptions } from '../jobs/job-kind';
import type { CommandContext } from '../jobs/context';
import { pdfName, summaryDocument } from './rows';
import { writeWhole } from '../jobs/written-file';
import { decisionsOf } from '../../store/core/jobs/inbox';
import { ReportFigures } from '../../report/certificates/figures';
import { reportHtml } from '../../report/certificates/page';

/** Rows keep their order. */
const pdfsAtOnce = 8;

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
  const certificateJobs = new CertificateJobs(ctx.store);
  const record = await certificateJobs.record(certificateFolder);
  if (record === null) throw new Error(`the store does not hold the job of ${certificateFolder}`);
  const figures = new ReportFigures(record.kind);
  const files = await writeSheets(
    ctx,
    certificateFolder,
    certificateJobs.rows(certificateFolder),
    (row) => figures.add(row),
    { total: summary.total, folder, excel, pdfNames },
  );
  const document = `${JSON.stringify(summaryDocument(summary), null, 2)}\n`;
  await writeWhole(folder, 'summary.json', document);
  const report = {
    summary,
    record,
    decisions: await decisionsOf(ctx.store, certificateFolder),
    figures,
    files: await evidenceOf(folder, ['results.csv', 'summary.json']),
    writtenAt: Date.now(),
  };
  await writeWhole(folder, 'report.html', reportHtml(report, lang));
  return ['results.csv', 'summary.json', 'report.html', ...files];
}

/** What is stored of a batch that has not ended: the sheets, with the rows that are `open`, and PDFs. */
export async function writeResultSoFar(
  ctx: CommandContext,
  { folder: from, id }: { folder: string; id: string },
  options: Omit<ResultFolderOptions, 'lang'>,
): Promise<string[]> {
  const certificateJobs = new CertificateJobs(ctx.store);
  const { lines: total } = (await certificateJobs.record(from)) ?? { lines: 0 };
  const counts: Partial<Record<ResultRow['status'], number>> = {};
  const files = await writeSheets(
    ctx,
    from,
    certificateJobs.rowsSoFar(from),
    ({ status }) => (counts[status] = (counts[status] ?? 0) + 1),
    { ...options, total },
  );
  const document = { batchId: id, ended: false, total, counts };
  await writeWhole(options.folder, 'summary.json', `${JSON.stringify(document, null, 2)}\n`);
  return ['results.csv', 'summary.json', ...files];
}

/** @returns what is written beside `results.csv` */
async function writeSheets<Row extends OpenResultRow>(
  ctx: CommandContext,
  from: string,
  rows: AsyncIterable<Row>,
  see: (row: Row) => unknown,
  { excel, folder, pdfNames, total }: Omit<ResultFolderOptions, 'lang'> & { total: number },
): Promise<string[]> {
  await mkdir(join(folder, 'pdf'), { recursive: true });
  const { columns = [] } = (await new CertificateJobs(ctx.store).record(from)) ?? {};
  const sheet = openResultSheet(join(folder, 'results.csv'), { columns, excel });
  const workbook = openResultWorkbook(join(folder, 'results.xlsx'), total, columns);
  try {
    const exported = Readable.from(rows).map(
      async (row: Row) => ({ row, pdf: await exportPdf(ctx, row, folder, pdfNames) }),
      { concurrency: pdfsAtOnce },
    ) as AsyncIterable<{ row: Row; pdf: string | null }>;
    for await (const { row, pdf } of exported) {
      see(row);
      const { pdfKey: _, item: __, issuances: ___, ...cells }: OpenResultRow = row;
      const result = { ...cells, pdf };
      await sheet.write(result);
      await workbook.write(result);
    }
    await sheet.close();
    await workbook.close();
  } catch (error) {
    await sheet.abandon();
    throw error;
  }
  return fitsWorkbook(total, columns.length) ? ['pdf/', 'results.xlsx'] : ['pdf/'];
}

async function exportPdf(
  ctx: CommandContext,
  row: OpenResultRow,
  folder: string,
  names: 'id' | 'reference',
): Promise<string | null> {
  if (row.pdfKey === null) return null;
  const name = pdfName(row, row.pdfKey, names);
  const target = join(folder, 'pdf', name);
  const bytes = await ctx.store.records.get(row.pdfKey);
  if (bytes === null) return null;
  // At once: a turn of another thread for each call would take longer than the call.
  const found = statSync(target, { throwIfNoEntry: false });
  if (found?.size !== bytes.length) writeFileSync(target, bytes);
  return `pdf/${name}`;
}
