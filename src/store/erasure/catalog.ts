import { certificateSubject } from '../../domain/core/service/attempts';
import { certificateTypes } from '../../domain/certificates/certificates';
import type { Words } from '../../domain/job';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { StoredRow } from '../core/row-writer';
import type { JobFolders } from '../core/jobs/jobs-of-kind';
import * as jobFolders from '../kinds';
import { keySegment } from '../records';
import type { ErasureSubject } from './erasure-subject';
import { isNamedIn, withoutSubject } from './rewriting';
import { erasedChange, erasedOutcome, erasedRow } from './tombstones';

/** Classes that can be erased by age: PDFs, reported results, uploads. */
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
  /** Its personal data: shown with a plan. */
  holds: Words;
  /** Rows about the subject; in others only quotations are erased. */
  isAbout?: (body: never, scope: ErasureScope) => boolean;
  /** The emptied body; default: the row is removed. */
  empty?: (body: never) => unknown;
  /** Column that marks it as erased. */
  mark?: string;
}

const named = (body: unknown, { subject }: ErasureScope): boolean => isNamedIn(body, subject);

/** All tables with personal data, in the bodies of their rows. A new one is a line here. */
const tables = {
  record: { kind: null, holds: ['', ''] },
  job: { kind: null, holds: ['', ''] },
  batch_row: {
    kind: 'rows',
    holds: [
      'documents, references and cells as typed',
      'documentos, referências e células como digitados',
    ],
    isAbout: (row: StoredRow, { subject }: ErasureScope) => subject.holds(row),
    empty: erasedRow,
  },
  // Of a terminated lane: they are never read back.
  deferred_row: { kind: 'deferred rows', holds: ['numbers of rows', 'números de linhas'] },
  outcome: {
    kind: 'outcomes',
    holds: ['how each row ended: names, ids, sums', 'como cada linha terminou: nomes, ids, somas'],
    isAbout: ({ item }: OutcomeRecord, { items }: ErasureScope) => items.has(item),
    empty: erasedOutcome,
  },
  fact: { kind: 'issuance', holds: ['what the service answered', 'o que o serviço respondeu'] },
  // Its rows stay as numbers and ids of the service: the books of purchases.
  attempt: {
    kind: 'attempts',
    holds: [
      'what was bought for a document, and when',
      'o que foi comprado para um documento, e quando',
    ],
  },
  resolution: { kind: 'resolutions', holds: ['notes of people', 'anotações de pessoas'] },
  // Without its erasure record the next scan would store a change again.
  change: {
    kind: 'change',
    holds: ['changes of monitors as they were reported', 'alterações de monitores como informadas'],
    isAbout: named,
    empty: erasedChange,
    mark: 'is_erased',
  },
  unreadable_item: {
    kind: 'unreadable change',
    holds: ['what was listed', 'o que foi listado'],
    isAbout: named,
  },
  review: {
    kind: 'review',
    holds: ['notes of people about changes', 'anotações de pessoas sobre alterações'],
  },
  monitor_answer: {
    kind: 'monitor',
    holds: ['whom a monitor watches', 'quem um monitor acompanha'],
  },
  subject: {
    kind: 'index',
    holds: ['keyed names of documents', 'nomes de documentos, por chave'],
  },
  subject_number: {
    kind: 'audit index',
    holds: ['keyed names of documents', 'nomes de documentos, por chave'],
  },
} satisfies Record<string, ErasableTable>;

export type TableName = keyof typeof tables;
export const erasableTables: Readonly<Record<TableName, ErasableTable>> = tables;

/** Tables of a monitor. */
export const monitorTables = ['change', 'unreadable_item', 'review', 'monitor_answer'] as const;

const ofJobs: readonly JobFolders[] = Object.values(jobFolders);
/** First segments of the subjects that jobs share. */
export const fences: ReadonlySet<string> = new Set(ofJobs.flatMap(({ fence }) => fence ?? []));

/** Records and jobs by the first segment of their keys. */
const roots: Readonly<Record<string, readonly [kind: string, holds: Words]>> = {
  pdf: ['pdf', ['certificates', 'certidões']],
  aside: [
    'aside',
    ['bytes that came instead of a certificate', 'bytes recebidos no lugar de uma certidão'],
  ],
  inputs: [
    'input',
    [
      'uploaded spreadsheets, CNAB files, invoices, pictures',
      'planilhas, arquivos CNAB, notas fiscais e imagens enviados',
    ],
  ],
  operations: [
    'analysis results',
    ['assignors, payers and receivables', 'cedentes, sacados e títulos'],
  ],
  batches: ['batch', ['names of files, labels, counts', 'nomes de arquivos, rótulos, totais']],
  changes: [
    'change files',
    ['changes of monitors as delivered, by day', 'alterações de monitores como entregues, por dia'],
  ],
  ...Object.fromEntries(ofJobs.map(({ root, word, holds }) => [root, [word, holds]])),
};

/** Keys of records without personal data, or that must outlive it: HMACs only. */
export const impersonalKeys =
  /^(?:probe|keys|erasures|backups|restores|dossier-retries|monitor-(?:lists|list-pages|looks)|disabled-sinks)\//;

/** The job folders of a folder or key; undefined for anything else. */
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
  return erasableTables[name].kind ?? roots[holder.split('/')[0] ?? '']?.[0] ?? null;
}

/** Every kind, in the order of a plan. */
export function allKinds(): { kind: string; holds: Words }[] {
  const ofRoots = Object.values(roots).map(([kind, holds]) => ({ kind, holds }));
  const ofTables = Object.values(erasableTables).map(({ kind, holds }) => ({ kind, holds }));
  return [...ofRoots, ...ofTables].flatMap(({ kind, holds }) =>
    kind === null ? [] : [{ kind, holds }],
  );
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

/** Subjects of attempts about documents. */
export function certificateSubjects(names: Iterable<string>): string[] {
  return [...names].flatMap((name) =>
    certificateTypes.map((type) => certificateSubject(type, name)),
  );
}

/** Folder of bytes received instead of the PDF of an issuance. */
export function asideFolder(certidaoId: string): string {
  return `aside/${keySegment(certidaoId)}/`;
}
