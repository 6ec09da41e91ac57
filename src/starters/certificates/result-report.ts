import { decisionsOf } from '../../store/core/jobs/inbox';
import type { BatchSummary, StoredResultRow } from '../../domain/certificates/certificates';
import type { ReportLanguage } from '../../report/formats';
import { CertificateJobs } from '../../store/certificates/jobs';
import { ReportFold } from '../../report/certificates/report-figures';
import { reportHtml } from '../../report/certificates/report-html';
import type { CommandContext } from '../jobs/context';
import { writeWhole } from '../jobs/written-file';

/** `report.html` of a result folder: collects every row first, then writes. */
export class ResultReport {
  readonly #fold = new ReportFold();
  readonly #place: CommandContext;
  readonly #workFolder: string;

  constructor(ctx: CommandContext, certificateFolder: string) {
    this.#place = ctx;
    this.#workFolder = certificateFolder;
  }

  add(row: StoredResultRow): void {
    this.#fold.add(row);
  }

  async write(folder: string, summary: BatchSummary, language: ReportLanguage): Promise<void> {
    const certificateJobs = new CertificateJobs(this.#place.store);
    const record = await certificateJobs.record(this.#workFolder);
    if (record === null) throw new Error(`the store does not hold the job of ${this.#workFolder}`);
    const decisions = await decisionsOf(this.#place.store, this.#workFolder);
    const figures = this.#fold.figures();
    const report = { summary, record, decisions, figures, writtenAt: Date.now() };
    await writeWhole(folder, 'report.html', reportHtml(report, language));
  }
}
