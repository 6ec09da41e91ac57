import type { BatchSummary, ManifestRow } from '../../domain/certificates/certificates';
import { externalIdsOf, subjectState } from '../../domain/core/attempts';
import type { IssuanceFact, OutcomeRecord } from '../../domain/certificates/outcomes';
import { mergeOutcomes } from '../../domain/certificates/outcomes';
import { resultRow } from '../../domain/certificates/result-rows';
import type { DecisionRecord } from '../../domain/certificates/work';
import type { NameOf } from '../core/subjects';
import type { StoredRow } from '../core/row-writer';
import { WorkReader, type LatestEdition } from '../certificates/works';
import type { Store } from '../store';
import {
  asideFolder,
  certificateSubjects,
  emptied,
  sealedTables,
  type ErasureClass,
  type ErasureScope,
} from './catalog';
import type { ErasureDraft } from './draft';
import type { ErasureSubject, QuotedWords } from './erasure-subject';
import type { JobFiles, UnsettledSubject } from './jobs';
import { withoutSubject } from './rewriting';
import { erasedFact, withoutPdf, withoutResult } from './tombstones';

/** Of one look at the rows of a job. */
const itemsPerLook = 200;

/** Lines of one job that are about the subject. */
export interface FoundLines {
  /** Null: all are to be read. */
  lines: number[] | null;
  items: Set<number>;
  /** How many were not erased before. */
  rows: number;
  /** What the file held of it stands nowhere else alone. */
  isHeld: boolean;
}

/** What an erasure takes of jobs of certificates, and of what was bought for their rows. */
export class CertificateErasure {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #jobs: JobFiles;
  readonly #reader: WorkReader;
  readonly #ids = new Set<string>();
  readonly #pdfs = new Set<string>();
  readonly #officialNames = new Set<string>();

