import { certificateSubject } from '../../domain/core/attempts';
import { certificateTypes } from '../../domain/certificates/certificates';
import type { AnalysisOutcome } from '../../domain/credit/work';
import type { JobKind } from '../../domain/job';
import type { ToldChange } from '../../domain/monitors/kept';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { DecisionRecord } from '../../domain/certificates/work';
import type { StoredRow } from '../core/row-writer';
import { operationFolder } from '../credit/analyses';
import { keySegment } from '../records';
import type { ErasureSubject } from './erasure-subject';
import { isNamedIn, withoutSubject } from './rewriting';
import * as tombstones from './tombstones';

/** What can be erased by age: what the service's evidence is, what it reported, what was uploaded. */
export const erasureClasses = ['pdf', 'results', 'inputs'] as const;
export type ErasureClass = (typeof erasureClasses)[number];

/** What was asked to be erased: documents by their keyed name alone. */
export type ErasureTarget =
  | { kind: 'document'; name: string }
  /** What was searched for, by its keyed name. */
  | { kind: 'target'; name: string }
  | { kind: 'job'; id: string }
  | { kind: 'age'; class: ErasureClass; endedBefore: string }
  /** Jobs of a kind whose term is over. */
  | { kind: 'expired'; jobs: JobKind; endedBefore: string };

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

/** What several kinds may have. */
interface KindRules {
  /** Its key holds an id of the service's, or a sum: an erasure record names it by its MAC. */
  hidesKey?: true;
  /** Default: quotations go. */
  empty?: Empty;
}

interface StoredKind extends KindRules {
  /** Word in plans and erasure records. */
  kind: string;
  /** What in it is of a person: shown with a plan. */
  holds: string;
}

interface SealedTable extends StoredKind {
  /** Columns, the one that names the holder first. What is sealed is sealed for them. */
  key: readonly string[];
  /** Sealed column; null: it has none. */
  body: string | null;
  /** What is emptied stays as its own tombstone. */
  isMarked?: true;
}

interface RecordKind extends StoredKind {
  keys: RegExp;
  /** Nobody can say what stands in it. */
  isWhole?: true;
}

const hidden = { hidesKey: true } as const;

/** Tables with sealed bodies or keyed names. A new one is a line here. */
const tables = {
  batch_row: table('rows', 'documents, references and cells as typed', 'work line', 'body', {
    empty: as<StoredRow>((row, { subject }) =>
      subject.holds(row) ? tombstones.erasedRow(row) : withoutSubject(row, subject),
    ),
  }),
  outcome: table('outcomes', 'how each row ended: names, ids, sums', 'work item filed_by', 'body', {
    empty: as<OutcomeRecord>((outcome, { subject, items }) =>
      items.has(outcome.item)
        ? tombstones.erasedOutcome(outcome)
        : withoutSubject(outcome, subject),
    ),
  }),
  fact: table('issuance', 'what the service answered', 'external_id', 'body', hidden),
  attempt: table('attempts', 'what was bought for a document, and when', 'subject n', 'why'),
  resolution: table('resolutions', 'notes of people', 'subject n number', 'said'),
  change: table('change', 'changes of monitors as they were reported', 'monitor id', 'body', {
    ...hidden,
    isMarked: true,
    empty: as<ToldChange>((change, { subject }) =>
      isNamedIn(change, subject) ? tombstones.erasedChange(change) : change,
    ),
  }),
  unreadable_item: table('unreadable change', 'what was listed', 'monitor sum', 'body', {
    ...hidden,
    empty: (item, { subject }) => (isNamedIn(item, subject) ? null : item),
  }),
  review: table('review', 'notes of people about changes', 'monitor change at', 'body', hidden),
  monitor_answer: table('monitor', 'whom a monitor watches', 'monitor', 'body', hidden),
  subject: table('index', 'keyed names of documents', 'holder subject line', null, hidden),
};

export type TableName = keyof typeof tables;
export const sealedTables: Readonly<Record<TableName, SealedTable>> = tables;

/** Input of a job: it forgets an upload that is gone. */
const input: Empty = (job, { subject, gone }) =>
  withoutSubject(tombstones.withoutUploads(job, gone), subject);
/** Entries that name the subject go from what was reported about another. */
const report: Empty = (answer, { subject }) => withoutSubject(answer, subject, { drops: true });

