import { documentsInText } from '../../domain/held-documents';
import type { InquiryBatchRecord } from '../../domain/inquiry-batch';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import { isTraceSettled, type TraceOutcome, type TraceRecord } from '../../domain/traces/search';
import type { Store } from '../store';
import { documentsIn } from '../../domain/held-documents';
import type { NameOf } from '../core/subjects';
import { ErasureSubject } from './erasure-subject';
import { InquiryBatchShelf } from '../traces/inquiry-batches';
import type { PurgeClass } from './kept-kinds';
import type { PlannedWork, PurgeDraft } from './purge-draft';
import type { UploadHolders } from './purge-uploads';
import { targetForms } from '../traces/target-forms';
import { ownerKey } from '../traces/traces';

/** What a purge takes of searches, lookups, and batches of them. */
export interface InquiriesPart {
  works: PlannedWork[];
  /** Lines of inputs that become tombstones, or go with their batch. */
  rows: number;
  /** Folders that go as a whole, as the subject index calls them. */
  gone: Set<string>;
}

type Outcome = Pick<TraceOutcome | ProfileOutcome, 'settledAt'>;

/**
 * Plans what a purge takes of searches and lookups. What is about the person goes as a whole; of an
 * answer about another, the entries that name the person; a line of a batch becomes a tombstone.
 */
export class InquiriesPurge {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #batches: InquiryBatchShelf;
  readonly #uploads: UploadHolders;

