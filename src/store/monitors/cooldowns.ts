import { createHash } from 'node:crypto';
import { groupBy } from '../../domain/core/group-by';
import type { Repeat } from '../../domain/monitors/cooldown';
import type { DeliveryFailure } from '../../domain/monitors/stored';
import { Repository } from '../sealed/sealed-database';
import { inserts } from '../sealed/table-rows';
import { partsOf, sql, type Statement } from '../statement';
import { failuresAmong, idOf } from './change-rows';

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
  of(monitorId: string): Promise<Repeat[]> {
    return this.store.select(
      'cooldown',
      sql`WHERE monitor_id = ${monitorId} ORDER BY change_id`,
      sql`change_id, kind, opened_at, is_held, digest`,
    );
  }

  /** All open digests, with their delivery failures. */
  async digests(monitorId: string): Promise<StoredDigest[]> {
    const made = (await this.of(monitorId)).filter(({ digest }) => digest !== null);
    const ofDigests = sql`SELECT digest FROM cooldown WHERE monitor_id = ${monitorId}`;
    const failures = await failuresAmong(
      this.store,
      sql`monitor_id = ${monitorId} AND change_id IN (${ofDigests})`,
    );
    return [...groupBy(made, ({ digest }) => digest ?? '')].map(([id, its]) => ({
      id,
      changeIds: its.map(({ changeId }) => changeId),
      failure: failures.get(idOf({ monitorId, changeId: id })) ?? null,
    }));
  }

  async add(monitorId: string, repeats: readonly Repeat[]): Promise<void> {
    const rows = repeats.map(({ changeId, kind, openedAt, isHeld }) => {
      return { monitorId, changeId, kind, openedAt, isHeld };
    });
    await this.#commit(inserts('cooldown', rows));
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
        (some) =>
          sql`DELETE FROM cooldown WHERE monitor_id = ${monitorId} AND change_id IN ${some}`,
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
          WHERE monitor_id = ${monitorId} AND change_id IN ${some}
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
