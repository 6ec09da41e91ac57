import { certificateSubject } from '../../domain/attempts';
import { certificateTypes } from '../../domain/certificates';
import type { DecisionRecord, WorkRecord } from '../../domain/work';
import { keySegment } from '../records';
import type { ErasureSubject } from './erasure-subject';
import { erasedDecision, erasedWork } from './tombstones';

/** What can be purged by age: what the service's evidence is, what it told, what was uploaded. */
export const purgeClasses = ['pdf', 'results', 'inputs'] as const;
export type PurgeClass = (typeof purgeClasses)[number];

/** One kind of object that the store holds about people, and what a purge does with it. */
export interface KeptKind {
  /** Word in plans and erasure records. */
  kind: string;
  keys: RegExp;
  /** What in it is of a person: shown with a plan. */
  holds: string;
  /** `lines`: one record a line; `record`: one; `whole`: nothing in it stands alone. */
  form: 'lines' | 'record' | 'whole';
  /** Its key holds an id of the service's, or a sum: a record of the erasure names it by its MAC. */
  hidesKey?: true;
  /** The record with what tells of a document gone; the very same record when nothing does. */
  erase?: (record: unknown, subject: ErasureSubject) => unknown;
}

/**
 * Everything that the store keeps about people, in the order in which a purge takes it: what
 * leads to other things comes after them, so that a purge that was cut short finds the rest again.
 * A new resource adds its kinds here, and nothing else (decision record 011).
 */
