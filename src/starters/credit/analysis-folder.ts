import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readAnalysis } from '../../apis/credit/result.wire';
import { readLarge } from '../../store/core/large-objects';
import type { AnalysisOutcome, AnalysisRecord, AnalysisResultRef } from '../../domain/credit/job';
import { analysisHtml } from '../../report/credit/page';
import { AnalysisFigures } from '../../report/credit/figures';
import type { ReportLanguage } from '../../report/formats';
import {
  issueCells,
  issueColumns,
  receivableCells,
  receivableColumns,
} from '../../sheets/write/credit-sheets';
import { CsvFile } from '../../sheets/write/csv-file';
import type { Store } from '../../store/store';
import { evidenceOf } from '../jobs/export-job';
import { writeWhole } from '../jobs/written-file';
import { firstReading, resultCall } from './findings';

/**
 * Writes `result.json`, `titulos.csv`, `issues.csv` and `report.html` from the store: an unencrypted
 * export. Keeps the payers and the report's figures in memory, never the whole tree.
 */
export async function writeAnalysisFolder(
  store: Store,
  job: AnalysisRecord,
  outcome: AnalysisOutcome,
  result: AnalysisResultRef,
  { folder, lang }: { folder: string; lang: ReportLanguage },
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const shown = job.filter === 'all' ? result.allKey : result.issuesKey;
  await writeWhole(folder, 'result.json', readLarge(store, shown));

  // A payer comes after its receivables, and the assignor after all: they are read first.
  const { analysis, payers } = await firstReading(store, result);
  const { assignor } = analysis;
  const receivables = new CsvFile(join(folder, 'titulos.csv'), receivableColumns);
  const issues = new CsvFile(join(folder, 'issues.csv'), issueColumns);
  const figures = new AnalysisFigures();
  figures.assignor(assignor);
  try {
    for (const issue of assignor.issues) issues.write(issueCells('cedente', assignor, issue));
    payers.forEach((payer, index) => {
      figures.payer(payer, index);
      for (const issue of payer.issues) issues.write(issueCells('sacado', payer, issue));
    });
    const chunks = drainedBetween(readLarge(store, result.allKey), [receivables, issues]);
    await readAnalysis(resultCall, chunks, {
      receivable(receivable, index) {
        figures.receivable(receivable, index);
        receivables.write(receivableCells(assignor, payers[index], receivable));
        const { id, number: name } = receivable;
        for (const issue of receivable.issues)
          issues.write(issueCells('titulo', { id, name }, issue));
      },
    });
    await receivables.close();
    await issues.close();
  } catch (error) {
    await receivables.abandon();
    await issues.abandon();
    throw error;
  }
  const files = ['result.json', 'titulos.csv', 'issues.csv'];
  const page = analysisHtml(
    {
      job,
      outcome,
      analysis,
      contradictions: result.contradictions,
      figures,
      files: await evidenceOf(folder, files),
      writtenAt: Date.now(),
    },
    lang,
  );
  await writeWhole(folder, 'report.html', page);
  return [...files, 'report.html'];
}

/** Reads the next part only when the sheets have written the last one. */
async function* drainedBetween(
  chunks: AsyncIterable<Buffer>,
  sheets: readonly CsvFile[],
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    for (const sheet of sheets) await sheet.drained();
  }
}