  constructor(store: Store, nameOf: NameOf, uploads: UploadHolders) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#uploads = uploads;
    this.#batches = new InquiryBatchShelf(store);
  }

  /** @param wholes ids of works that an earlier try has begun to take */
  async ofDocument(
    draft: PurgeDraft,
    document: string,
    wholes: readonly string[],
  ): Promise<InquiriesPart> {
    const name = this.#nameOf(document);
    const part = nothing();
    await this.#takeBegun(draft, wholes, part);
    const holders = await this.#store.subjects.holders(name);
    const own = await this.#foldersUnder(`profiles/${name}/`);
    for (const folder of own) await this.#takeWhole(draft, folder, part);
    // The index does not know a number that lost its zeros: all answers are read.
    const unknown = document.startsWith('0') ? await this.#inquiryFolders() : [];
    for (const folder of new Set([...holders, ...unknown])) {
      if (part.gone.has(folder)) continue;
      if (folder.startsWith('inquiries/'))
        await this.#takeLines(draft, folder, new ErasureSubject(document, name), part);
      else if (folder.startsWith('traces/') || folder.startsWith('profiles/')) {
        if (await this.#isAbout(folder, document)) await this.#takeWhole(draft, folder, part);
        else await this.#takeNamed(draft, folder, new ErasureSubject(document, name), part);
      }
    }
    await this.#takeEmptyShelves(draft, part);
    return part;
  }

  /**
   * What was searched for: its searches and lines of batches, and what quotes it in the answers about
   * others. All are read: an answer is in the index by the documents that it names alone.
   *
   * @param wholes ids of works that an earlier try has begun to take
   */
  async ofTarget(
    draft: PurgeDraft,
    target: string,
    wholes: readonly string[],
  ): Promise<InquiriesPart> {
    const part = nothing();
    const forms = targetForms(target);
    const subjectOf = (): ErasureSubject => new ErasureSubject(target, this.#nameOf(target), forms);
    await this.#takeBegun(draft, wholes, part);
    for (const folder of await this.#inquiryFolders()) {
      if (part.gone.has(folder)) continue;
      const searched = await this.#targetOf(folder);
      if (searched !== undefined && forms.is(searched)) await this.#takeWhole(draft, folder, part);
      else await this.#takeNamed(draft, folder, subjectOf(), part);
    }
    for (const { folder } of await this.#batches.all()) {
      await this.#takeLines(draft, folder, subjectOf(), part);
    }
    await this.#takeEmptyShelves(draft, part);
    return part;
  }

  /**
   * @param workId of a search, a lookup or a batch, with its instant or of all about one thing
   * @param wholes ids of works that an earlier try has begun to take
   */
  async ofWork(
    draft: PurgeDraft,
    workId: string,
    wholes: readonly string[],
  ): Promise<InquiriesPart> {
    const part = nothing();
    await this.#takeBegun(draft, wholes, part);
    const root = rootOf(workId);
    const own = await this.#foldersUnder(`${root}/`);
    for (const folder of own) {
      if (folder.startsWith('inquiries/')) await this.#takeBatch(draft, folder, own, part);
      else await this.#takeWhole(draft, folder, part);
    }
    await this.#takeEmptyShelves(draft, part);
    return part;
  }

  /**
   * What was told by works that ended before an instant, or what batches were made from.
   *
   * @param own folders of all works and batches that ended before
   */
  async ofAge(
    draft: PurgeDraft,
    what: PurgeClass,
    endedBefore: number,
    own: ReadonlySet<string>,
  ): Promise<InquiriesPart> {
    const part = nothing();
    if (what === 'inputs') await this.#takeOldInputs(draft, own, part);
    if (what !== 'results') return part;
    for (const folder of await this.#inquiryFolders()) {
      const outcome = await this.#store.records.getJson<Outcome>(`${folder}/outcome.json`);
      if (outcome === null || Date.parse(outcome.settledAt) >= endedBefore) continue;
      const before = draft.size;
      await this.#takeAnswers(draft, folder);
      await draft.rewrite(`${folder}/outcome.json`, () => withoutAnswer);
      if (draft.size > before) part.works.push(planned(folder, { whole: false, ended: true }));
    }
    return part;
  }

  /** Folders of the batches that ended before an instant. */
  async batchesOfAge(endedBefore: number): Promise<string[]> {
    const old: string[] = [];
    for (const { folder } of await this.#batches.all()) {
      const end = await this.#batches.end(folder);
      if (end !== null && Date.parse(end.endedAt) < endedBefore) old.push(folder);
    }
    return old;
  }

  async #takeOldInputs(
    draft: PurgeDraft,
    own: ReadonlySet<string>,
    part: InquiriesPart,
  ): Promise<void> {
    for (const { folder, record } of await this.#batches.all()) {
      if (!own.has(folder)) continue;
      const before = draft.size;
      await this.#takeInput(draft, folder, record, own);
      if (draft.size > before) part.works.push(planned(folder, { whole: false, ended: true }));
    }
  }

  /** The target itself reads as the document. */
  async #isAbout(folder: string, document: string): Promise<boolean> {
    const target = await this.#targetOf(folder);
    return target !== undefined && documentsIn(target).includes(document);
  }

  async #targetOf(folder: string): Promise<string | undefined> {
    const asked = await this.#store.records.getJson<Partial<TraceRecord>>(`${folder}/asked.json`);
    return asked?.target;
  }

  /** Also of a folder that is empty by now: what it left beside it may be there. */
  async #takeBegun(
    draft: PurgeDraft,
    wholes: readonly string[],
    part: InquiriesPart,
  ): Promise<void> {
    for (const workId of wholes) {
      if (isBatchId(workId) || !isInquiryId(workId)) continue;
      await this.#takeWhole(draft, rootOf(workId), part);
    }
  }

  async #takeWhole(draft: PurgeDraft, folder: string, part: InquiriesPart): Promise<void> {
    if (part.gone.has(folder)) return;
    const ended = (await this.#store.records.get(`${folder}/outcome.json`)) !== null;
    part.works.push(planned(folder, { whole: true, ended }));
    part.gone.add(folder);
    await draft.removeBelow(`${folder}/`);
  }

  /** What a search left beside its works goes with the last of them. */
  async #takeEmptyShelves(draft: PurgeDraft, part: InquiriesPart): Promise<void> {
    const shelves = new Set(
      [...part.gone].filter((one) => one.startsWith('traces/')).map((one) => shelfOf(one)),
    );
    for (const shelf of shelves) {
      const left = await this.#foldersUnder(`${shelf}/`);
      if ([...left].some((folder) => !part.gone.has(folder))) continue;
      const created = await this.#store.records.getJson<{ traceId: string }>(
        `${shelf}/created.json`,
      );
      if (created !== null) await draft.remove(ownerKey(created.traceId));
      for (const name of ['intent.json', 'created.json']) await draft.remove(`${shelf}/${name}`);
    }
  }

  /** Of what was told about another, whatever names the subject. */
  async #takeNamed(
    draft: PurgeDraft,
    folder: string,
    subject: ErasureSubject,
    part: InquiriesPart,
  ): Promise<void> {
    const ended = (await this.#store.records.get(`${folder}/outcome.json`)) !== null;
    const before = draft.size;
    for (const key of await this.#store.records.list(`${folder}/`)) {
      if (key.endsWith('/outcome.json')) continue;
      await draft.rewrite(key, () => (record) => withoutNamed(record, subject));
    }
    const isChanged = draft.size > before;
    await draft.rewrite(`${folder}/outcome.json`, () => (record) => {
      const left = withoutNamed(record, subject);
      return isChanged ? withoutSum(left) : left;
    });
    if (draft.size === before) return;
    part.works.push(planned(folder, { whole: false, ended }));
  }

  async #takeAnswers(draft: PurgeDraft, folder: string): Promise<void> {
    for (const key of await this.#store.records.list(`${folder}/`)) {
      if (/\/(?:answer(?:-\d+)?|unreadable-\d+-\d+)\.json$/.test(key)) await draft.remove(key);
    }
  }

  /**
   * The file of a batch goes with the first of its lines, as a whole: what else is in it is in no
   * other way reached.
   */
  async #takeLines(
    draft: PurgeDraft,
    folder: string,
    subject: ErasureSubject,
    part: InquiriesPart,
  ): Promise<void> {
    const before = draft.size;
    let held = 0;
    let rows = 0;
    for await (const row of this.#store.rows.all(folder)) {
      subject.takeRow(row);
      if (!subject.holds(row)) continue;
      held += 1;
      if (row.erased !== true) rows += 1;
    }
    await draft.rewriteRows(folder, subject);
    const isQuoted = draft.size > before;
    const record = await this.#batches.record(folder);
    const isTaken = held > 0 || isQuoted;
    if (isTaken && record?.inputKey != null) await draft.remove(record.inputKey);
    // Its label, and how its file was called.
    await draft.rewrite(
      `${folder}/asked.json`,
      () => (one) => subject.scrub(isTaken ? withoutInput(one) : one),
    );
    if (draft.size === before) return;
    part.rows += rows;
    const ended = (await this.#batches.end(folder)) !== null;
    part.works.push(planned(folder, { whole: false, ended }));
  }

  /** @param own the file stays if a work or batch beyond these came from it */
  async #takeInput(
    draft: PurgeDraft,
    folder: string,
    { inputKey }: InquiryBatchRecord,
    own: ReadonlySet<string>,
  ): Promise<void> {
    if (inputKey === null || (await this.#uploads.hasOther(inputKey, own))) return;
    await draft.remove(inputKey);
    await draft.rewrite(`${folder}/asked.json`, () => withoutInput);
  }

  /** With the works that it alone has asked for. */
  async #takeBatch(
    draft: PurgeDraft,
    folder: string,
    own: ReadonlySet<string>,
    part: InquiriesPart,
  ): Promise<void> {
    const record = await this.#batches.record(folder);
    const ended = (await this.#batches.end(folder)) !== null;
    part.works.push(planned(folder, { whole: true, ended }));
    part.rows += record?.lines ?? 0;
    part.gone.add(folder);
    const others = new Set<string>();
    for (const other of await this.#batches.all()) {
      if (own.has(other.folder)) continue;
      for (const { workId } of await this.#batches.itemWorks(other.folder)) others.add(workId);
    }
    for (const { workId, before } of await this.#batches.itemWorks(folder)) {
      if (!before && !others.has(workId)) await this.#takeWhole(draft, rootOf(workId), part);
    }
    if (record !== null) await this.#takeInput(draft, folder, record, own);
    await draft.removeBelow(`${folder}/`);
    await draft.removeRows(folder);
  }

  /** Of every search and lookup. */
  async #inquiryFolders(): Promise<string[]> {
    return [...(await this.#foldersUnder('traces/')), ...(await this.#foldersUnder('profiles/'))];
  }

  /** Folders of works, by their keys: a purge that was cut short may have taken the record. */
  async #foldersUnder(prefix: string): Promise<Set<string>> {
    const withRows = (await this.#store.rows.works(prefix)).map((work) => `${work}/`);
    const keys = [...(await this.#store.records.list(prefix)), ...withRows];
    return new Set(keys.flatMap((key) => workFolder.exec(key)?.[0] ?? []));
  }
}

const workFolder = /^(?:(?:traces|profiles)\/[^/]+|inquiries\/[^/]+\/[^/]+)\/\d{8}T\w+(?=\/)/;

/** Whether an id is of a search, a lookup or a batch of them. */
export function isInquiryId(workId: string): boolean {
  return /^(?:trace|profile)(?:-batch)?\//.test(workId);
}

function isBatchId(workId: string): boolean {
  return /^(?:trace|profile)-batch\//.test(workId);
}

/** Folder of the work, or of everything about one thing. */
function rootOf(workId: string): string {
  if (isBatchId(workId)) return `inquiries/${workId}`;
  return workId.replace(/^(trace|profile)\//, '$1s/');
}

function planned(
  folder: string,
  { whole, ended }: Pick<PlannedWork, 'whole' | 'ended'>,
): PlannedWork {
  const workId = folder.replace(/^inquiries\//, '').replace(/^(trace|profile)s\//, '$1/');
  return { folder, workId, record: null, whole, ended };
}

/** The file is gone, and by its sum a guess of what it held could be proven. */
function withoutInput(record: unknown): unknown {
  return { ...(record as InquiryBatchRecord), inputKey: null, inputSha256: null };
}

function shelfOf(folder: string): string {
  return folder.split('/').slice(0, 2).join('/');
}

function nothing(): InquiriesPart {
  return { works: [], rows: 0, gone: new Set() };
}

/**
 * Entries of lists that name the subject are left out, and so is what stands under its name; of the
 * rest, the quotations.
 */
function withoutNamed(value: unknown, subject: ErasureSubject): unknown {
  if (Array.isArray(value)) {
    return value
      .map((one) => withoutNamed(one, subject))
      .filter((one, place) => !isEntry(one) || !isNamedIn(value[place], one, subject));
  }
  if (typeof value === 'number') return subject.isNumber(value) ? null : value;
  if (!isEntry(value)) return subject.scrub(value);
  const entries = Object.entries(value)
    .filter(([field]) => subject.scrub(field) === field)
    .map(([field, one]) => [field, withoutNamed(one, subject)]);
  return Object.fromEntries(entries);
}

function isEntry(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Beyond lists within it, whose entries went by themselves. */
function isNamedIn(entry: unknown, left: unknown, subject: ErasureSubject): boolean {
  return quotes(withoutLists(entry), subject) || quotes(withoutLists(left), subject);
}

function withoutLists(value: unknown): unknown {
  if (!isEntry(value)) return Array.isArray(value) ? [] : value;
  const entries = Object.entries(value).map(([field, one]) => [field, withoutLists(one)]);
  return Object.fromEntries(entries);
}

function quotes(record: unknown, subject: ErasureSubject): boolean {
  const text = JSON.stringify(record) ?? '';
  for (const document of documentsInText(text)) if (document === subject.document) return true;
  return subject.scrub(text) !== text;
}

/** Its answer has changed: the sum would tell what it was. */
function withoutSum(record: unknown): unknown {
  const outcome = record as { sha256?: string | null; seen?: { sha256: string | null } | null };
  if (outcome.seen != null) return { ...outcome, seen: { ...outcome.seen, sha256: null } };
  return 'sha256' in outcome ? { ...outcome, sha256: null } : outcome;
}

/** How it ended, its id and what it cost stay; what was told is gone. */
function withoutAnswer(record: unknown): unknown {
  const { error, ...outcome } = record as Partial<TraceOutcome & ProfileOutcome>;
  const { seen } = outcome;
  const wasTold = seen == null ? outcome.counts != null : isTraceSettled(seen.state);
  return withoutSum({
    ...outcome,
    ...(wasTold && { purged: true }),
    ...(seen != null && { seen: { ...seen, failure: withoutProse(seen.failure) } }),
    ...('counts' in outcome && { counts: null, rural: null }),
    error: withoutProse(error ?? null),
  });
}

function withoutProse<T extends { message: string } | null>(told: T): T {
  return told === null ? told : { ...told, message: '' };
}
