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

/** What can be erased by age: what the service's evidence is, what it reported, what was uploaded. */
export const erasureClasses = ['pdf', 'results', 'inputs'] as const;
export type ErasureClass = (typeof erasureClasses)[number];

/** Whom an erasure is about, and which items of a job are about nobody else. */
export interface ErasureScope {
  subject: ErasureSubject;
  items: ReadonlySet<number>;
}

interface ErasableTable {
  /** Word in plans and erasure records; null: that of the root of its holders. */
  kind: string | null;
  /** What in it is of a person: shown with a plan. */
  holds: string;
  /** Columns, the one that names the holder first. What is sealed is sealed for them. */
  key: readonly string[];
  /** Sealed columns that may tell of people. */
  bodies: readonly string[];
  /** Rows that are about the subject; of others quotations go. */
  isAbout?: (body: never, scope: ErasureScope) => boolean;
  /** What becomes of them; default: they go. */
  empty?: (body: never) => unknown;
  /** Column that says so. */
  mark?: string;
}

const named = (body: unknown, { subject }: ErasureScope): boolean => isNamedIn(body, subject);

/** Everything that tells of people. A new table is a line here. */
const tables = {
  record: table(null, '', 'key', 'body'),
  job: table(null, '', 'holder', 'input outcome'),
  batch_row: table('rows', 'documents, references and cells as typed', 'work line', 'body', {
    isAbout: (row: StoredRow, { subject }) => subject.holds(row),
    empty: erasedRow,
  }),
  // Of a lane that was terminated: nobody takes them back.
  deferred_row: table('deferred rows', 'numbers of rows', 'work lane item', ''),
  outcome: table(
    'outcomes',
    'how each row ended: names, ids, sums',
    'work item stored_by',
    'body',
    {
      isAbout: ({ item }: OutcomeRecord, { items }) => items.has(item),
      empty: erasedOutcome,
    },
  ),
  fact: table('issuance', 'what the service answered', 'external_id', 'body'),
  // Its rows stay as numbers and ids of the service: they are the books of what was bought.
  attempt: table('attempts', 'what was bought for a document, and when', 'subject n', 'why'),
  resolution: table('resolutions', 'notes of people', 'subject n number', 'said'),
  // Without its tombstone the next scan would store a change again.
  change: table('change', 'changes of monitors as they were reported', 'monitor id', 'body', {
    isAbout: named,
    empty: erasedChange,
    mark: 'is_erased',
  }),
  unreadable_item: table('unreadable change', 'what was listed', 'monitor sum', 'body', {
    isAbout: named,
  }),
  review: table('review', 'notes of people about changes', 'monitor change at', 'body'),
  monitor_answer: table('monitor', 'whom a monitor watches', 'monitor', 'body'),
  subject: table('index', 'keyed names of documents', 'holder', ''),
  subject_number: table('audit index', 'keyed names of documents', 'subject', ''),
};

export type TableName = keyof typeof tables;
export const erasableTables: Readonly<Record<TableName, ErasableTable>> = tables;

/** Tables of a monitor. */
export const monitorTables = ['change', 'unreadable_item', 'review', 'monitor_answer'] as const;

const ofJobs: readonly JobFolders[] = Object.values(jobFolders);
/** First words of the subjects that jobs share. */
export const fences: ReadonlySet<string> = new Set(ofJobs.flatMap(({ fence }) => fence ?? []));

/** Records and jobs by the first word of their keys. */
const roots: Readonly<Record<string, readonly [kind: string, holds: string]>> = {
  pdf: ['pdf', 'certificates'],
  aside: ['aside', 'bytes that came instead of a certificate'],
  inputs: ['input', 'uploaded spreadsheets, CNAB files, invoices, pictures'],
  operations: ['analysis results', 'assignors, payers and receivables'],
  batches: ['batch', 'names of files, labels, counts'],
  changes: ['change files', 'changes of monitors as delivered, by day'],
  ...Object.fromEntries(ofJobs.map(({ root, word, holds }) => [root, [word, holds]])),
};

/** Keys of records that tell of nobody, or that must outlive what they tell of: in HMACs alone. */
export const impersonalKeys =
  /^(?:probe|keys|erasures|backups|restores|dossier-retries|monitor-(?:lists|list-pages|looks)|disabled-sinks)\//;

/** Of the jobs that a folder or key is of; undefined for what stands beside them. */
export function foldersOf(holder: string): JobFolders | undefined {
  const [first] = holder.split('/');
  return ofJobs.find(({ root }) => root === first);
}

/** Roots of what a service reported on people, each with its slash. */
export const reportRoots = ofJobs.flatMap(({ isReport, root }) =>
  isReport === true ? [`${root}/`] : [],
);

/** @returns null for what is not about people */
export function kindOf(name: TableName, holder: string): string | null {
  return erasableTables[name].kind ?? roots[holder.split('/')[0] ?? '']?.[0] ?? null;
}

/** Every kind, in the order of a plan. */
export function allKinds(): { kind: string; holds: string }[] {
  const ofRoots = Object.values(roots).map(([kind, holds]) => ({ kind, holds }));
  const ofTables = Object.values(erasableTables).map(({ kind, holds }) => ({ kind, holds }));
  return [...ofRoots, ...ofTables].flatMap(({ kind, holds }) =>
    kind === null ? [] : [{ kind, holds }],
  );
}

/** What is left of a body in a holder that tells of others too; null: nothing. */
export function emptied(
  name: TableName,
  holder: string,
  body: unknown,
  scope: ErasureScope,
): unknown {
  const { isAbout, empty } = erasableTables[name];
  if (isAbout?.(body as never, scope)) return empty === undefined ? null : empty(body as never);
  // Entries that name the subject go from what was reported about another.
  const { isReport } = foldersOf(holder) ?? {};
  return withoutSubject(body, scope.subject, isReport === true ? { drops: true } : {});
}

/** Below the folder of a job: what the service reported, with its files. */
export const answerKeys = /\/(?:artifacts\/.+|answers?(?:-\d+)?\.json|unreadable\/\w+)$/;

/** Subjects of attempts about documents, whatever of them was bought. */
export function certificateSubjects(names: Iterable<string>): string[] {
  return [...names].flatMap((name) =>
    certificateTypes.map((type) => certificateSubject(type, name)),
  );
}

/** What came instead of the PDF of an issuance. */
export function asideFolder(certidaoId: string): string {
  return `aside/${keySegment(certidaoId)}/`;
}

function table(
  kind: string | null,
  holds: string,
  key: string,
  bodies: string,
  rules: Pick<ErasableTable, 'isAbout' | 'empty' | 'mark'> = {},
): ErasableTable {
  const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
  return { kind, holds, key: words(key), bodies: words(bodies), ...rules };
}
