import { createHash } from 'node:crypto';
import { cooldownKind, type CooldownWindow } from '../../domain/monitors/cooldown';
import type { FiledChange } from '../../domain/monitors/kept';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, marksOf, partsOf, statement, type Statement } from '../statement';
import { rowName } from '../seal';

/** Which window: of a kind of change (`sumOfKind`) of a monitor, by its number. */
export interface WindowKey {
  monitorId: string;
  kind: string;
  number: number;
}

/** A window as it is stored, with the digest that was made up of it. */
export interface FiledWindow extends CooldownWindow, WindowKey {
  digest: FiledDigest | null;
  /** Of its digest. */
  trouble: DigestTrouble | null;
}

/** What a digest could not be told for. Counted over sweeps until it is taken. */
export interface DigestTrouble {
  count: number;
  firstAt: string;
  lastAt: string;
  sweep: string;
  why: string;
  /** Not to be tried before; null: at the next sweep. */
  againAt: string | null;
}

/** Made up once: told again, it is the same. One that is refused is halved. */
export interface FiledDigest {
  id: string;
  changeIds: readonly string[];
}

interface WindowRow extends WindowKey {
  openedAt: number | null;
  opener: string | null;
  digest: string | null;
  count: number;
  firstAt: string;
  trouble: Uint8Array | null;
}

interface FoldedRow extends WindowKey {
  changeId: string;
  isInDigest: number;
}

const key = ['monitor', 'kind', 'number'];
const keyColumns = 'monitor AS "monitorId", kind, number';
const thatWindow = 'monitor = ? AND kind = ? AND number = ?';

/** Windows of cooldowns. One is there until its digest is taken and nothing is left in it. */
export class CooldownRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** In order, by the sum of their kind. */
  async of(monitorId: string): Promise<Map<string, FiledWindow[]>> {
    const found = new Map<string, FiledWindow[]>();
    const windows = await this.#store.read<WindowRow>(
      statement(
        `SELECT ${keyColumns}, opened_at AS "openedAt", opener, digest, trouble,
                trouble_count AS count, trouble_first_at AS "firstAt"
         FROM cooldown_window WHERE monitor = ? ORDER BY kind, number`,
        [monitorId],
      ),
    );
    if (windows.length === 0) return found;
    const folded = await this.#store.read<FoldedRow>(
      statement(
        `SELECT ${keyColumns}, change AS "changeId", is_in_digest AS "isInDigest"
         FROM cooldown_change WHERE monitor = ? ORDER BY kind, number, change`,
        [monitorId],
      ),
    );
    for (const row of windows) {
      const its = folded.filter((one) => nameOf(one) === nameOf(row));
      found.set(row.kind, [...(found.get(row.kind) ?? []), this.#windowOf(row, its)]);
    }
    return found;
  }

  /** Windows that are new, and changes that are told with others: all of them, or none. */
  async fold(
    opened: readonly FiledWindow[],
    folded: readonly { window: WindowKey; changeId: string }[],
  ): Promise<void> {
    const windows = new Map(folded.map(({ window }) => [nameOf(window), window]));
    const rows = opened.map((one) => [...keyOf(one), one.openedAt, one.opener]);
    const statements = [
      ...partsOf(rows).map((some) =>
        insertInto('cooldown_window', [...key, 'opened_at', 'opener'], some),
      ),
      ...[...windows].flatMap(([name, window]) => {
        const its = folded.filter((one) => nameOf(one.window) === name);
        return partsOf(its.map(({ changeId }) => [changeId])).map((ids) => foldInto(window, ids));
      }),
    ];
    if (statements.length > 0) await this.#store.commit(statements);
  }

  /** Makes up the digest of these changes, unless there is one. @returns the one that stands */
  async close(window: FiledWindow, changeIds: readonly string[]): Promise<FiledDigest | null> {
    const id = digestIdOf(window, changeIds);
    const isOurs = `EXISTS (SELECT 1 FROM cooldown_window WHERE ${thatWindow} AND digest = ?)`;
    await this.#store.commit([
      statement(`UPDATE cooldown_window SET digest = ? WHERE ${thatWindow} AND digest IS NULL`, [
        id,
        ...keyOf(window),
      ]),
      ...partsOf(changeIds).map((some) =>
        statement(
          `UPDATE cooldown_change SET is_in_digest = 1
           WHERE ${thatWindow} AND change IN (${some.map(() => '?').join(', ')}) AND ${isOurs}`,
          [...keyOf(window), ...some, ...keyOf(window), id],
        ),
      ),
    ]);
    const now = (await this.of(window.monitorId)).get(window.kind) ?? [];
    return now.find(({ number }) => number === window.number)?.digest ?? null;
  }

  /**
   * Makes two digests of one: the first half stays, the other stands in a window of its own, which is
   * over.
   *
   * @param number of the new window: the next of its kind
   */
  async halve(
    window: FiledWindow,
    { changeIds }: FiledDigest,
    number: number,
  ): Promise<[FiledWindow, FiledWindow]> {
    const middle = Math.ceil(changeIds.length / 2);
    const [left, moved] = [changeIds.slice(0, middle), changeIds.slice(middle)];
    const digest = { id: digestIdOf(window, left), changeIds: left };
    const over = { number, openedAt: null, opener: null, digest: null, closed: false };
    const other: FiledWindow = { ...window, ...over, folded: new Set(moved) };
    const { count = 0, firstAt = null } = window.trouble ?? {};
    const trouble = window.trouble && (await this.#store.sealed(nameOf(other), window.trouble));
    await this.#store.commit([
      insertInto(
        'cooldown_window',
        [...key, 'trouble_count', 'trouble_first_at', 'trouble'],
        [[...keyOf(other), count, firstAt, trouble]],
      ),
      ...partsOf(moved).map((some) =>
        statement(
          `UPDATE cooldown_change SET number = ?, is_in_digest = 0
           WHERE ${thatWindow} AND change IN (${some.map(() => '?').join(', ')})`,
          [number, ...keyOf(window), ...some],
        ),
      ),
      statement(`UPDATE cooldown_window SET digest = ? WHERE ${thatWindow}`, [
        digest.id,
        ...keyOf(window),
      ]),
    ]);
    const folded = new Set([...window.folded].filter((changeId) => !moved.includes(changeId)));
    return [{ ...window, folded, digest, closed: true }, other];
  }

  /** @returns the trouble as it stands now, with its count */
  async countTrouble(
    window: FiledWindow,
    last: Omit<DigestTrouble, 'count' | 'firstAt'>,
  ): Promise<DigestTrouble> {
    const [result] = await this.#store.commit([
      statement(
        `UPDATE cooldown_window SET trouble_count = trouble_count + 1, trouble = ?,
           trouble_first_at = coalesce(trouble_first_at, ?)
         WHERE ${thatWindow}
         RETURNING trouble_count AS count, trouble_first_at AS "firstAt"`,
        [await this.#store.sealed(nameOf(window), last), last.lastAt, ...keyOf(window)],
      ),
    ]);
    const [counted] = result?.rows ?? [];
    return { count: 1, firstAt: last.lastAt, ...last, ...(counted as object) };
  }

  /** The digest was taken. What it did not tell is left for another, in a window that is over. */
  async clear(window: FiledWindow): Promise<void> {
    await this.#store.commit([
      statement(
        `DELETE FROM cooldown_change WHERE ${thatWindow} AND is_in_digest = 1`,
        keyOf(window),
      ),
      statement(
        `UPDATE cooldown_window SET opened_at = NULL, opener = NULL, digest = NULL,
           trouble_count = 0, trouble_first_at = NULL, trouble = NULL WHERE ${thatWindow}`,
        keyOf(window),
      ),
      removeEmpty(window),
    ]);
  }

  /** Nothing came in it. */
  async forget(window: FiledWindow): Promise<void> {
    await this.#store.commit([removeEmpty(window)]);
  }

  #windowOf(row: WindowRow, folded: readonly FoldedRow[]): FiledWindow {
    const { monitorId, kind, number, openedAt, opener, digest: id, count, firstAt } = row;
    const last = row.trouble === null ? null : this.#store.opened(nameOf(row), row.trouble);
    const told = folded.filter(({ isInDigest }) => isInDigest === 1);
    return {
      monitorId,
      kind,
      number,
      openedAt,
      opener,
      folded: new Set(folded.map(({ changeId }) => changeId)),
      closed: id !== null,
      digest: id === null ? null : { id, changeIds: told.map(({ changeId }) => changeId) },
      trouble: last === null ? null : { ...(last as DigestTrouble), count, firstAt },
    };
  }
}

