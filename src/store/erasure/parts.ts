import { decisionsOf } from '../core/jobs/inbox';
import type { BatchSummary, ManifestRow } from '../../domain/certificates/certificates';
import { groupBy } from '../../domain/core/group-by';
import { mergeOutcomes } from '../../domain/certificates/outcomes';
import { resultRow } from '../../domain/certificates/result-rows';
import type { LatestEdition } from '../certificates/jobs';
import type { StoredRow } from '../core/row-writer';
import { operationFolder } from '../credit/analyses';
import type { Store } from '../store';
import { emptied, type ErasureScope, type TableName } from './catalog';
import type { Change, ErasureDraft } from './draft';
import type { ErasureSubject } from './erasure-subject';
import { foldersWithin } from './links';
import { isNamedIn } from './rewriting';
import { withoutAnswer, withoutSum, withoutUploads } from './tombstones';

type Status = keyof BatchSummary['counts'];

/** Lines of one job about the subject. */
export interface FoundLines {
  /** Null: all must be read. */
  lines: number[] | null;
  items: ReadonlySet<number>;
  /** Number of lines not yet erased. */
  rows: number;
  /** Their statuses. */
  statuses: readonly Status[];
  /** The upload contains it. */
  isHeld: boolean;
}

const noLines: FoundLines = { lines: [], items: new Set(), rows: 0, statuses: [], isHeld: false };

/** @param indexed lines in the index; null: none, and all are read */
export async function findLines(
  store: Store,
  folder: string,
  indexed: number[] | null,
  subject: ErasureSubject,
): Promise<FoundLines> {
  const lines = indexed && indexed.filter((line) => line > 0);
  const all =
    lines === null ? store.rows.all(folder) : await store.rows.where(folder, 'line', lines);
  const rows: StoredRow[] = [];
  let isHeld = false;
  for await (const row of all) {
    if (subject.holds(row)) rows.push(row);
    isHeld ||= rows.length > 0 || isNamedIn(row, subject);
  }
  const items = new Set(rows.flatMap((row) => (row.kind === 'item' ? [row.item] : [])));
  const outcomes = await store.outcomes.where(folder, 'item', items);
  const byItem = groupBy(outcomes, ({ item }) => item);
  const fresh = rows.filter(({ erased }) => erased !== true) as ManifestRow[];
  const statuses = fresh.flatMap((row) => {
    const outcome = 'item' in row ? mergeOutcomes(byItem.get(row.item) ?? []) : null;
    return 'code' in row || outcome !== null ? [resultRow(row, outcome).status] : [];
  });
  return { lines, items, rows: fresh.length, statuses, isHeld };
}

/** For a job with data about others too: rows of the subject, and quotations of it. */
export async function takeParts(
  store: Store,
  draft: ErasureDraft,
  about: {
    folder: string;
    subject: ErasureSubject;
    /** Uploads and operations to be removed. */
    gone: ReadonlySet<string>;
    /** Unreadable data is removed. */
    isHeld: boolean;
    lines?: FoundLines | undefined;
  },
): Promise<void> {
  const { folder, subject, gone, isHeld, lines: found = noLines } = about;
  const scope: ErasureScope = { subject, items: found.items };
  const left = (table: TableName, body: unknown): unknown => emptied(table, folder, body, scope);
  const before = draft.size;
  const isOfCertificates = folder.startsWith('works/');
  const within = await foldersWithin(store, folder);
  const those = found.lines === null ? undefined : { column: 'line', values: found.lines };
  for (const list of within)
    await draft.rewriteRows('batch_row', list, (row) => left('batch_row', row), those);
  // The note of a resolution is in the outcomes of its rows.
  const decisions = isOfCertificates ? await decisionsOf(store, folder) : [];
  const isQuoted = decisions.some(({ note }) => subject.scrubNote(note) !== note);
  const items = isQuoted ? undefined : { column: 'item', values: found.items };
  await draft.rewriteRows('outcome', folder, (outcome) => left('outcome', outcome), items);
  for (const key of isOfCertificates ? [] : await store.records.list(`${folder}/`)) {
    if (!key.includes('/unreadable/')) await draft.rewrite(key, (body) => left('record', body));
    else if (isHeld || subject.isQuotedIn(String(await store.records.get(key))))
      await draft.remove('record', [key]);
  }
  const forgetsSum = /^(?:traces|profiles)\//.test(folder) && draft.size > before;
  const change: Change = (body, column) => {
    if (column === 'input') return left('job', withoutUploads(body, gone));
    const { operationId } = body as { operationId?: string | null };
    const isGone = operationId != null && gone.has(operationFolder(operationId));
    const outcome = left('job', isGone ? withoutAnswer(body as object) : body) as object;
    return forgetsSum ? withoutSum(outcome) : recounted(outcome, found.statuses);
  };
  for (const holder of within) await draft.rewriteRows('job', holder, change);
}

/** Requests and charges stay; only the row counts of certificates change. */
function recounted(outcome: object, statuses: readonly Status[]): object {
  const { summary } = outcome as Partial<LatestEdition>;
  if (summary === undefined) return outcome;
  const counts = { ...summary.counts };
  for (const status of statuses) {
    counts[status] = Math.max(0, (counts[status] ?? 0) - 1);
    counts.erased = (counts.erased ?? 0) + 1;
  }
  return { ...outcome, summary: { ...summary, counts } };
}
