import type { BatchSummary, RowStatus } from '../../domain/certificates/certificates';
import type { CertificateRecord } from '../../domain/certificates/job';
import type { DecisionRecord } from '../../domain/core/decision';
import type { Look } from '../parts';
import type { Reader } from '../reader';
import type { ReportFigures } from './report-figures';

export interface Report {
  summary: BatchSummary;
  record: CertificateRecord;
  decisions: readonly DecisionRecord[];
  figures: ReportFigures;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** Context of every part of a page. */
export interface Page extends Report {
  reader: Reader;
}

/** Colour of a status: good, open, or possibly charged without a result. */
export const looks: Record<RowStatus, Look> = {
  issued: 'good',
  duplicate: '',
  unknown_outcome: 'bad',
  failed: 'bad',
  expired: 'warn',
  invalid: 'warn',
  unsupported: 'warn',
  cancelled: '',
  erased: '',
};