/** Names a kind of change. */
export function sumOfKind({ change }: Pick<FiledChange, 'change'>): string {
  return createHash('sha256').update(cooldownKind(change)).digest('hex').slice(0, 16);
}

/** Not into one that was closed meanwhile: its digest would not tell them. */
function foldInto(window: WindowKey, ids: readonly string[][]): Statement {
  return statement(
    `INSERT INTO cooldown_change (monitor, kind, number, change)
     SELECT w.monitor, w.kind, w.number, v.column1
     FROM cooldown_window w, (VALUES ${marksOf(ids)}) v
     WHERE w.monitor = ? AND w.kind = ? AND w.number = ? AND w.digest IS NULL
     ON CONFLICT DO NOTHING`,
    [...ids.flat(), ...keyOf(window)],
  );
}

function removeEmpty(window: WindowKey): Statement {
  return statement(
    `DELETE FROM cooldown_window WHERE ${thatWindow}
       AND NOT EXISTS (SELECT 1 FROM cooldown_change WHERE ${thatWindow})`,
    [...keyOf(window), ...keyOf(window)],
  );
}

function digestIdOf(window: WindowKey, changeIds: readonly string[]): string {
  const sum = createHash('sha256').update([nameOf(window), ...changeIds].join('\n'));
  return `digest-${sum.digest('hex').slice(0, 32)}`;
}

function nameOf({ monitorId, kind, number }: WindowKey): string {
  return rowName('cooldown_window', monitorId, kind, number);
}

function keyOf({ monitorId, kind, number }: WindowKey): [string, string, number] {
  return [monitorId, kind, number];
}
