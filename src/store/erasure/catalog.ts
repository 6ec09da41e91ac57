import { certificateSubject } from '../../domain/attempts';
import { certificateTypes } from '../../domain/certificates';
import { documentsIn } from '../../domain/held-documents';
import type { AnalysisOutcome } from '../../domain/credit/work';
import type { OutcomeRecord } from '../../domain/outcomes';
import type { DecisionRecord } from '../../domain/work';
import type { StoredRow } from '../core/row-writer';
import { operationFolder } from '../credit/analyses';
import { keySegment } from '../records';
import type { ErasureSubject } from './erasure-subject';
import { withoutSubject } from './rewriting';
import {
  erasedDecision,
  erasedOutcome,
  erasedRow,
  withoutAnswer,
  withoutUploads,
} from './tombstones';

/** What can be erased by age: what the service's evidence is, what it reported, what was uploaded. */
export const erasureClasses = ['pdf', 'results', 'inputs'] as const;
export type ErasureClass = (typeof erasureClasses)[number];

/** What was asked to be erased: documents by their keyed name alone. */
export type ErasureTarget =
  | { kind: 'document'; name: string }
  /** What was searched for, by its keyed name. */
  | { kind: 'target'; name: string }
  | { kind: 'job'; id: string }
  | { kind: 'age'; class: ErasureClass; endedBefore: string };

/** What an erasure is about within one holder. */
export interface ErasureScope {
  subject: ErasureSubject;
  /** Items of a job that are about the subject alone. */
  items: ReadonlySet<number>;
  /** Uploads and operations that go. */
  gone: ReadonlySet<string>;
}

/** What is left of a body in a holder that tells of others too; null: nothing. */
type Empty = (body: unknown, scope: ErasureScope) => unknown;

interface StoredKind {
  /** Word in plans and erasure records. */
  kind: string;
  /** What in it is of a person: shown with a plan. */
  holds: string;
  /** Its key holds an id of the service's, or a sum: an erasure record names it by its MAC. */
  hidesKey?: true;
  /** Default: quotations go. */
  empty?: Empty;
}

interface SealedTable extends StoredKind {
  /** Columns, the one that names the holder first. What is sealed is sealed for them. */
  key: readonly string[];
  body: 'body' | 'said' | 'why' | null;
  /** What is emptied stays as its own tombstone. */
  isMarked?: true;
}

/** Tables with sealed bodies or keyed names. */
export const sealedTables = {
  batch_row: {
    kind: 'rows',
    holds: 'documents, references and cells as typed',
    key: ['work', 'line'],
    body: 'body',
    empty: as<StoredRow>((row, { subject }) =>
      subject.holds(row) ? erasedRow(row) : withoutSubject(row, subject),
    ),
  },
  outcome: {
    kind: 'outcomes',
    holds: 'how each row ended: names, ids and sums of certificates',
    key: ['work', 'item', 'filed_by'],
    body: 'body',
    empty: as<OutcomeRecord>((outcome, { subject, items }) =>
      items.has(outcome.item) ? erasedOutcome(outcome) : withoutSubject(outcome, subject),
    ),
  },
  fact: {
    kind: 'issuance',
    holds: 'what the service answered',
    key: ['external_id'],
    body: 'body',
    hidesKey: true,
  },
  attempt: {
    kind: 'attempts',
    holds: 'what was bought for a document, and when',
    key: ['subject', 'n'],
    body: 'why',
  },
  resolution: {
    kind: 'resolutions',
    holds: 'notes of people about what was bought',
    key: ['subject', 'n', 'number'],
    body: 'said',
  },
  change: {
    kind: 'change',
    holds: 'changes of monitors as the service reported them',
    key: ['monitor', 'id'],
    body: 'body',
    isMarked: true,
    hidesKey: true,
  },
  unreadable_item: {
    kind: 'unreadable change',
    holds: 'what the service listed among changes',
    key: ['monitor', 'sum'],
    body: 'body',
    hidesKey: true,
  },
  review: {
    kind: 'review',
    holds: 'notes of people about changes',
    key: ['monitor', 'change', 'at'],
    body: 'body',
    hidesKey: true,
  },
  monitor_answer: {
    kind: 'monitor',
    holds: 'whom a monitor watches, its name and e-mail addresses',
    key: ['monitor'],
    body: 'body',
    hidesKey: true,
  },
  subject: {
    kind: 'index',
    holds: 'keyed names of documents',
    key: ['holder', 'subject', 'line'],
    body: null,
    hidesKey: true,
  },
} satisfies Record<string, SealedTable>;

