import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readAnalysis } from '../../apis/credit/result.wire';
import { readLarge } from '../../store/core/large-objects';
import type { AnalysedPayer } from '../../domain/credit/analysis';
import type { ResultFilter } from '../../domain/credit/operation';
import type { AnalysisResultRef } from '../../domain/credit/work';
import { analysisHtml, type ReportedPayer, type ReportedWork } from '../../report/analysis-html';
import {
  AnalysisSheet,
  issueCells,
  issueColumns,
  receivableCells,
  receivableColumns,
} from '../../sheets/analysis-sheet';
import type { CommandContext } from '../jobs/context';
import { writeWhole } from '../jobs/written-file';

const resultCall = { method: 'GET', pathTemplate: '/v1/operations/{id}/result' } as const;

export interface AnalysisFolderOptions {
  folder: string;
  filter: ResultFilter;
  fileName: string;
  work: ReportedWork;
}

/** A browser unfolds no more than this with ease; the sheets hold all of it. */
const mostReported = 5_000;

/**
 * Writes `result.json`, `titulos.csv`, `issues.csv` and `report.html` from the store: an export, in
 * the clear. Holds the payers and what the report shows, never the whole tree.
 */
export async function writeAnalysisFolder(
  { store }: CommandContext,
  result: AnalysisResultRef,
  { folder, filter, fileName, work }: AnalysisFolderOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const shown = filter === 'all' ? result.allKey : result.issuesKey;
  await writeWhole(folder, 'result.json', readLarge(store, shown));

  // A payer stands behind its receivables, and the assignor behind all: they are read first.
  const payers: AnalysedPayer[] = [];
  const analysis = await readAnalysis(resultCall, readLarge(store, result.allKey), {
    payer: (payer) => void payers.push(payer),
  });
  const { assignor } = analysis;
  const receivables = new AnalysisSheet(join(folder, 'titulos.csv'), receivableColumns);
  const issues = new AnalysisSheet(join(folder, 'issues.csv'), issueColumns);
  const reported = new Map<number, ReportedPayer>();
  let reportedCount = 0;
  const reportedPayer = (place: number): ReportedPayer => {
    const { name, document, status, issues: own } = payers[place] ?? nobody;
    const payer = { name, document, status, issues: own, receivables: [], more: 0 };
    return reported.get(place) ?? (reported.set(place, payer), payer);
  };
  try {
    for (const issue of assignor.issues) issues.write(issueCells('cedente', assignor, issue));
    payers.forEach((payer, place) => {
      for (const issue of payer.issues) issues.write(issueCells('sacado', payer, issue));
      if (payer.issues.length > 0) reportedPayer(place);
    });
    const chunks = drainedBetween(readLarge(store, result.allKey), [receivables, issues]);
    await readAnalysis(resultCall, chunks, {
      receivable(receivable, place) {
        receivables.write(receivableCells(assignor, payers[place], receivable));
        const { id, number: name } = receivable;
        for (const issue of receivable.issues)
          issues.write(issueCells('titulo', { id, name }, issue));
        if (receivable.issues.length === 0) return;
        const payer = reportedPayer(place);
        if (reportedCount < mostReported) {
          payer.receivables.push(receivable);
          reportedCount += 1;
        } else payer.more += 1;
      },
    });
    await receivables.close();
    await issues.close();
  } catch (error) {
    await receivables.abandon();
    await issues.abandon();
    throw error;
  }
  const all = [...reported.values()];
  const page = analysisHtml({
    work,
    analysis,
    fileName,
    contradictions: result.contradictions,
    payers: all.slice(0, mostReported),
    morePayers: Math.max(0, all.length - mostReported),
  });
  await writeWhole(folder, 'report.html', page);
}

const nobody = { name: null, document: null, status: '-', issues: [] };

/** The next part is read when the sheets have taken what the last one made. */
async function* drainedBetween(
  chunks: AsyncIterable<Buffer>,
  sheets: readonly AnalysisSheet[],
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    for (const sheet of sheets) await sheet.drained();
  }
}
