import { createHash } from 'node:crypto';
import { groupBy } from '../../domain/core/group-by';
import type { Repeat } from '../../domain/monitors/cooldown';
import type { DeliveryFailure } from '../../domain/monitors/stored';
import { Repository } from '../sealed/sealed-database';
import { insertInto, partsOf, sql, type Statement } from '../statement';
import { ChangeRows, idOf } from './change-rows';

/** Changes per digest; more need another digest. */
const mostPerDigest = 500;

/** Built once: a repeated delivery is identical. A refused one is halved. */
export interface StoredDigest {
  id: string;
  changeIds: readonly string[];
  failure: DeliveryFailure | null;
}

/** Changes within cooldowns: those that started a window, and those that wait for a digest. */
export class CooldownRepository extends Repository {
  async of(monitorId: string): Promise<Repeat[]> {
    const rows = await this.store.read<Omit<Repeat, 'isHeld'> & { isHeld: number }>(sql`
      SELECT change AS "changeId", kind, opened_at AS "openedAt", is_held AS "isHeld", digest
      FROM cooldown WHERE monitor = ${monitorId} ORDER BY change`);
    return rows.map((row) => ({ ...row, isHeld: row.isHeld === 1 }));
  }

  /** All open digests, with their delivery failures. */
  async digests(monitorId: string): Promise<StoredDigest[]> {
    const made = (await this.of(monitorId)).filter(({ digest }) => digest !== null);
    const ofDigests = sql`SELECT digest FROM cooldown WHERE monitor = ${monitorId}`;
    const failures = await new ChangeRows(this.store).failuresAmong(
      sql`monitor = ${monitorId} AND about IN (${ofDigests})`,
    );
    return [...groupBy(made, ({ digest }) => digest ?? '')].map(([id, its]) => ({
      id,
      changeIds: its.map(({ changeId }) => changeId),
      failure: failures.get(idOf({ monitorId, changeId: id })) ?? null,
    }));
  }

  /** Existing entries stay. */
  async add(monitorId: string, repeats: readonly Repeat[]): Promise<void> {
    const columns = ['monitor', 'change', 'kind', 'opened_at', 'is_held'];
    const rows = repeats.map((one) => {
      return [monitorId, one.changeId, one.kind, one.openedAt, one.isHeld ? 1 : 0];
    });
    await this.#commit(partsOf(rows).map((some) => insertInto('cooldown', columns, some)));
  }

  /** Builds digests of each group, all or none. A change that is in one meanwhile stays there. */
  async makeUp(monitorId: string, groups: readonly (readonly string[])[]): Promise<void> {
    const parts = groups.flatMap((changeIds) => partsOf(changeIds, mostPerDigest));
    await this.#replace(monitorId, null, parts);
  }

  /** Two digests instead of one, or neither. */
  halve(monitorId: string, { id, changeIds }: StoredDigest): Promise<StoredDigest[]> {
    return this.#replace(monitorId, id, partsOf(changeIds, Math.ceil(changeIds.length / 2)));
  }

  /** They were delivered, or started a window that has ended. */
  async remove(monitorId: string, changeIds: readonly string[]): Promise<void> {
    await this.#commit(
      partsOf(changeIds).map(
        (some) => sql`DELETE FROM cooldown WHERE monitor = ${monitorId} AND change IN ${some}`,
      ),
    );
  }

  /** @param before their previous digest; null: none */
  async #replace(
    monitorId: string,
    before: string | null,
    groups: readonly (readonly string[])[],
  ): Promise<StoredDigest[]> {
    const digests = groups.map((changeIds) => {
      return { id: digestIdOf(monitorId, changeIds), changeIds, failure: null };
    });
    const statements = digests.flatMap(({ id, changeIds }) =>
      partsOf(changeIds).map(
        (some) => sql`UPDATE cooldown SET digest = ${id}
          WHERE monitor = ${monitorId} AND change IN ${some}
            AND digest IS NOT DISTINCT FROM ${before}`,
      ),
    );
    await this.#commit(statements);
    return digests;
  }

  async #commit(statements: readonly Statement[]): Promise<void> {
    if (statements.length > 0) await this.store.commit(statements);
  }
}

function digestIdOf(monitorId: string, changeIds: readonly string[]): string {
  const sum = createHash('sha256').update(JSON.stringify([monitorId, ...changeIds]));
  return `digest-${sum.digest('hex').slice(0, 32)}`;
}