/** Records by their keys. A new kind is a line here. */
export const recordKinds: readonly RecordKind[] = [
  record('pdf', /^pdf\//, 'certificates', hidden),
  record('aside', /^aside\//, 'bytes that came instead of a certificate', hidden),
  record('input', /^inputs\//, 'uploaded spreadsheets, CNAB files, invoices, pictures', hidden),
  record('analysis results', /^operations\//, 'assignors, payers and receivables', hidden),
  record('analysis', /^analyses\/.+\/input$/, 'names of files, reasons of people', {
    empty: input,
  }),
  record('analysis outcome', /^analyses\/.+\/outcome$/, 'counts, sums, how it ended', {
    empty: as<AnalysisOutcome>((outcome, { subject, gone }) => {
      const isGone = gone.has(operationFolder(outcome.operationId ?? ''));
      return withoutSubject(isGone ? tombstones.withoutAnswer(outcome) : outcome, subject);
    }),
  }),
  record('unreadable answer', /^[a-z]+\/.+\/unreadable\/\w+$/, 'an answer that nobody can read', {
    isWhole: true,
  }),
  record('credit batch', /^credit-batches\//, 'names of files, why they were not sent'),
  record('profile', /^profiles\//, 'a CPF, and the assets of a person', { empty: report }),
  record('trace', /^traces\//, 'a target, and what was found about it', { empty: report }),
  record('batch of lookups', /^inquiries\//, 'names of files, labels, ids', { empty: input }),
  record('lens', /^lens\//, 'pictures, and what the service found in them'),
  record('dossier', /^dossiers\//, 'reports about a person, and notes of people'),
  record(
    'decision',
    /^works\/.+\/decisions\/\d{4}\/input$/,
    'notes of people, and ids of issuances',
    {
      empty: as<DecisionRecord>((decision, { subject, items }) =>
        withoutSubject(tombstones.erasedDecision(decision, items), subject),
      ),
    },
  ),
  record(
    'certificates',
    /^works\/(?!.+\/decisions\/\d{4}\/input$)/,
    'names of files, labels, counts',
    {
      empty: input,
    },
  ),
  record('change files', /^changes\//, 'changes of monitors as delivered, by day', hidden),
];

/** Keys of records that tell of nobody, or that must outlive what they tell of: in HMACs alone. */
export const impersonalKeys =
  /^(?:store\.json$|probe\/|keys\/|erasures\/|dossier-(?:retries|batches)\/|monitor-(?:lists|list-pages|looks)\/|disabled-sinks\/)/;

/** @returns null for what is not about people */
export function kindOf(key: string): RecordKind | null {
  return recordKinds.find(({ keys }) => keys.test(key)) ?? null;
}

/** What is left of a body of a kind; null: nothing. */
export function emptied(kind: KindRules | null, body: unknown, scope: ErasureScope): unknown {
  return kind?.empty === undefined ? withoutSubject(body, scope.subject) : kind.empty(body, scope);
}

/** Every kind, in the order of a plan. */
export function allKinds(): readonly StoredKind[] {
  return [...recordKinds, ...Object.values(sealedTables)];
}

/** Below the folder of a job: what the service reported, with its files. */
export const answerKeys = /\/(?:artifacts\/.+|answers?(?:-\d+)?\.json|unreadable\/\w+)$/;

/** Subjects of attempts about a document, whatever of it was bought. */
export function certificateSubjects(name: string): string[] {
  return certificateTypes.map((type) => certificateSubject(type, name));
}

/** What came instead of the PDF of an issuance. */
export function asideFolder(certidaoId: string): string {
  return `aside/${keySegment(certidaoId)}/`;
}

function table(
  kind: string,
  holds: string,
  key: string,
  body: string | null,
  rules: KindRules & Pick<SealedTable, 'isMarked'> = {},
): SealedTable {
  return { kind, holds, key: key.split(' '), body, ...rules };
}

function record(
  kind: string,
  keys: RegExp,
  holds: string,
  rules: KindRules & Pick<RecordKind, 'isWhole'> = {},
): RecordKind {
  return { kind, keys, holds, ...rules };
}

/** Shapes are those of the kind: only we write there. */
function as<T>(change: (body: T, scope: ErasureScope) => T): Empty {
  return (body, scope) => change(body as T, scope);
}
