import type { JobKind } from '../../domain/job';
import { maskDocumentsIn } from '../../protection/redaction';
import type { NameOf } from '../core/subjects';
import type { Store } from '../store';
import { targetForms } from '../traces/target-forms';
import type { ErasureClass } from './catalog';
import { ErasureDraft } from './draft';
import { ErasureSubject, type QuotedWords } from './erasure-subject';
import { isFence, plannedJob, undecidedOf, type PlannedJob, type UndecidedAttempt } from './links';

/** A person's request for an erasure, unsealed: it must not be stored or sent. */
export type ErasureRequest =
  | { kind: 'document'; document: string }
  | { kind: 'target'; target: string }
  | { kind: 'job'; id: string }
  /** ISO 8601. */
  | { kind: 'age'; class: ErasureClass; endedBefore: string }
  /** Of a retention term. */
  | { kind: 'expired'; jobs: JobKind; endedBefore: string; folders: readonly string[] };

/** The same as stored: documents and targets by keyed names only. */
export type ErasureTarget =
  | { kind: 'document' | 'target'; name: string }
  | { kind: 'job'; id: string }
  | { kind: 'age'; class: ErasureClass; endedBefore: string }
  | { kind: 'expired'; jobs: JobKind; endedBefore: string };

/** The changes of an erasure, and what blocks it. */
export class ErasurePlan {
  readonly request: ErasureRequest;
  readonly target: ErasureTarget;
  readonly draft: ErasureDraft;
  readonly jobs: PlannedJob[] = [];
  /** Input rows, receivables and changes that are emptied, or removed with their job. */
  rows = 0;
  /** Reported data of the erased documents: no reason on record may quote it. */
  readonly quoted: QuotedWords = { ids: [], officialNames: [] };
  readonly undecided: UndecidedAttempt[] = [];
  /** Purchases that may have been repeated before the restore. */
  doubtful = 0;
  protected readonly store: Store;

  constructor(store: Store, nameOf: NameOf, request: ErasureRequest) {
    this.request = request;
    this.target = targetOf(request, nameOf);
    this.draft = new ErasureDraft(store);
    this.store = store;
  }

  /** Undecided attempts block it: until a response, or, for a whole analysis, a person's resolution. */
  async addJob(folder: string, whole: boolean): Promise<void> {
    if (this.jobs.some((job) => job.folder === folder)) return;
    this.jobs.push(await plannedJob(this.store, folder, whole));
    // Erasure by age keeps the fence.
    const held = this.request.kind === 'age' ? [] : await this.store.subjects.heldBy([folder]);
    for (const one of await undecidedOf(this.store, held.filter(isFence)))
      if (one.answerBy !== null || (whole && folder.startsWith('analyses/')))
        this.undecided.push(one);
  }
}

export function targetOf(request: ErasureRequest, nameOf: NameOf): ErasureTarget {
  if (request.kind === 'document') return { kind: 'document', name: nameOf(request.document) };
  if (request.kind === 'target') return { kind: 'target', name: nameOf(request.target) };
  if (request.kind !== 'expired') return request;
  const { folders: _, ...target } = request;
  return target;
}

/** The reason of an erasure is permanent, and must not contain the erased data. */
export function reasonOnRecord(
  reason: string,
  request: ErasureRequest,
  quoted: QuotedWords,
): string {
  const about =
    request.kind === 'document'
      ? new ErasureSubject(request.document)
      : new ErasureSubject('-', targetForms(request.kind === 'target' ? request.target : '-'));
  about.takeQuoted(quoted);
  return maskDocumentsIn(about.scrubNote(reason));
}