  constructor(store: Store, nameOf: NameOf, jobs: JobFiles) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#jobs = jobs;
    this.#reader = new WorkReader(store);
  }

  /** What was reported about whom it has read. */
  get quoted(): QuotedWords {
    return { ids: [...this.#ids], officialNames: [...this.#officialNames] };
  }

  /**
   * Which lines of a job are the subject's; learns what was reported of them.
   *
   * @param indexed lines that the index knows; null: none, and all are read
   */
  async find(
    folder: string,
    indexed: number[] | null,
    subject: ErasureSubject,
  ): Promise<FoundLines> {
    const lines = indexed && indexed.filter((line) => line > 0);
    const rows: StoredRow[] = [];
    let isHeld = false;
    for (const row of await this.#lines(folder, lines)) {
      isHeld ||= JSON.stringify(withoutSubject(row, subject)) !== JSON.stringify(row);
      if (subject.holds(row)) rows.push(row);
    }
    const items = new Set(rows.flatMap((row) => (row.kind === 'item' ? [row.item] : [])));
    const outcomes = await this.#store.outcomes.where(folder, 'item', items);
    for (const outcome of outcomes) this.#learn(outcome);
    const fresh = rows.filter(({ erased }) => erased !== true).length;
    return { lines, items, rows: fresh, isHeld: isHeld || rows.length > 0 };
  }

  async #lines(folder: string, lines: number[] | null): Promise<StoredRow[]> {
    if (lines !== null) return this.#store.rows.where(folder, 'line', lines);
    const all: StoredRow[] = [];
    for await (const row of this.#store.rows.all(folder)) all.push(row);
    return all;
  }

  /** All that was bought for a document: to be called before anything else is asked for it. */
  async learnBought(name: string): Promise<UnsettledSubject['state'][]> {
    const unsettled: UnsettledSubject['state'][] = [];
    for (const subject of certificateSubjects(name)) {
      const attempts = await this.#store.attempts.of(subject);
      for (const id of externalIdsOf(attempts)) this.#ids.add(id);
      const state = subjectState(attempts, Date.now());
      if (state.kind === 'in_flight' || state.kind === 'unknown') unsettled.push(state);
    }
    return unsettled;
  }

  /** What the service answered about all ids that are known by now. */
  async learnFacts(): Promise<void> {
    for (const id of this.#ids) {
      const fact = await this.#store.facts.of(id).catch(() => null);
      if (fact !== null) this.#learn(fact);
    }
  }

  /** Issuances with their evidence, and the fences of those for whom they were bought. */
  async takeBought(draft: ErasureDraft, names: Iterable<string>): Promise<void> {
    for (const id of this.#ids) {
      await draft.removeBelow(asideFolder(id));
      await draft.removeRows('fact', id);
    }
    for (const key of this.#pdfs) await draft.remove(key);
    for (const subject of [...names].flatMap(certificateSubjects))
      for (const table of ['attempt', 'resolution'] as const)
        await draft.removeRows(table, subject);
  }

  /** Lines of the subject become tombstones in a job that tells of others too, and are counted as such. */
  async takeLines(
    draft: ErasureDraft,
    folder: string,
    { lines, items }: FoundLines,
    { subject, gone }: Omit<ErasureScope, 'items'>,
  ): Promise<void> {
    const scope: ErasureScope = { subject, gone, items };
    await this.#recount(draft, folder, lines, subject);
    const quoting = await this.#quotingDecisions(folder, subject);
    for (const list of await this.#jobs.listsOf(folder))
      await draft.rewriteRows(
        'batch_row',
        list,
        (row) => emptied(sealedTables.batch_row, row, scope),
        lines === null ? undefined : { column: 'line', values: lines },
      );
    const those = { column: 'item', values: new Set([...items, ...quoting]) };
    const empty = (outcome: unknown): unknown => emptied(sealedTables.outcome, outcome, scope);
    await draft.rewriteRows('outcome', folder, empty, those);
    for (const row of await this.#store.rows.where(folder, 'item', quoting)) {
      if (row.kind !== 'item' || items.has(row.item)) continue;
      for (const about of certificateSubjects(this.#nameOf(row.document)))
        await draft.rewriteRows('resolution', about, (said) => withoutSubject(said, subject));
    }
  }

  /** @returns names of documents that no job beyond these holds */
  async learnJobs(own: ReadonlySet<string>): Promise<Set<string>> {
    const names = new Set<string>();
    for (const folder of own) {
      const shared = await this.#store.subjects.sharedBy(folder, 'works/', own);
      for (const name of await this.#store.subjects.heldBy(folder))
        if (!shared.has(name)) names.add(name);
      const theirs = new Set<number>();
      for await (const row of this.#reader.lines(folder)) {
        if (row.kind === 'item' && shared.has(this.#nameOf(row.document))) theirs.add(row.item);
      }
      for await (const outcome of this.#store.outcomes.all(folder))
        if (!theirs.has(outcome.item)) this.#learn(outcome);
    }
    return names;
  }

  /**
   * Evidence, or what was reported, of some rows of a job.
   *
   * @param order.from the first item; `most` of them, or some more
   * @returns items that lose something, items seen, and the next one; null: all are gone through
   */
  async takeClass(
    draft: ErasureDraft,
    order: {
      folder: string;
      old: ReadonlySet<string>;
      what: Exclude<ErasureClass, 'inputs'>;
      from: number;
      most: number;
    },
  ): Promise<{ rows: number; seen: number; next: number | null }> {
    const { folder, old, what, from, most } = order;
    const shared = await this.#store.subjects.sharedBy(folder, 'works/', old);
    const own = new Set<string>();
    const pdfs = new Set<string>();
    let next: number | null = from;
    let seen = 0;
    let end = from;
    for (let item = from; next !== null && seen < most; item += itemsPerLook) {
      const items = Array.from({ length: itemsPerLook }, (_, n) => item + n);
      const rows = await this.#store.rows.where(folder, 'item', items);
      const outcomes = await this.#store.outcomes.where(folder, 'item', items);
      const theirs = new Set(
        rows.flatMap((row) =>
          row.kind === 'item' && shared.has(this.#nameOf(row.document)) ? [row.item] : [],
        ),
      );
      for (const { item: one, certidaoId, pdfKey } of outcomes) {
        if (certidaoId === null || theirs.has(one)) continue;
        own.add(certidaoId);
        if (pdfKey !== null) pdfs.add(pdfKey);
      }
      seen += rows.length;
      end = item + itemsPerLook;
      next = rows.length + outcomes.length === 0 ? null : end;
    }
    const without = (outcome: OutcomeRecord): OutcomeRecord => {
      if (outcome.certidaoId === null || !own.has(outcome.certidaoId)) return outcome;
      return what === 'pdf' ? withoutPdf(outcome) : withoutResult(outcome);
    };
    for (const id of own) {
      const fact = await this.#store.facts.of(id).catch(() => null);
      if (fact?.pdfKey != null) pdfs.add(fact.pdfKey);
      await draft.removeBelow(asideFolder(id));
      await draft.rewriteRows('fact', id, (one) => erasedFact(one as IssuanceFact, what));
    }
    for (const key of pdfs) await draft.remove(key);
    const values = Array.from({ length: end - from }, (_, n) => from + n);
    const change = (one: unknown): unknown => without(one as OutcomeRecord);
    const changed = await draft.rewriteRows('outcome', folder, change, { column: 'item', values });
    return { rows: new Set(changed.map((one) => (one as OutcomeRecord).item)).size, seen, next };
  }

  #learn({ certidaoId, pdfKey, officialName }: OutcomeRecord | IssuanceFact): void {
    if (certidaoId !== null) this.#ids.add(certidaoId);
    if (pdfKey !== null) this.#pdfs.add(pdfKey);
    if (officialName !== null) this.#officialNames.add(officialName);
  }

  /** What was asked for and charged does not change: the lines alone are counted otherwise. */
  async #recount(
    draft: ErasureDraft,
    folder: string,
    lines: number[] | null,
    subject: ErasureSubject,
  ): Promise<void> {
    const latest = await this.#reader.latest(folder);
    if (latest === null) return;
    const rows = (await this.#lines(folder, lines)) as ManifestRow[];
    const counted: (keyof BatchSummary['counts'])[] = [];
    for (const row of rows.filter((one) => subject.holds(one) && one.erased !== true)) {
      const items = 'item' in row ? [row.item] : [];
      const outcomes = await this.#store.outcomes.where(folder, 'item', items);
      const outcome = mergeOutcomes(outcomes);
      if ('code' in row || outcome !== null) counted.push(resultRow(row, outcome).status);
    }
    if (counted.length === 0) return;
    await draft.rewrite(`${folder}/outcome`, (body) => {
      const { summary, ...edition } = body as LatestEdition;
      const counts = { ...summary.counts };
      for (const status of counted) {
        counts[status] = Math.max(0, (counts[status] ?? 0) - 1);
        counts.erased = (counts.erased ?? 0) + 1;
      }
      return { ...edition, summary: { ...summary, counts } };
    });
  }

  /** The note of a decision stands in the outcomes and resolutions of each of its rows. */
  async #quotingDecisions(folder: string, subject: ErasureSubject): Promise<Set<number>> {
    const decisions: DecisionRecord[] = await this.#reader.decisions(folder);
    const quoting = decisions.filter(({ note }) => subject.scrubNote(note) !== note);
    return new Set(quoting.flatMap(({ rows }) => rows.map(({ item }) => item)));
  }
}
