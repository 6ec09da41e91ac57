import { randomUUID } from 'node:crypto';
import { normaliseDocument } from '../domain/documents';
import { documentsIn, documentsInText } from '../domain/held-documents';
import type { Monitor } from '../domain/monitors/change';
import { isStuck } from '../domain/monitors/change-record';
import type {
  AcknowledgementMark,
  ChangeFile,
  ChangeTrouble,
  DeliveryMark,
  FiledChange,
  FoundAs,
  HealthOnFile,
  MonitorOnFile,
  ReviewMark,
  SweepMark,
  ToldChange,
} from '../domain/monitors/kept';
import {
  getJson,
  getJsonLines,
  keySegment,
  toJsonLines,
  type Archive,
  type PutResult,
} from './archive';
import { indexDocuments, type NameOf } from './subject-index';
import { inParallel } from './in-parallel';
import { sha256Of } from './evidence-files';

/** Looks at records that are under way at once. */
const atOnce = 16;
/** Pairs of monitor and document that are known to be in the index, in memory. */
const mostKnownHolders = 50_000;

const oneDayMs = 86_400_000;
/** Of more days all are listed at once. */
const mostDaysListed = 60;

/** Everything on file about a change, with what people noted. */
export type ReviewedFile = ChangeFile & { reviews: ReviewMark[] };

/** Counts of changes of one monitor. */
export interface ChangesOnFile {
  filed: number;
  /** Filed, and not acknowledged by anybody. */
  open: number;
  /** Tried in vain so far: open, or due to a sink or open again although they were acknowledged. */
  stuck: number;
  named: { changeId: string; trouble: ChangeTrouble }[];
}

/** One line of the index by day: which changes were filed when. */
export interface FiledOn {
  monitorId: string;
  changeId: string;
  seenAt: string;
}

/**
 * Everything kept about monitors. A folder holds one kind of mark on many changes: a folder for each
 * change would cost more flushes than its marks.
 *
 * - `monitors/<id>/seen/<change>.json`, `delivered/<sink>/<change>.json`, `acknowledged/<change>.json`:
 *   put if absent, on the disk before the promise resolves; the first one stays
 * - `monitors/<id>/troubles/<change>.json`, `last-answer.json`, `health.json`: replaced
 * - `monitors/<id>/reviews/<change>/<instant>.json`, `unreadable/<sum>.json` (counted anew by sweeps)
 * - `index/changes/<day>/<instant>-<random>.jsonl`: what was filed on a day. Written before what it
 *   names, so that nothing is filed that it does not name; it may name what never was.
 */
export class MonitorRecords {
  readonly #archive: Archive;
  readonly #nameOf: NameOf;
  readonly #indexed = new Set<string>();

  constructor(archive: Archive, nameOf: NameOf) {
    this.#archive = archive;
    this.#nameOf = nameOf;
  }

  /**
   * Files what nobody has seen before, and reads the marks of the rest. In the order given.
   *
   * @param sinks whose marks to read
   */
  async fileChanges(
    monitorId: string,
    told: readonly ToldChange[],
    by: SweepMark & { foundAs: FoundAs },
    sinks: readonly string[],
  ): Promise<ChangeFile[]> {
    const standing = await inParallel(told, atOnce, ({ change }) =>
      this.filed(monitorId, change.changeId),
    );
    const fresh = told.flatMap(({ change, answer }, place): FiledChange[] =>
      standing[place] === null
        ? [{ monitorId, change, answer, foundAs: by.foundAs, seenAt: by.at, sweep: by.sweep }]
        : [],
    );
    await this.#index(monitorId, fresh, by.at);
    const results = await this.#putAll(
      monitorId,
      'seen',
      fresh.map((filed) => [filed.change.changeId, filed]),
    );
    const stored = new Set(fresh.filter((_, place) => results[place] === 'stored'));
    const byId = new Map(fresh.map((filed) => [filed.change.changeId, filed]));
    return inParallel(told, atOnce, async ({ change }, place) => {
      const own = byId.get(change.changeId);
      if (own !== undefined && stored.has(own)) {
        return { filed: own, isNew: true, delivered: {}, acknowledged: null, trouble: null };
      }
      const filed = standing[place] ?? (await this.filed(monitorId, change.changeId)) ?? own;
      return { filed: filed as FiledChange, isNew: false, ...(await this.#marks(filed, sinks)) };
    });
  }

  /** Null: nobody has seen it. */
  filed(monitorId: string, changeId: string): Promise<FiledChange | null> {
    return this.#read<FiledChange>(markKey(monitorId, 'seen', changeId));
  }

  /** The first mark stays. */
  async putDelivered(
    monitorId: string,
    sink: string,
    marks: readonly { changeId: string; mark: DeliveryMark }[],
  ): Promise<void> {
    const kind = `delivered/${keySegment(sink)}`;
    await this.#putAll(
      monitorId,
      kind,
      marks.map(({ changeId, mark }) => [changeId, mark]),
    );
  }

