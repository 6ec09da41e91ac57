import type {
  BatchSummary,
  CertificateType,
  StoredResultRow,
  ManifestRow,
} from '../../domain/certificates/certificates';
import { mergeOutcomes, type MergedOutcome } from '../../domain/certificates/outcomes';
import { resultRow, resultSoFar, type OpenResultRow } from '../../domain/certificates/result-rows';
import {
  certificateFolder,
  jobOfList,
  type CertificateItem,
  type CertificateRecord,
  type CertificateTerms,
  type RowListRef,
} from '../../domain/certificates/job';
import { subjectState } from '../../domain/core/service/attempts';
import type { DecisionRecord } from '../../domain/core/decision';
import { jobIdAt } from '../../domain/job';
import type { Asker, JobFolders } from '../core/jobs/jobs-of-kind';
import type { SameRequest } from '../core/jobs/same-request';
import { Repository } from '../sealed/sealed-database';
import type { Store } from '../store';

export const certificateJobs: JobFolders = {
  root: 'works',
  word: 'certificates',
};

export interface LatestEdition {
  /** 0 for the job itself; its resolutions count from 1. */
  edition: number;
  /** Epoch milliseconds at which its count started. */
  snapshotAt: number;
  summary: BatchSummary;
}

export type CertificateRequest = Pick<
  CertificateRecord,
  'jobId' | 'kind' | 'type' | 'label' | 'rerun' | 'columns'
> & {
  rows: AsyncIterable<ManifestRow> | Iterable<ManifestRow>;
  blankLines?: number;
  input: Pick<CertificateRecord, 'inputName' | 'inputSha256' | 'inputKey'> | null;
};

/** Stores a job in bounded memory; afterwards it can be started. */
export async function putCertificateJob(
  { environment, idKey, store }: Asker,
  { rows, blankLines = 0, input, ...request }: CertificateRequest,
  terms: CertificateTerms,
): Promise<CertificateRecord> {
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const { jobId: id, kind } = request;
  const folder = certificateFolder(id);
  const writer = store.rows.writer(folder, nameOf);
  let lines = 0;
  for await (const row of rows) {
    await writer.add(row);
    lines += 1;
  }
  // Without terms that only Temporal needs.
  const { rowDeadlineMs, reuseSince, onUnknown, concurrency, budget } = terms;
  const record: CertificateRecord = {
    ...request,
    ...(input ?? { inputName: null, inputSha256: null, inputKey: null }),
    createdAt: new Date().toISOString(),
    createdBy: environment.actor,
    items: await writer.end(),
    lines,
    blankLines,
    terms: {
      rowDeadlineMs,
      reuseSince,
      onUnknown,
      ...(concurrency !== undefined && { concurrency }),
      ...(budget !== undefined && { budget }),
    },
  };
  const { createdAt } = record;
  const label = record.label && nameOf(record.label);
  await store.jobs.start(folder, { id, kind, createdAt, label }, record);
  return record;
}

/** A requested certificate that is not settled is polled, not requested again. */
const finalStatuses: ReadonlySet<string | null> = new Set(['issued', 'failed', 'unknown_outcome']);

/** One document is a job of its own. @param note of its row */
export function issuances(
  asker: Asker,
  type: CertificateType,
  terms: CertificateTerms,
  note = '',
): SameRequest<string, CertificateRecord, LatestEdition> {
  const { idKey, store } = asker;
  const workflowId = (document: string) =>
    `certificate/${type}/${idKey.nameOf('document', document)}`;
  return {
    newest: async (document) => (await store.jobs.find(workflowId(document))) as never,
    isFinal: (_, { status }) => finalStatuses.has(status),
    put: (document, { at = new Date(), terms: { label, rerun } }) => {
      const row = { kind: 'item', item: 0, line: 1, type, document, reference: '', note } as const;
      const about = { jobId: jobIdAt(workflowId(document), at), type, label, rerun };
      const request = { ...about, kind: 'certificate', rows: [row], input: null } as const;
      return putCertificateJob(asker, request, terms);
    },
  };
}

export type ForeseenRequest = 'request' | 'reuse' | 'underWay' | 'unknown';

/** What a request would do: certificates are found by their claims, for any job. */
export async function foreseenIssuance(
  { attempts, facts }: Store,
  subject: string,
  { at, reuseSince }: { at: number; reuseSince: number },
): Promise<ForeseenRequest> {
  const state = subjectState(await attempts.of(subject), at);
  if (state.kind === 'unknown') return 'unknown';
  if (state.kind === 'free') return 'request';
  const fact = state.kind === 'accepted' ? await facts.of(state.externalId) : null;
  if (fact === null) return 'underWay';
  const isAnswer = fact.status === 'issued' && fact.erased !== true;
  return isAnswer && fact.settledAt >= reuseSince ? 'reuse' : 'request';
}

