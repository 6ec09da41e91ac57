import type { CertificateType, ManifestItem } from './certificates';

export interface RowListRef {
  folder: string;
  items: number;
  /** Folder of the job that outcomes are stored under: differs for resolutions of a batch. */
  outcomesIn: string;
}

export interface CertificateTerms {
  rowDeadlineMs: number;
  /** Epoch milliseconds: certificates issued since then are reused. */
  reuseSince: number;
  onUnknown: 'report' | 'reissue';
  concurrency?: number;
  budget?: number | undefined;
}

export interface CertificateRecord {
  jobId: string;
  kind: 'certificate-batch' | 'certificate';
  type: CertificateType | null;
  label: string | null;
  rerun?: boolean;
  inputName: string | null;
  inputSha256: string | null;
  inputKey: string | null;
  /** Names of the columns that rows have as `own`; left out without a sheet. */
  columns?: readonly string[];
  createdAt: string;
  createdBy: string;
  lines: number;
  blankLines: number;
  items: number;
  /** Missing in jobs of an earlier version. */
  terms?: CertificateTerms;
}

export interface ItemStart {
  /** `buy`: a person decided to send again. `watch`: read this issuance, send nothing. */
  kind: 'buy' | 'watch';
  certidaoId: string | null;
  attempts: number;
}

/** An item for an activity. `start`: only in lists of resolutions. */
export type CertificateItem = ManifestItem & { start?: ItemStart };

export const decisionActions = ['reissue', 'abandon', 'watch', 'adopt'] as const;
export type DecisionAction = (typeof decisionActions)[number];

/** Folder of a job, from its workflow id (which holds no document). */
export function certificateFolder(jobId: string): string {
  return `works/${jobId}`;
}

/** All rows of a job. */
export function allRows({ jobId, items }: Pick<CertificateRecord, 'jobId' | 'items'>): RowListRef {
  const folder = certificateFolder(jobId);
  return { folder, items, outcomesIn: folder };
}

/** The job of a list: a job, or a resolution of one. */
export function jobOfList(list: string): string {
  return list.replace(/\/list-\d+$/, '');
}