  /** The first mark stays. */
  async putAcknowledged(
    monitorId: string,
    marks: readonly { changeId: string; mark: AcknowledgementMark }[],
  ): Promise<void> {
    await this.#putAll(
      monitorId,
      'acknowledged',
      marks.map(({ changeId, mark }) => [changeId, mark]),
    );
  }

  /** A change that the service did not know any more, and does again. */
  async replaceGone(monitorId: string, changeId: string, mark: AcknowledgementMark): Promise<void> {
    const key = markKey(monitorId, 'acknowledged', changeId);
    await this.#archive.replace(key, JSON.stringify(mark));
  }

  /** @returns the trouble as it stands now, with its count */
  async countTrouble(
    monitorId: string,
    changeId: string,
    trouble: Omit<ChangeTrouble, 'count' | 'firstAt' | 'lastAt'> & { at: string },
  ): Promise<ChangeTrouble> {
    const key = markKey(monitorId, 'troubles', changeId);
    const before = await getJson<ChangeTrouble>(this.#archive, key);
    const { at, ...what } = trouble;
    const now: ChangeTrouble = {
      ...what,
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? at,
      lastAt: at,
    };
    await this.#archive.replace(key, JSON.stringify(now));
    return now;
  }

  /** The service tells it as acknowledged, and it is due to nobody. */
  async clearTrouble(monitorId: string, changeId: string): Promise<void> {
    await this.#archive.remove(markKey(monitorId, 'troubles', changeId));
  }

  /**
   * An item of a list that is no change as far as we can read it. The same one is kept once.
   *
   * @returns sweeps that came by it, this one included
   */
  async keepUnreadable(
    monitorId: string,
    item: { answer: unknown; issues: unknown },
    { sweep, at }: SweepMark,
  ): Promise<number> {
    const text = JSON.stringify(item.answer) ?? 'null';
    await this.#indexDocuments(monitorId, documentsInText(text));
    const key = `${monitorFolder(monitorId)}/unreadable/${sha256Of(Buffer.from(text)).slice(0, 16)}.json`;
    const before = await getJson<UnreadableOnFile>(this.#archive, key);
    if (before !== null && (before.lastSweep ?? before.sweep) === sweep) return before.count ?? 1;
    const count = before === null ? 1 : (before.count ?? 1) + 1;
    const now: UnreadableOnFile = { ...item, sweep, at, ...before, count, lastSweep: sweep };
    await this.#archive.replace(key, JSON.stringify(now));
    return count;
  }

  /** Items of the monitor's list that cannot be read, oldest first. */
  async unreadable(monitorId: string): Promise<UnreadableItem[]> {
    const prefix = `${monitorFolder(monitorId)}/unreadable/`;
    const keys = await this.#archive.list(prefix);
    const found = await inParallel(keys, atOnce, async (key): Promise<UnreadableItem | null> => {
      const item = await getJson<UnreadableOnFile>(this.#archive, key);
      if (item === null) return null;
      const { at, count = 1, issues, answer } = item;
      const sum = key.slice(prefix.length, -'.json'.length);
      return { sum, at, count, why: issueWords(issues), answer };
    });
    return found.filter((item) => item !== null).sort((a, b) => a.at.localeCompare(b.at));
  }

  /** Keeps what the service told of a monitor, in place of what it told before. */
  async putMonitor(monitorId: string, told: MonitorOnFile<Monitor>): Promise<void> {
    const { identifier } = told.monitor;
    await this.#indexDocuments(monitorId, [
      ...(identifier === null ? [] : [normaliseDocument(identifier)]),
      ...documentsInText(JSON.stringify(told.answer) ?? ''),
    ]);
    await this.#archive.replace(
      `${monitorFolder(monitorId)}/last-answer.json`,
      JSON.stringify(told, null, 2),
    );
  }

  /** Null: the service never told. */
  monitor(monitorId: string): Promise<MonitorOnFile<Monitor> | null> {
    return this.#read(`${monitorFolder(monitorId)}/last-answer.json`);
  }

  async putHealth(monitorId: string, health: HealthOnFile): Promise<void> {
    await this.#archive.replace(`${monitorFolder(monitorId)}/health.json`, JSON.stringify(health));
  }

  /** Null: nobody has looked yet. */
  health(monitorId: string): Promise<HealthOnFile | null> {
    return getJson(this.#archive, `${monitorFolder(monitorId)}/health.json`);
  }

  async putReview(monitorId: string, changeId: string, review: ReviewMark): Promise<void> {
    await this.#indexDocuments(monitorId, documentsIn(review.note));
    const name = review.at.replaceAll(/[:.]/g, '-');
    await this.#put(
      `${markFolder(monitorId, 'reviews')}/${keySegment(changeId)}/${name}.json`,
      review,
    );
  }

  /** In order. */
  async reviews(monitorId: string, changeId: string): Promise<ReviewMark[]> {
    const prefix = `${markFolder(monitorId, 'reviews')}/${keySegment(changeId)}/`;
    const keys = await this.#archive.list(prefix);
    const found = await inParallel(keys, atOnce, (key) => this.#read<ReviewMark>(key));
    return found.filter((review) => review !== null);
  }

  /** Everything on file about a change; null when nobody has seen it. */
  async file(
    monitorId: string,
    changeId: string,
    sinks: readonly string[],
  ): Promise<ChangeFile | null> {
    const filed = await this.filed(monitorId, changeId);
    return filed && { filed, isNew: false, ...(await this.#marks(filed, sinks)) };
  }

  /** Something is kept about a monitor. */
  async isOnFile(monitorId: string): Promise<boolean> {
    if ((await this.health(monitorId)) !== null) return true;
    return (await this.#archive.list(`${monitorFolder(monitorId)}/`)).length > 0;
  }

  /** Ids of the monitors that something is kept about, in order, and what of it cannot be read. */
  async monitors(): Promise<{ monitorId: string; unreadable: number }[]> {
    const found = new Map<string, number>();
    for (const key of await this.#archive.list('monitors/')) {
      const [, id = '', kind] = key.split('/');
      const monitorId = decodeURIComponent(id);
      found.set(monitorId, (found.get(monitorId) ?? 0) + (kind === 'unreadable' ? 1 : 0));
    }
    return [...found].map(([monitorId, unreadable]) => ({ monitorId, unreadable }));
  }

  /**
   * How the changes of one monitor stand. The troubles of the first `most` stuck ones are read.
   *
   * @param required sinks that a change must have reached
   */
  async standing(
    monitorId: string,
    most: number,
    required: readonly string[],
  ): Promise<ChangesOnFile> {
    const [seen, acknowledged, troubles] = await Promise.all(
      ['seen', 'acknowledged', 'troubles'].map((kind) => this.#marked(monitorId, kind)),
    );
    const ended = new Set(acknowledged);
    const tried = troubles ?? [];
    const again = await this.#stuckOf(
      monitorId,
      tried.filter((changeId) => ended.has(changeId)),
      required,
    );
    const stuck = tried.filter((changeId) => !ended.has(changeId) || again.has(changeId));
    const named = await inParallel(stuck.slice(0, most), atOnce, async (changeId) => {
      const key = markKey(monitorId, 'troubles', changeId);
      const trouble = await getJson<ChangeTrouble>(this.#archive, key);
      return trouble && { changeId, trouble };
    });
    return {
      filed: (seen ?? []).length,
      open: (seen ?? []).filter((changeId) => !ended.has(changeId)).length,
      stuck: stuck.length,
      named: named.filter((one) => one !== null),
    };
  }

  /** Of changes that were acknowledged: those that did not come through all the same. */
  async #stuckOf(
    monitorId: string,
    changeIds: readonly string[],
    required: readonly string[],
  ): Promise<Set<string>> {
    const files = await inParallel(changeIds, atOnce, (id) => this.file(monitorId, id, required));
    return new Set(
      changeIds.filter((_, place) => {
        const file = files[place] ?? null;
        return file !== null && isStuck(file, required);
      }),
    );
  }

  /** Ids of the changes with a mark of a kind. */
  async #marked(monitorId: string, kind: string): Promise<string[]> {
    const prefix = `${markFolder(monitorId, kind)}/`;
    const keys = await this.#archive.list(prefix);
    return keys.map((key) => decodeURIComponent(key.slice(prefix.length, -'.json'.length)));
  }

  /** Changes filed since an instant (null: ever), oldest first, each once; with their marks. */
  async *filedSince(
    since: string | null,
    sinks: readonly string[],
    isMeant: (line: FiledOn) => boolean = () => true,
  ): AsyncGenerator<ReviewedFile> {
    const told = new Set<string>();
    for (const key of await this.indexKeys(since)) {
      const lines = (await this.indexLines(key)).filter((line) => {
        const id = `${line.monitorId} ${line.changeId}`;
        if (told.has(id) || (since !== null && line.seenAt < since) || !isMeant(line)) return false;
        told.add(id);
        return true;
      });
      const files = await inParallel(lines, atOnce, async ({ monitorId, changeId }) => {
        const file = await this.file(monitorId, changeId, sinks);
        return file && { ...file, reviews: await this.reviews(monitorId, changeId) };
      });
      for (const file of files) if (file !== null) yield file;
    }
  }

  /** Keys of the index by day, oldest first, from the day of an instant on. */
  async indexKeys(since: string | null): Promise<string[]> {
    const first = since === null ? Number.NaN : Date.parse(dayOf(since));
    // The clock of who filed may be ahead of ours.
    const last = Date.now() + oneDayMs;
    if (!(last - first < mostDaysListed * oneDayMs)) {
      const keys = await this.#archive.list(changesIndex);
      return since === null ? keys : keys.filter((key) => key >= `${changesIndex}${dayOf(since)}`);
    }
    const keys: string[] = [];
    for (let day = first; day <= last; day += oneDayMs) {
      const prefix = `${changesIndex}${dayOf(new Date(day).toISOString())}/`;
      keys.push(...(await this.#archive.list(prefix)));
    }
    return keys;
  }

  async indexLines(key: string): Promise<FiledOn[]> {
    return (await getJsonLines<FiledOn>(this.#archive, key)) ?? [];
  }

  async #marks(
    filed: FiledChange | undefined,
    sinks: readonly string[],
  ): Promise<Pick<ChangeFile, 'delivered' | 'acknowledged' | 'trouble'>> {
    if (filed === undefined) return { delivered: {}, acknowledged: null, trouble: null };
    const { monitorId, change } = filed;
    const at = (kind: string): string => markKey(monitorId, kind, change.changeId);
    const [acknowledged, trouble, ...taken] = await Promise.all([
      this.#read<AcknowledgementMark>(at('acknowledged')),
      getJson<ChangeTrouble>(this.#archive, at('troubles')),
      ...sinks.map((sink) => this.#read<DeliveryMark>(at(`delivered/${keySegment(sink)}`))),
    ]);
    const delivered: Record<string, DeliveryMark> = {};
    for (const [place, sink] of sinks.entries()) {
      const mark = taken[place] ?? null;
      if (mark !== null) delivered[sink] = mark;
    }
    return { delivered, acknowledged, trouble };
  }

  async #index(monitorId: string, fresh: readonly FiledChange[], at: string): Promise<void> {
    if (fresh.length === 0) return;
    const texts = fresh.map(({ answer }) => JSON.stringify(answer) ?? '');
    await this.#indexDocuments(
      monitorId,
      texts.flatMap((text) => [...documentsInText(text)]),
    );
    const time = at.slice(11).replaceAll(/[:.]/g, '-');
    const lines = fresh.map(({ change, seenAt }): FiledOn => ({
      monitorId,
      changeId: change.changeId,
      seenAt,
    }));
    const key = `${changesIndex}${dayOf(at)}/${time}-${randomUUID().slice(0, 8)}.jsonl`;
    await this.#archive.putIfAbsent(key, toJsonLines(lines));
  }

  /** Which documents a monitor's records hold: for a purge. */
  async #indexDocuments(monitorId: string, documents: Iterable<string>): Promise<void> {
    const found = new Set<string>();
    for (const document of documents) {
      if (!this.#indexed.has(`${monitorId} ${document}`)) found.add(document);
    }
    if (found.size === 0) return;
    await indexDocuments(this.#archive, monitorFolder(monitorId), this.#nameOf, found);
    if (this.#indexed.size > mostKnownHolders) this.#indexed.clear();
    for (const document of found) this.#indexed.add(`${monitorId} ${document}`);
  }

  #put(key: string, record: unknown): Promise<PutResult> {
    return this.#archive.putIfAbsent(key, JSON.stringify(record));
  }

  /** Marks of a kind on changes of a monitor, in one go. */
  #putAll(
    monitorId: string,
    kind: string,
    marks: readonly (readonly [changeId: string, mark: unknown])[],
  ): Promise<PutResult[]> {
    return this.#archive.putAllIfAbsent(
      marks.map(([changeId, mark]) => ({
        key: markKey(monitorId, kind, changeId),
        body: JSON.stringify(mark),
      })),
    );
  }

  #read<T>(key: string): Promise<T | null> {
    return getJson<T>(this.#archive, key);
  }
}

/** An item of a list that is no change as far as we can read it. */
export interface UnreadableItem {
  /** Of what it is, and its name in the archive. */
  sum: string;
  /** Of the first sweep that came by it. */
  at: string;
  /** Sweeps that did. */
  count: number;
  /** Fields at fault, in words. */
  why: string;
  answer: unknown;
}

interface UnreadableOnFile extends SweepMark {
  answer: unknown;
  issues: unknown;
  /** Sweeps that came by it; those kept before they were counted have none. */
  count?: number;
  lastSweep?: string;
}

function issueWords(issues: unknown): string {
  if (!Array.isArray(issues)) return 'not told';
  const words = (issues as { path?: string; code?: string }[]).map(
    ({ path = '', code = '' }) => `${path === '' ? 'the item' : path}: ${code}`,
  );
  return words.join(', ');
}

export const changesIndex = 'index/changes/';

/** Newline-delimited JSON by day, of the sink `file`. */
export const changeFiles = 'changes/';

export function monitorFolder(monitorId: string): string {
  return `monitors/${keySegment(monitorId)}`;
}

function markFolder(monitorId: string, kind: string): string {
  return `${monitorFolder(monitorId)}/${kind}`;
}

function markKey(monitorId: string, kind: string, changeId: string): string {
  return `${markFolder(monitorId, kind)}/${keySegment(changeId)}.json`;
}

/** @param instant ISO 8601, UTC */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}
