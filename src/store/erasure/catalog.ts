import { certificateSubject } from '../../domain/core/service/attempts';
import { certificateTypes } from '../../domain/certificates/certificates';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { StoredRow } from '../core/row-writer';
import type { JobFolders } from '../core/jobs/jobs-of-kind';
import * as jobFolders from '../kinds';
import { keySegment } from '../records';
import type { ErasureSubject } from './erasure-subject';
import { isNamedIn, withoutSubject } from './rewriting';
import { erasedChange, erasedOutcome, erasedRow } from './tombstones';

export const erasureClasses = ['pdf', 'results', 'inputs'] as const;
export type ErasureClass = (typeof erasureClasses)[number];

/** The subject of an erasure, and the items of a job that are about no other subject. */
export interface ErasureScope {
  subject: ErasureSubject;
  items: ReadonlySet<number>;
}

interface ErasableTable {
  /** Name in plans and erasure records; null: that of its holders' root. */
  kind: string | null;
  /** Rows about the subject; in others only quotations are erased. */
  isAbout?: (body: never, scope: ErasureScope) => boolean;
  /** The emptied body; default: the row is removed. */
  empty?: (body: never) => unknown;
  mark?: string;
}

const named = (body: unknown, { subject }: ErasureScope): boolean => isNamedIn(body, subject);

/** All tables with personal data, in the bodies of their rows. A new one is a line here. */
const tables = {
  record: { kind: null },
  job: { kind: null },
  batch_row: {
    kind: 'rows',
    isAbout: (row: StoredRow, { subject }: ErasureScope) => subject.holds(row),
    empty: erasedRow,
  },
  // Of a terminated lane: they are never read back.
  deferred_row: { kind: 'deferred rows' },
  outcome: {
    kind: 'outcomes',
    isAbout: ({ item }: OutcomeRecord, { items }: ErasureScope) => items.has(item),
    empty: erasedOutcome,
  },
  fact: { kind: 'issuance' },
  // Its rows stay as numbers and ids of the service: the books of purchases.
  attempt: { kind: 'attempts' },
  resolution: { kind: 'resolutions' },
  // Without its erasure record the next scan would store a change again.
  change: { kind: 'change', isAbout: named, empty: erasedChange, mark: 'is_erased' },
  unreadable_item: { kind: 'unreadable change', isAbout: named },
  review: { kind: 'review' },
  monitor_answer: { kind: 'monitor' },
  subject: { kind: 'index' },
  subject_number: { kind: 'audit index' },
} satisfies Record<string, ErasableTable>;

export type TableName = keyof typeof tables;
export const erasableTables: Readonly<Record<TableName, ErasableTable>> = tables;

export const monitorTables = ['change', 'unreadable_item', 'review', 'monitor_answer'] as const;

const ofJobs: readonly JobFolders[] = Object.values(jobFolders);
/** First segments of the subjects that jobs share. */
export const fences: ReadonlySet<string> = new Set(ofJobs.flatMap(({ fence }) => fence ?? []));

/** Kinds of records and jobs by the first segment of their keys. */
const roots: Readonly<Record<string, string>> = {
  pdf: 'pdf',
  aside: 'aside',
  inputs: 'input',
  operations: 'analysis results',
  batches: 'batch',
  changes: 'change files',
  ...Object.fromEntries(ofJobs.map(({ root, word }) => [root, word])),
};

/** Keys of records without personal data, or that must outlive it: HMACs only. */
export const impersonalKeys =
  /^(?:(?:probe|keys|erasures|backups|restores|dossier-retries|monitor-(?:lists|list-pages|looks)|disabled-sinks)\/|service-addresses\.json$)/;

export function foldersOf(holder: string): JobFolders | undefined {
  const [first] = holder.split('/');
  return ofJobs.find(({ root }) => root === first);
}

/** Roots of reports on persons, each with its slash. */
export const reportRoots = ofJobs.flatMap(({ isReport, root }) =>
  isReport === true ? [`${root}/`] : [],
);

/** @returns null for data without persons */
export function kindOf(name: TableName, holder: string): string | null {
  return erasableTables[name].kind ?? roots[holder.split('/')[0] ?? ''] ?? null;
}

export function allKinds(): string[] {
  const ofTables = Object.values(erasableTables).flatMap(({ kind }) => kind ?? []);
  return [...Object.values(roots), ...ofTables];
}

/** The rest of a body in a holder that has data about others too; null: nothing. */
export function emptied(
  name: TableName,
  holder: string,
  body: unknown,
  scope: ErasureScope,
): unknown {
  const { isAbout, empty } = erasableTables[name];
  if (isAbout?.(body as never, scope)) return empty === undefined ? null : empty(body as never);
  // Entries that name the subject are removed from reports about others.
  const { isReport } = foldersOf(holder) ?? {};
  return withoutSubject(body, scope.subject, isReport === true ? { drops: true } : {});
}

/** Keys below a job folder: reports with their files. */
export const answerKeys = /\/(?:artifacts\/.+|answers?(?:-\d+)?\.json|unreadable\/\w+)$/;

export function certificateSubjects(names: Iterable<string>): string[] {
  return [...names].flatMap((name) =>
    certificateTypes.map((type) => certificateSubject(type, name)),
  );
}

/** Folder of bytes received instead of the PDF of an issuance. */
export function asideFolder(certidaoId: string): string {
  return `aside/${keySegment(certidaoId)}/`;
}
