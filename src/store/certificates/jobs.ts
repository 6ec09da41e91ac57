import type {
  BatchSummary,
  StoredResultRow,
  ManifestRow,
} from '../../domain/certificates/certificates';
import { mergeOutcomes, type MergedOutcome } from '../../domain/certificates/outcomes';
import { resultRow } from '../../domain/certificates/result-rows';
import {
  jobOfList,
  type CertificateItem,
  type CertificateRecord,
  type RowListRef,
} from '../../domain/certificates/job';
import { decisionFolder, type DecisionRecord } from '../../domain/core/decision';
import { RowWriter } from '../core/row-writer';
import type { Store } from '../store';
import type { NameOf } from '../core/subjects';

/** How a work stands: the outcome of its job. */
export interface LatestEdition {
  /** 0 for its own end; the decisions about it count on. */
  edition: number;
  /** Epoch milliseconds at which it began to count. */
  snapshotAt: number;
  summary: BatchSummary;
}

/** Writes a work of certificates: its rows, then what makes it be there. */
export class CertificateRowWriter extends RowWriter {
  readonly #store: Store;
  readonly #folder: string;
  readonly #nameOf: NameOf;

  constructor(store: Store, folder: string, nameOf: NameOf) {
    super((rows) => store.rows.put(folder, rows, nameOf));
    this.#store = store;
    this.#folder = folder;
    this.#nameOf = nameOf;
  }

  /** The work can be started then. */
  async finish(request: Omit<CertificateRecord, 'items'>): Promise<RowListRef> {
    const folder = this.#folder;
    const items = await this.end();
    const { jobId: id, kind, createdAt } = request;
    const label = request.label && this.#nameOf(request.label);
    const record: CertificateRecord = { ...request, items };
    await this.#store.jobs.start(folder, { id, kind, createdAt, label }, record);
    return { folder, items, outcomesIn: folder };
  }
}

/** An input line, and what is on file about its item so far. */
export interface RowWithOutcome {
  row: ManifestRow;
  outcome: MergedOutcome | null;
}

/** Of works under way: more than are asked for at once. */
const itemsCached = 5_000;

/** Reads works. */
export class CertificateJobs {
  readonly #store: Store;
  readonly #items = new Map<string, CertificateItem>();
  readonly #askedBy = new Map<string, string>();

  constructor(store: Store) {
    this.#store = store;
  }

  record(folder: string): Promise<CertificateRecord | null> {
    return this.#store.jobs.input<CertificateRecord>(folder);
  }

  /** In whose name the work is done; kept, since every activity asks. */
  async requestedBy(folder: string): Promise<string> {
    const cached = this.#askedBy.get(folder);
    if (cached !== undefined) return cached;
    const job = await this.#store.jobs.input<CertificateRecord | DecisionRecord>(jobOfList(folder));
    const by = job && ('by' in job ? job.by : job.createdBy);
    if (this.#askedBy.size >= 1_000) this.#askedBy.clear();
    this.#askedBy.set(folder, by ?? 'unknown');
    return by ?? 'unknown';
  }

  /**
   * Kept, since every poll of it asks: of works that have not ended nothing is erased, and the same work has
   * the same items. Not so the list of a decision: after an erasure another one may go by its name.
   *
   * @throws RangeError when the work has no such item
   */
  async item({ folder }: RowListRef, rowIndex: number): Promise<CertificateItem> {
    const key = `${folder}/${rowIndex}`;
    const found = this.#items.get(key) ?? (await this.#store.rows.item(folder, rowIndex));
    const item = found && withoutOwn(found as CertificateItem);
    if (item === null) throw new RangeError(`no item ${rowIndex} in ${folder}`);
    if (item.erased === true) throw new RangeError(`item ${rowIndex} of ${folder} was erased`);
    if (folderOfList(folder) !== folder) return item;
    if (this.#items.size >= itemsCached) this.#items.clear();
    this.#items.set(key, item);
    return item;
  }

  async *items(folder: string): AsyncGenerator<CertificateItem> {
    for await (const row of this.lines(folder)) if (row.kind === 'item') yield withoutOwn(row);
  }

  /** How it stands, counted at the last end of it or of a decision; null before its end. */
  async summary(folder: string): Promise<BatchSummary | null> {
    return (await this.latest(folder))?.summary ?? null;
  }

  latest(folder: string): Promise<LatestEdition | null> {
    return this.#store.jobs.outcome<LatestEdition>(folder);
  }

  /** The results as a person's decision left them; null before its end. */
  decisionSummary(folder: string, number: number): Promise<BatchSummary | null> {
    return this.#store.jobs.outcome<BatchSummary>(decisionFolder(folder, number));
  }

  /** Input lines in order, in pages, and how their items stand. */
  async *withOutcomes(folder: string): AsyncGenerator<RowWithOutcome[]> {
    const { rows, outcomes } = this.#store;
    for await (const page of rows.pages([folder])) {
      const [first, last] = [page[0]?.body.line ?? 0, page.at(-1)?.body.line ?? 0];
      const stored = await outcomes.ofLines(folder, first, last);
      yield (page as { body: ManifestRow }[]).map(({ body: row }) => {
        const records = ('item' in row && stored.get(row.item)) || [];
        return { row, outcome: mergeOutcomes(records) };
      });
    }
  }

  /** One row per input line, in order, of a work whose every item has an outcome. */
  async *rows(folder: string): AsyncGenerator<StoredResultRow> {
    for await (const page of this.withOutcomes(folder))
      for (const { row, outcome } of page) yield resultRow(row, outcome);
  }

  lines(folder: string): AsyncGenerator<ManifestRow> {
    return this.#store.rows.all(folder) as AsyncGenerator<ManifestRow>;
  }
}

/** Results alone show them: whoever asks for an item keeps many. */
function withoutOwn(row: CertificateItem): CertificateItem {
  const { own: _, ...item } = row;
  return item;
}

/** The work whose rows a list has: its own, or those that a decision about it has chosen. */
export function folderOfList(list: string): string {
  return list.replace(/\/decisions\/\d{4}\/list-\d+$/, '');
}

/** The id of the work that is kept in a folder. */
export function jobIdOfFolder(folder: string): string {
  return folder.replace(/^works\//, '');
}
