import type { JobRef } from './core/job-record';
import type { KindFacts } from './core/kind';
import * as index from './kinds';

/** A job: a piece of work that somebody asked for. */

type Folder = (typeof index)[keyof typeof index];
type NamesIn<F, Has> = F extends unknown
  ? { [Name in keyof F]: F[Name] extends Has ? Name : never }[keyof F]
  : never;
export type JobKind = NamesIn<Folder, unknown>;
export type JobBatchKind = NamesIn<Folder, { rows: string }>;

const facts = Object.assign({}, ...Object.values(index)) as Record<JobKind, KindFacts>;
export const kindFacts: Readonly<Record<JobKind, KindFacts>> = facts;
export const jobKinds = Object.keys(facts) as JobKind[];
/** How jobs of all kinds end. */
export const jobStatuses = [
  ...new Set(Object.values(kindFacts).flatMap(({ statuses }) => Object.keys(statuses))),
];

const byPrefix = new Map(Object.entries(facts).map(([kind, one]) => [one.prefix ?? kind, one]));

/** One for all jobs with the same name, where the kind says so. */
export function workflowIdOf(jobId: string): string {
  const parts = jobId.split('/');
  const { workflowParts = 2 } = byPrefix.get(parts[0] ?? '') ?? { workflowParts: Infinity };
  return parts.slice(0, workflowParts).join('/');
}

export function jobFolder(jobId: string): string {
  const [prefix = '', ...rest] = jobId.split('/');
  return [byPrefix.get(prefix)?.root ?? `batches/${prefix}`, ...rest].join('/');
}

export function jobRef(jobId: string): JobRef {
  return { jobId, folder: jobFolder(jobId) };
}

/** `<workflow id>/20261121T101530123Z`. */
export function jobIdAt(workflowId: string, at: Date): string {
  return `${workflowId}/${at.toISOString().replace(/[-:.]/g, '')}`;
}

export interface JobStart {
  id: string;
  kind: JobKind;
  createdAt: string;
  /** Keyed name of its label; null when it has none. */
  label: string | null;
}

export type StopWord = 'paused' | 'cancelled';

export interface JobEnd {
  status: string;
  needsAttention: boolean;
}

export interface JobEnding extends JobEnd {
  endedAt: string;
}

export const languages = ['en', 'pt'] as const;
export type Language = (typeof languages)[number];

export type Words = readonly [en: string, pt: string];

export type Tell = (...words: Words) => void;

export type Say = (en: string, pt: string) => string;

export interface OutputTerms {
  lang: Language;
  /** Sheets for a spreadsheet program in Portuguese. */
  excel: boolean;
  html: boolean;
  pdfNames: 'id' | 'reference';
}
