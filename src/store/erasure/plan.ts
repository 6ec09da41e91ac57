import type { JobKind } from '../../domain/job';
import { maskDocumentsIn } from '../../protection/redaction';
import type { NameOf } from '../core/subjects';
import type { Store } from '../store';
import { targetForms } from '../traces/target-forms';
import type { ErasureClass } from './catalog';
import { ErasureDraft } from './draft';
import { ErasureSubject, type QuotedWords } from './erasure-subject';
import { isFence, plannedJob, undecidedOf, type PlannedJob, type UndecidedAttempt } from './links';

/** What a person asks to be erased, in their words: it must go nowhere unsealed. */
export type ErasureRequest =
  | { kind: 'document'; document: string }
  | { kind: 'target'; target: string }
  | { kind: 'job'; id: string }
  /** ISO 8601. */
  | { kind: 'age'; class: ErasureClass; endedBefore: string }
  /** Of a term of retention. */
  | { kind: 'expired'; jobs: JobKind; endedBefore: string; folders: readonly string[] };

/** The same, as it is put on record: documents and targets by their keyed names alone. */
export type ErasureTarget =
  | { kind: 'document' | 'target'; name: string }
  | { kind: 'job'; id: string }
  | { kind: 'age'; class: ErasureClass; endedBefore: string }
  | { kind: 'expired'; jobs: JobKind; endedBefore: string };

/** What an erasure would do, and what stands in its way. */
export class ErasurePlan {
  readonly request: ErasureRequest;
  readonly target: ErasureTarget;
  readonly draft: ErasureDraft;
  readonly jobs: PlannedJob[] = [];
  /** Lines of inputs, receivables and changes that become tombstones, or go with their job. */
  rows = 0;
  /** What was reported of documents whose rows go: no reason on record may quote it. */
  readonly quoted: QuotedWords = { ids: [], officialNames: [] };
  readonly undecided: UndecidedAttempt[] = [];
  /** Purchases that may have been made again before the store was restored. */
  doubtful = 0;
  protected readonly store: Store;

  constructor(store: Store, nameOf: NameOf, request: ErasureRequest) {
    this.request = request;
    this.target = targetOf(request, nameOf);
    this.draft = new ErasureDraft(store);
    this.store = store;
  }

  /** What may yet be decided of it stands in the way: by its answer, or of a whole analysis by a person. */
  async addJob(folder: string, whole: boolean): Promise<void> {
    if (this.jobs.some((job) => job.folder === folder)) return;
    this.jobs.push(await plannedJob(this.store, folder, whole));
    // What goes by age leaves what fences it.
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

/** Why an erasure was made stays for ever, and must not hold what was erased. */
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