export interface RowWithOutcome {
  row: ManifestRow;
  outcome: MergedOutcome | null;
}

/** Of open jobs: more than are requested at once. */
const itemsCached = 5_000;
const itemsAtOnce = 50;

export class CertificateJobs extends Repository<Store> {
  readonly #items = new Map<string, CertificateItem>();
  readonly #actors = new Map<string, string>();

  record(folder: string): Promise<CertificateRecord | null> {
    return this.store.jobs.input<CertificateRecord>(folder);
  }

  /** The job's actor; cached, since every activity needs it. */
  async requestedBy(folder: string): Promise<string> {
    const cached = this.#actors.get(folder);
    if (cached !== undefined) return cached;
    const job = await this.store.jobs.input<CertificateRecord | DecisionRecord>(jobOfList(folder));
    const by = job && ('by' in job ? job.by : job.createdBy);
    if (this.#actors.size >= 1_000) this.#actors.clear();
    this.#actors.set(folder, by ?? 'unknown');
    return by ?? 'unknown';
  }

  /**
   * Cached, since every poll needs it: rows of open jobs are never erased, and a job's items never change. Lists of
   * resolutions are not cached: after an erasure another list may have the same name.
   *
   * @throws RangeError when the job has no such item
   */
  async item({ folder }: RowListRef, rowIndex: number): Promise<CertificateItem> {
    const key = `${folder}/${rowIndex}`;
    if (folderOfList(folder) === folder && !this.#items.has(key))
      await this.#read(folder, rowIndex);
    const cached = this.#items.get(key);
    const found = cached ?? (await this.store.rows.item(folder, rowIndex));
    if (found === null) throw new RangeError(`no item ${rowIndex} in ${folder}`);
    if (found.erased === true) throw new RangeError(`item ${rowIndex} of ${folder} was erased`);
    return cached ?? withoutOwn(found as CertificateItem);
  }

  /** Into the cache: the next ones are needed next. */
  async #read(folder: string, rowIndex: number): Promise<void> {
    const rows = await this.store.rows.itemsAfter(folder, rowIndex - 1, itemsAtOnce);
    if (this.#items.size >= itemsCached) this.#items.clear();
    for (const row of rows as CertificateItem[])
      this.#items.set(`${folder}/${row.item}`, withoutOwn(row));
  }

  async *items(folder: string): AsyncGenerator<CertificateItem> {
    for await (const row of this.store.rows.all(folder) as AsyncIterable<ManifestRow>)
      if (row.kind === 'item') yield withoutOwn(row);
  }

  /** As counted at its end or at the last resolution; null before its end. */
  latest(folder: string): Promise<LatestEdition | null> {
    return this.store.jobs.outcome<LatestEdition>(folder);
  }

  /** Input rows in order, in pages, with the outcomes of their items. */
  async *withOutcomes(folder: string): AsyncGenerator<RowWithOutcome[]> {
    const { rows, outcomes } = this.store;
    for await (const page of rows.pages(folder)) {
      const [first, last] = [page[0]?.line ?? 0, page.at(-1)?.line ?? 0];
      const stored = await outcomes.ofLines(folder, first, last);
      yield (page as ManifestRow[]).map((row) => {
        const records = ('item' in row && stored.get(row.item)) || [];
        return { row, outcome: mergeOutcomes(records) };
      });
    }
  }

  /** One row per input row, in order; every item must have an outcome. */
  async *rows(folder: string): AsyncGenerator<StoredResultRow> {
    for await (const page of this.withOutcomes(folder))
      for (const { row, outcome } of page) yield resultRow(row, outcome);
  }

  async *rowsSoFar(folder: string): AsyncGenerator<OpenResultRow> {
    for await (const page of this.withOutcomes(folder))
      for (const { row, outcome } of page) yield resultSoFar(row, outcome);
  }
}

/** Only results need them: cached items are smaller without. */
function withoutOwn(row: CertificateItem): CertificateItem {
  const { own: _, ...item } = row;
  return item;
}

/** The job whose rows a list has: its own, or those of a resolution. */
export function folderOfList(list: string): string {
  return list.replace(/\/decisions\/\d{4}\/list-\d+$/, '');
}

export function jobIdOfFolder(folder: string): string {
  return folder.replace(/^works\//, '');
}
