import type { CertificateType, ManifestItem } from './certificates';

/** A work is one batch or one single issuance: what was asked for, in the store under its id. */
export interface RowListRef {
  /** Folder of the store that holds the list of items. */
  folder: string;
  /** Things on the list; their places are numbered from 0. */
  items: number;
  /** Folder of the work that outcomes are stored under: another one for decisions on a batch. */
  outcomesIn: string;
}

/** What a work was started with, as far as a person who reads its results wants to know. */
export interface CertificateTerms {
  /** From a row's request to its outcome. */
  rowDeadlineMs: number;
  /** Epoch milliseconds: what was issued since then is reused. */
  reuseSince: number;
  onUnknown: 'report' | 'reissue';
  /** Rows of a batch in flight at once. */
  concurrency?: number;
  /** Requests of a batch before a person must look. */
  budget?: number | undefined;
}

/** What was asked for: the input of the job. Written once, before the workflow starts. */
export interface CertificateRecord {
  jobId: string;
  kind: 'certificate-batch' | 'certificate';
  type: CertificateType | null;
  label: string | null;
  /** Ordered anew on purpose. */
  rerun?: boolean;
  /** File name of the input, without its folder; null for a single issuance. */
  inputName: string | null;
  inputSha256: string | null;
  inputKey: string | null;
  /** Names of the columns that rows have as `own`; left out where there is no sheet. */
  columns?: readonly string[];
  createdAt: string;
  createdBy: string;
  /** Input lines with content. */
  lines: number;
  blankLines: number;
  items: number;
  /** Not on file for works that an earlier version started. */
  terms?: CertificateTerms;
}

/** What an item is to do in a list made by a person's decision. */
export interface ItemStart {
  /** `buy`: a person decided to send again. `watch`: read this issuance, send nothing. */
  kind: 'buy' | 'watch';
  certidaoId: string | null;
  /** Decisions that the work had taken for the item before. */
  attempts: number;
}

/** An item as an activity sees it. `start` is there only in lists made by a person's decision. */
export type CertificateItem = ManifestItem & { start?: ItemStart };

export const decisionActions = ['reissue', 'abandon', 'watch', 'adopt'] as const;
export type DecisionAction = (typeof decisionActions)[number];

/** Folder of a work, from its workflow id (which holds no document). */
export function certificateFolder(jobId: string): string {
  return `works/${jobId}`;
}

/** The job that has a list: a work, or a decision about one. */
export function jobOfList(list: string): string {
  return list.replace(/\/list-\d+$/, '');
}