export const keptKinds: readonly KeptKind[] = [
  { kind: 'pdf', keys: /^pdf\//, holds: 'certificates', form: 'whole', hidesKey: true },
  {
    kind: 'aside',
    keys: /^aside\//,
    holds: 'bytes that came instead of a certificate',
    form: 'whole',
    hidesKey: true,
  },
  {
    kind: 'issuance',
    keys: /^facts\//,
    holds: 'what the service answered',
    form: 'record',
    hidesKey: true,
  },
  // What a part holds is known by its list alone: the list is rewritten, and then its parts go.
  {
    kind: 'analysis results',
    keys: /^operations\/[^/]+\/[^/]+\/[^/]+\.json$/,
    holds: 'where the parts of a result stand',
    form: 'record',
    hidesKey: true,
  },
  {
    kind: 'analysis parts',
    keys: /^operations\/.+\/\d{5}$/,
    holds: 'assignors, payers and receivables, as the credit service judged them',
    form: 'whole',
    hidesKey: true,
  },
  {
    kind: 'input',
    keys: /^inputs\//,
    holds: 'uploaded spreadsheets, CNAB files, invoices and pictures',
    form: 'whole',
    hidesKey: true,
  },
  // Before what leads to them by their sums and ids: else a cut would leave those behind.
  {
    kind: 'index of files',
    keys: /^holders\/(?:inputs|operations)\//,
    holds: 'keyed names of the documents in uploads and results of analyses',
    form: 'record',
    hidesKey: true,
  },
  {
    kind: 'analysis outcome',
    keys: /^analyses\/.+\/outcome\.json$/,
    holds: 'counts and sums, and how an analysis ended',
    form: 'record',
  },
  {
    kind: 'analysis',
    keys: /^analyses\/.+\/asked\.json$/,
    holds: 'names of files, and reasons of people',
    form: 'record',
  },
  {
    kind: 'profile',
    keys: /^profiles\//,
    holds: 'a CPF, and what the service told of the assets of a person',
    form: 'record',
  },
  // Found by what a search tells.
  {
    kind: 'trace owner',
    keys: /^trace-owners\//,
    holds: 'ids of searches, with the keyed names of what was asked',
    form: 'record',
    hidesKey: true,
  },
  {
    kind: 'trace',
    keys: /^traces\//,
    holds: 'a target, and what the service found about it',
    form: 'record',
  },
  {
    kind: 'lens files',
    keys: /^lens\/.+\/artifacts\//,
    holds: 'pictures of people and places, and what an analysis made of them',
    form: 'whole',
  },
  {
    kind: 'lens',
    keys: /^lens\/(?!.+\/artifacts\/)/,
    holds: 'names of files, and what the service found in them',
    form: 'record',
  },
  {
    kind: 'dossier files',
    keys: /^dossiers\/.+\/artifacts\//,
    holds: 'reports about a person or company',
    form: 'whole',
  },
  {
    kind: 'dossier',
    keys: /^dossiers\/(?!.+\/artifacts\/)/,
    holds: 'what the service told of a dossier, and notes of people',
    form: 'record',
  },
  {
    kind: 'outcomes',
    keys: /^outcomes\//,
    holds: 'how each row ended: names, ids and sums of certificates',
    form: 'record',
  },
  // Counted again from its rows, once they are erased: see `purge-plan`.
  {
    kind: 'summary',
    keys: /^works\/.+\/summaries\/\d+\.json$/,
    holds: 'counts',
    form: 'record',
  },
  {
    kind: 'latest',
    keys: /^works\/.+\/latest\.json$/,
    holds: 'which summary stands',
    form: 'record',
  },
  {
    kind: 'decision',
    keys: /^works\/.+\/decisions\/\d{4}\/decision\.json$/,
    holds: 'notes of people, and ids of issuances',
    form: 'record',
    erase: as<DecisionRecord>((decision, subject) =>
      subject.scrub(erasedDecision(decision, (item) => subject.items.has(item))),
    ),
  },
  {
    kind: 'attempts',
    keys: /^attempts\//,
    holds: 'what was bought for a document, and when',
    form: 'record',
  },
  // They lead to analyses, and those to their claims.
  {
    kind: 'credit batch',
    keys: /^credit-batches\//,
    holds: 'names of files and folders, and why files were not sent',
    form: 'record',
  },
  // They lead to searches and lookups.
  {
    kind: 'inquiry batch',
    keys: /^inquiries\/.+\/(?:(?:asked|ended)\.json|parts\/\d{5}\.json)$/,
    holds: 'names of files, labels, and ids of searches and lookups',
    form: 'record',
  },
  {
    kind: 'inquiry works',
    keys: /^inquiries\/.+\/item-works\.jsonl$/,
    holds: 'ids of searches and lookups',
    form: 'lines',
  },
  {
    kind: 'rows',
    keys: /^rows\//,
    holds: 'documents, references and cells as typed',
    form: 'record',
  },
  {
    kind: 'work',
    keys: /^works\/.+\/work\.json$/,
    holds: 'names of files, and labels',
    form: 'record',
    erase: as<WorkRecord>((record, subject) => subject.scrub(erasedWork(record))),
  },
  {
    kind: 'change files',
    keys: /^changes\//,
    holds: 'changes of monitors as they were delivered, by day',
    form: 'lines',
    hidesKey: true,
  },
  {
    kind: 'change',
    keys: /^monitors\/.+\/changes$/,
    holds: 'changes of monitors as the service told them',
    form: 'record',
    hidesKey: true,
  },
  {
    kind: 'unreadable change',
    keys: /^monitors\/.+\/unreadable$/,
    holds: 'what the service listed among changes',
    form: 'record',
    hidesKey: true,
  },
  {
    kind: 'review',
    keys: /^monitors\/.+\/reviews$/,
    holds: 'notes of people about changes',
    form: 'record',
    hidesKey: true,
  },
  // It tells whom a monitor is about.
  {
    kind: 'monitor',
    keys: /^monitors\/.+\/answer$/,
    holds: 'whom a monitor watches, its name and e-mail addresses',
    form: 'record',
    hidesKey: true,
  },
  {
    kind: 'index',
    keys: /^(?:subjects\/|holders\/(?!(?:inputs|operations)\/))/,
    holds: 'keyed names of documents',
    form: 'record',
  },
];

/**
 * Keys of objects that tell of nobody, or that must outlive what they tell of: in HMACs alone, but
 * for the words that a purge under way looks for.
 */
export const impersonalKeys =
  /^(?:store\.json$|probe\/|keys\/|erasures\/|dossier-(?:retries|batches)\/)/;

/** @returns null for what is not about people */
export function kindOf(key: string): KeptKind | null {
  return keptKinds.find(({ keys }) => keys.test(key)) ?? null;
}

/** Subjects of attempts about a document, whatever of it was bought. */
export function certificateSubjects(name: string): string[] {
  return certificateTypes.map((type) => certificateSubject(type, name));
}

/** What came instead of the PDF of an issuance. */
export function asideFolder(certidaoId: string): string {
  return `aside/${keySegment(certidaoId)}/`;
}

/** The issuance (as a segment of a key) that a PDF is of, as its name tells. */
export function issuanceOfPdf(key: string): string | null {
  return /\/[0-9a-f]{8}_(.+)_[0-9a-f]{8}\.pdf$/.exec(key)?.[1] ?? null;
}

/** Shapes are those of the kind: only we write there. */
function as<T>(
  change: (record: T, subject: ErasureSubject) => T,
): (record: unknown, subject: ErasureSubject) => unknown {
  return (record, subject) => change(record as T, subject);
}
