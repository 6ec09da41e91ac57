import type { JobKind } from '../../domain/job';
import { maskDocumentsIn } from '../../protection/redaction';
import type { NameOf } from '../core/subjects';
import { monitorOfHolder } from '../monitors/monitors';
import { sql } from '../statement';
import type { Store } from '../store';
import { fences, type ErasureClass } from './catalog';
import { ErasureDraft } from './draft';
import { ErasureSubject, targetForms, type QuotedWords } from './erasure-subject';

/** A person's request for an erasure, unsealed: it must not be stored or sent. */
export type ErasureRequest =
  | { kind: 'document'; document: string }
  | { kind: 'target'; target: string }
  | { kind: 'job'; id: string }
  | { kind: 'age'; class: ErasureClass; endedBefore: string }
  | { kind: 'expired'; jobs: JobKind; endedBefore: string; folders: readonly string[] };

/** The same as stored: documents and targets by keyed names only. */
export type ErasureTarget =
  | { kind: 'document' | 'target'; name: string }
  | { kind: 'job'; id: string }
  | { kind: 'age'; class: ErasureClass; endedBefore: string }
  | { kind: 'expired'; jobs: JobKind; endedBefore: string };

export interface UndecidedAttempt {
  subject: string;
  workflowId: string;
  /** Epoch milliseconds until which a response may come; null: lost, and a person resolves it. */
  answerBy: number | null;
}

export interface PlannedJob {
  folder: string;
  id: string;
  /** It is removed; otherwise the subject's data in it is emptied. */
  whole: boolean;
  ended: boolean;
}

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
  readonly store: Store;
  readonly nameOf: NameOf;

  constructor(store: Store, nameOf: NameOf, request: ErasureRequest) {
    this.request = request;
    this.target = targetOf(request, nameOf);
    this.draft = new ErasureDraft(store);
    this.store = store;
    this.nameOf = nameOf;
  }

  /** Undecided attempts block it: until a response, or, for a whole analysis, a person's resolution. */
  async addJob(folder: string, whole: boolean): Promise<void> {
    if (this.jobs.some((job) => job.folder === folder)) return;
    const monitor = monitorOfHolder(folder);
    const [job] = await this.store.read<{ id: string; endedAt: string | null }>(
      sql`SELECT id, ended_at FROM job WHERE folder = ${folder}`,
    );
    const id = job?.id ?? folder.replace(/^(?:works|batches)\//, '');
    const ended = monitor !== null || job?.endedAt != null;
    this.jobs.push({ folder, id: monitor === null ? id : `monitor/${monitor}`, whole, ended });
    // Erasure by age keeps the fence.
    const held = this.request.kind === 'age' ? [] : await this.store.subjects.heldBy([folder]);
    for (const one of await this.#undecidedOf(held.filter(isFence)))
      if (one.answerBy !== null || (whole && folder.startsWith('analyses/')))
        this.undecided.push(one);
  }

  /** Purchases of these subjects: what they block, and what may quote them. @returns ids of the service */
  async addBought(subjects: readonly string[]): Promise<string[]> {
    this.undecided.push(...(await this.#undecidedOf(subjects)));
    // Also those that a person adopted.
    const rows = await this.store.readAmong<{ id: string }>(subjects, (some) => {
      const among = sql`WHERE subject IN ${some} AND external_id IS NOT NULL`;
      return sql`SELECT external_id AS id FROM attempt ${among}
        UNION SELECT external_id FROM resolution ${among}`;
    });
    const ids = rows.map(({ id }) => id);
    this.quoted.ids.push(...ids);
    return ids;
  }

  /** Subjects, uploads, operations and purchases without holders beyond `own`. @param begin prefix of holders that count */
  async aloneAmong(
    held: readonly string[],
    own: ReadonlySet<string>,
    begin = '',
  ): Promise<string[]> {
    const holders = await this.store.subjects.holdersOf(held, begin);
    return held.filter((one) => [...(holders.get(one) ?? [])].every((holder) => own.has(holder)));
  }

  /** By index: at most one per subject. */
  async #undecidedOf(subjects: readonly string[]): Promise<UndecidedAttempt[]> {
    type Found = UndecidedAttempt & { receipt: string | null };
    const rows = await this.store.readAmong<Found>(
      subjects,
      (some) => sql`
        SELECT subject, workflow_id, receipt, answer_by FROM attempt
        WHERE subject IN ${some} AND kind = 'send' AND is_resolved = 0
          AND (receipt IS NULL OR receipt = 'unknown')`,
    );
    return rows.map(({ receipt, answerBy, ...row }) => {
      const isOnItsWay = receipt === null && (answerBy ?? 0) >= Date.now();
      return { ...row, answerBy: isOnItsWay ? answerBy : null };
    });
  }
}

/** A purchase that jobs share: erased with the last of them. */
export function isFence(subject: string): boolean {
  return fences.has(subject.split('/')[0] ?? '');
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
