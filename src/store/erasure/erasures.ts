import { randomBytes } from 'node:crypto';
import type { Store } from '../store';
import type { QuotedWords } from './erasure-subject';
import type { PurgeClass } from './kept-kinds';

/** What was asked to be erased: documents by their keyed name alone. */
export type PurgeTarget =
  | { kind: 'document'; name: string }
  /** What was searched for, by its keyed name. */
  | { kind: 'target'; name: string }
  | { kind: 'work'; workId: string }
  | { kind: 'age'; class: PurgeClass; endedBefore: string };

/** What was done to one object, and what it was before. */
export interface ErasedObject {
  kind: string;
  /** Its key; where that would tell an id or a sum, `mac:` and its keyed MAC. */
  key: string;
  action: 'removed' | 'rewritten';
  /** As they were. */
  bytes: number;
  /**
   * Of PDFs alone. Other objects have a known form: whoever guesses what was in them could prove it
   * by a plain sum.
   */
  sha256?: string;
  /** Of the rest: `IdKey.macOf` their sha256, which proves the old bytes to holders of the key. */
  mac?: string;
}

/** The record of an erasure: who, when, why and what, without what was erased. */
export interface ErasureRecord {
  id: string;
  target: PurgeTarget;
  by: string;
  reason: string;
  startedAt: string;
  /** Null while it is under way, or was cut short: the same command again finishes it. */
  finishedAt: string | null;
  works: string[];
  /** Lines of inputs that became tombstones, or went with their work. */
  rows: number;
  /** Ids of the workflows that were deleted from the engine. */
  workflows: string[];
  objects: ErasedObject[];
}

/**
 * A purge that is under way also keeps the words it looks for: once their sources are gone, nothing
 * else tells what is quoted. They go with it.
 */
export interface ErasureIntent extends ErasureRecord {
  quoted?: QuotedWords;
  /** Ids of works that go as a whole: once they are half gone, nothing else tells that they should. */
  wholes?: string[];
}

/** Erasure records. One under way stands in `erasures/open/`, a finished one in `erasures/`. */
export class Erasures {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Puts the intent on the disk before anything is touched; what an earlier one began is united. */
  async begin(
    intent: Omit<ErasureRecord, 'id' | 'finishedAt'>,
    { quoted, wholes = [] }: Pick<ErasureIntent, 'quoted' | 'wholes'> = {},
  ): Promise<ErasureRecord> {
    const earlier = await this.openFor(intent.target);
    const record: ErasureRecord =
      earlier === null
        ? { id: newId(intent.startedAt), finishedAt: null, ...intent }
        : united(earlier, intent);
    const kept: ErasureIntent = {
      ...record,
      ...(quoted !== undefined && { quoted }),
      wholes: [...new Set([...(earlier?.wholes ?? []), ...wholes])],
    };
    await this.#store.records.replace(openKey(record.id), JSON.stringify(kept));
    return record;
  }

  /** @returns the key of the record */
  async finish(record: ErasureRecord): Promise<string> {
    const key = `erasures/${record.id}.json`;
    await this.#store.records.putJson(key, record);
    return key;
  }

  /** The last step: until then a purge that was cut short is found. */
  async close(id: string): Promise<void> {
    await this.#store.records.remove(openKey(id));
  }

  /** What was begun and not finished. */
  async open(): Promise<ErasureIntent[]> {
    const found: ErasureIntent[] = [];
    for (const key of await this.#store.records.list('erasures/open/')) {
      const record = await this.#store.records.getJson<ErasureIntent>(key);
      if (record !== null) found.push(record);
    }
    return found;
  }

  async openFor(wanted: PurgeTarget): Promise<ErasureIntent | null> {
    return (await this.open()).find(({ target }) => isSame(target, wanted)) ?? null;
  }
}

/** By age, the instant moves on between one try and the next. */
export function isSame(a: PurgeTarget, b: PurgeTarget): boolean {
  if (a.kind === 'document' || a.kind === 'target') return b.kind === a.kind && a.name === b.name;
  if (a.kind === 'work') return b.kind === 'work' && a.workId === b.workId;
  return b.kind === 'age' && a.class === b.class;
}

/** What stood there before anything was touched is what the earlier record says. */
function united(
  earlier: ErasureIntent,
  later: Omit<ErasureRecord, 'id' | 'finishedAt'>,
): ErasureRecord {
  const known = new Set(earlier.objects.map(({ key }) => key));
  const { quoted: _, wholes: __, ...begun } = earlier;
  return {
    ...begun,
    works: [...new Set([...earlier.works, ...later.works])],
    rows: Math.max(earlier.rows, later.rows),
    workflows: [...new Set([...earlier.workflows, ...later.workflows])],
    objects: [...earlier.objects, ...later.objects.filter(({ key }) => !known.has(key))],
  };
}

function newId(startedAt: string): string {
  return `${startedAt.replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
}

function openKey(id: string): string {
  return `erasures/open/${id}.json`;
}