export type TableName = keyof typeof sealedTables;

export function tableOf(name: TableName): SealedTable {
  return sealedTables[name];
}

interface RecordKind extends StoredKind {
  keys: RegExp;
  /** Nobody can say what stands in it. */
  isWhole?: true;
}

/** Input of a job: it forgets an upload that is gone. */
const input: Empty = (job, { subject, gone }) => withoutSubject(withoutUploads(job, gone), subject);
/** Entries that name the subject go from what was reported about another. */
const report: Empty = (answer, { subject }) => withoutSubject(answer, subject, { drops: true });

/** Records by their keys. A new resource adds its lines here. */
export const recordKinds: readonly RecordKind[] = [
  { kind: 'pdf', keys: /^pdf\//, holds: 'certificates', hidesKey: true },
  {
    kind: 'aside',
    keys: /^aside\//,
    holds: 'bytes that came instead of a certificate',
    hidesKey: true,
  },
  {
    kind: 'input',
    keys: /^inputs\//,
    holds: 'uploaded spreadsheets, CNAB files, invoices and pictures',
    hidesKey: true,
  },
  {
    kind: 'analysis results',
    keys: /^operations\//,
    holds: 'assignors, payers and receivables, as the credit service judged them',
    hidesKey: true,
  },
  {
    kind: 'analysis',
    keys: /^analyses\/.+\/asked\.json$/,
    holds: 'names of files, and reasons of people',
    empty: input,
  },
  {
    kind: 'analysis outcome',
    keys: /^analyses\/.+\/outcome\.json$/,
    holds: 'counts and sums, and how an analysis ended',
    empty: as<AnalysisOutcome>((outcome, { subject, gone }) => {
      const isGone = gone.has(operationFolder(outcome.operationId ?? ''));
      return withoutSubject(isGone ? withoutAnswer(outcome) : outcome, subject);
    }),
  },
  {
    kind: 'unread answer',
    keys: /^analyses\/.+\/unread-answer$/,
    holds: 'an answer in which no id was found',
    isWhole: true,
  },
  {
    kind: 'credit batch',
    keys: /^credit-batches\//,
    holds: 'names of files and folders, and why files were not sent',
  },
  {
    kind: 'profile',
    keys: /^profiles\//,
    holds: 'a CPF, and what the service reported of the assets of a person',
    empty: report,
  },
  {
    kind: 'trace',
    keys: /^traces\//,
    holds: 'a target, and what the service found about it',
    empty: report,
  },
  {
    kind: 'trace owner',
    keys: /^trace-owners\//,
    holds: 'ids of searches, with the keyed names of what was asked',
    hidesKey: true,
  },
  {
    kind: 'batch of lookups',
    keys: /^inquiries\//,
    holds: 'names of files, labels, and ids of searches and lookups',
    empty: input,
  },
  { kind: 'lens', keys: /^lens\//, holds: 'pictures, and what the service found in them' },
  { kind: 'dossier', keys: /^dossiers\//, holds: 'reports about a person, and notes of people' },
  {
    kind: 'decision',
    keys: /^works\/.+\/decisions\/\d{4}\/decision\.json$/,
    holds: 'notes of people, and ids of issuances',
    empty: as<DecisionRecord>((decision, { subject, items }) =>
      withoutSubject(erasedDecision(decision, items), subject),
    ),
  },
  {
    kind: 'certificates',
    keys: /^works\/(?!.+\/decision\.json$)/,
    holds: 'names of files, labels, and counts',
    empty: input,
  },
  {
    kind: 'change files',
    keys: /^changes\//,
    holds: 'changes of monitors as they were delivered, by day',
    hidesKey: true,
  },
];

/** Keys of records that tell of nobody, or that must outlive what they tell of: in HMACs alone. */
export const impersonalKeys =
  /^(?:store\.json$|probe\/|keys\/|erasures\/|dossier-(?:retries|batches)\/)/;

/** @returns null for what is not about people */
export function kindOf(key: string): RecordKind | null {
  return recordKinds.find(({ keys }) => keys.test(key)) ?? null;
}

/** Every kind, in the order of a plan: with what it holds. */
export function allKinds(): readonly StoredKind[] {
  return [...recordKinds, ...Object.values(sealedTables)];
}

interface JobFolders {
  /** Begin of the folders of such jobs, and of their ids. */
  root: string;
  id: string;
  /** Record of what was asked for, and of how it ended: the two from which a job is read. */
  asked: string;
  ended: string | null;
  /** Whether a job that tells of a subject is about it alone, and goes as a whole. */
  isAbout: (job: AskedJob, name: string, subject: ErasureSubject) => boolean;
  /** People may have typed the subject where no index sees it: all are read. */
  isScanned?: true;
}

/** What is read of a job of any kind. */
export interface AskedJob {
  folder: string;
  asked: {
    inputKey?: string | null;
    cnab?: { key: string };
    xmls?: { key: string } | null;
    file?: { key: string };
    assignor?: string | null;
    target?: string;
    receivables?: number;
  } | null;
  outcome: { operationId?: string | null; settledAt?: string; endedAt?: string } | null;
}

const [asked, ended] = ['asked.json', 'outcome.json'];
const never = (): boolean => false;
/** Its files cannot be rewritten. */
const always = (): boolean => true;

/** Jobs by their folders. A new resource adds its line here. */
export const jobFolders: readonly JobFolders[] = [
  {
    root: 'works/',
    id: '',
    asked: 'work.json',
    ended: null,
    // What was left half planned was never started; the id of a single issuance is made of its document.
    isAbout: (job, name) => job.asked === null || job.folder.includes(name),
  },
  {
    root: 'analyses/',
    id: 'credit/',
    asked,
    ended,
    isAbout: (job, name) => job.asked?.assignor === name,
    isScanned: true,
  },
  {
    root: 'credit-batches/',
    id: 'credit-batch/',
    asked,
    ended: 'ended.json',
    isAbout: never,
    isScanned: true,
  },
  { root: 'inquiries/', id: '', asked, ended: 'ended.json', isAbout: never },
  {
    root: 'profiles/',
    id: 'profile/',
    asked,
    ended,
    isAbout: (job, name) => job.folder.startsWith(`profiles/${name}/`),
  },
  {
    root: 'traces/',
    id: 'trace/',
    asked,
    ended,
    isAbout: ({ asked: searched }, _, subject) => {
      const target = searched?.target ?? '';
      return subject.is(target) || documentsIn(target).includes(subject.document);
    },
  },
  { root: 'lens/', id: 'lens/', asked, ended, isAbout: always },
  { root: 'dossiers/', id: 'dossier/', asked, ended, isAbout: always },
];

/** Below the folder of a job: what the service reported, with its files. */
export const answerKeys =
  /\/(?:artifacts\/.+|answers?(?:-\d+)?\.json|unreadable-\d+-\d+\.json|unread-answer)$/;

/** Subjects of attempts about a document, whatever of it was bought. */
export function certificateSubjects(name: string): string[] {
  return certificateTypes.map((type) => certificateSubject(type, name));
}

/** What came instead of the PDF of an issuance. */
export function asideFolder(certidaoId: string): string {
  return `aside/${keySegment(certidaoId)}/`;
}

/** Shapes are those of the kind: only we write there. */
function as<T>(change: (body: T, scope: ErasureScope) => T): Empty {
  return (body, scope) => change(body as T, scope);
}
