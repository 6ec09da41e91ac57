import { groupBy } from '../../domain/core/group-by';
import type { IssuanceFact, OutcomeRecord } from '../../domain/certificates/outcomes';
import type { NameOf } from '../core/subjects';
import { operationFolder } from '../credit/analyses';
import { lensIndexes } from '../lens/lens';
import type { ChangeKey } from '../monitors/change-rows';
import { holderOf } from '../monitors/monitors';
import { sql } from '../statement';
import type { Store } from '../store';
import { answerKeys } from './catalog';
import type { Change } from './draft';
import { factsOf, takeMonitor } from './jobs';
import { ErasurePlan, type ErasureRequest } from './plan';
import { ErasurePlanner } from './planner';
import { erasedChange, withoutAnswer, withoutClass, withoutUploads } from './tombstones';

/** Rows per plan, which is in memory as a whole and one transaction. */
const mostInPlan = 2_000;
const itemsPerLook = 200;

/** Plans to be carried out one by one: several by age, otherwise one. */
export async function* plansOf(
  store: Store,
  nameOf: NameOf,
  request: ErasureRequest,
  most: number = mostInPlan,
): AsyncGenerator<ErasurePlan> {
  if (request.kind !== 'age') {
    yield new ErasurePlanner(store, nameOf).of(request);
    return;
  }
  const jobs = await store.read<{ folder: string }>(sql`
    SELECT folder FROM job WHERE ended_at < ${request.endedBefore} AND kind <> 'decision'
    ORDER BY folder`);
  const old = new Set(jobs.map(({ folder }) => folder));
  let plan = new AgePlan(store, nameOf, request, old);
  for (const folder of old) {
    await plan.takeJob(folder);
    const isInRows = folder.startsWith('works/') && request.class !== 'inputs';
    for (let from = 0; !isInRows || (await plan.takeRows(folder, from)); from += itemsPerLook) {
      if (plan.rows + plan.jobs.length >= most) {
        yield plan;
        plan = new AgePlan(store, nameOf, request, old);
      }
      if (!isInRows) break;
    }
  }
  if (request.class === 'results') await plan.takeChanges();
  yield plan;
}

/** One class of data of jobs that ended before an instant, not shared with a later job. */
class AgePlan extends ErasurePlan {
  declare readonly request: Extract<ErasureRequest, { kind: 'age' }>;
  readonly #old: ReadonlySet<string>;

  constructor(
    store: Store,
    nameOf: NameOf,
    request: Extract<ErasureRequest, { kind: 'age' }>,
    old: ReadonlySet<string>,
  ) {
    super(store, nameOf, request);
    this.#old = old;
  }

  async takeJob(folder: string): Promise<void> {
    const { draft } = this;
    const before = draft.size;
    if (this.request.class === 'inputs') {
      const gone = await this.#takeAlone(folder, 'inputs/');
      await draft.rewriteRows('job', folder, (body, column) =>
        column === 'input' ? withoutUploads(body, gone) : body,
      );
    } else if (!folder.startsWith('works/')) {
      const those = this.request.class === 'pdf' ? /^dossiers\/.+\/artifacts\// : answerKeys;
      const keys = await this.store.records.list(`${folder}/`);
      const answers = keys.filter((key) => those.test(key));
      await draft.remove('record', answers);
      if (this.request.class === 'results') await this.#takeOutcome(folder);
    }
    if (draft.size > before) await this.addJob(folder, false);
  }

  async #takeOutcome(folder: string): Promise<void> {
    const gone = await this.#takeAlone(folder, 'operations/');
    await this.draft.rewriteRows('job', folder, (body, column) => {
      if (column === 'input') return body;
      const { operationId = null } = body as { operationId?: string | null };
      // Data shared with a later analysis stays.
      const isShared = operationId !== null && !gone.has(operationFolder(operationId));
      return isShared ? body : withoutAnswer(body as object);
    });
    // The input contains the others.
    if (folder.startsWith('lens/'))
      await this.draft.remove('subject', [lensIndexes(folder).answer], 'holder');
  }

  /** Uploads or operations that only expired jobs use. */
  async #takeAlone(folder: string, begin: string): Promise<Set<string>> {
    const held = await this.store.subjects.heldBy([folder], begin);
    const gone = new Set(await this.aloneAmong(held, this.#old));
    await this.draft.removeShared(gone);
    return gone;
  }

  /** @returns false when there are none from this item on */
  async takeRows(folder: string, from: number): Promise<boolean> {
    const { store, draft } = this;
    const what = this.request.class === 'pdf' ? 'pdf' : 'results';
    const values = Array.from({ length: itemsPerLook }, (_, n) => from + n);
    const rows = await store.rows.where(folder, 'item', values);
    const outcomes = await store.outcomes.ofItems(folder, values);
    const names = new Map(
      rows.flatMap((row) => (row.kind === 'item' ? [[row.item, this.nameOf(row.document)]] : [])),
    );
    const alone = new Set(await this.aloneAmong([...names.values()], this.#old, 'works/'));
    const own = outcomes.filter(({ item }) => alone.has(names.get(item) ?? ''));
    const before = draft.size;
    const ids = new Set(own.flatMap(({ certidaoId }) => certidaoId ?? []));
    await factsOf(this, [...ids]);
    for (const id of ids)
      await draft.rewriteRows('fact', id, (body) => {
        const left = withoutClass(body as IssuanceFact, what);
        return left === body ? body : { ...left, erased: true };
      });
    const change: Change = (body) => {
      const outcome = body as OutcomeRecord;
      return ids.has(outcome.certidaoId ?? '') ? withoutClass(outcome, what) : body;
    };
    const items = { column: 'item', values: own.map(({ item }) => item) };
    this.rows += await draft.rewriteRows('outcome', folder, change, items);
    if (draft.size > before) await this.addJob(folder, false);
    return rows.length + outcomes.length > 0;
  }

  async takeChanges(): Promise<void> {
    const rows = await this.store.read<ChangeKey>(sql`
      SELECT monitor_id, change_id FROM change_mark JOIN change USING (monitor_id, change_id)
      WHERE name IN ('acknowledged', 'gone') AND is_erased = 0
      GROUP BY 1, 2 HAVING max(at) < ${this.request.endedBefore} ORDER BY 1, 2`);
    for (const [id, its] of groupBy(rows, ({ monitorId }) => monitorId)) {
      const old = new Set(its.map(({ changeId }) => changeId));
      await takeMonitor(this, id, {
        isMeant: (line) => old.has((line as { change_id: string }).change_id),
        left: (table, body) => {
          const { change } = body as { change?: { changeId: string } };
          const isOld = table === 'change' && old.has(change?.changeId ?? '');
          return isOld ? erasedChange(body as object) : body;
        },
      });
      await this.addJob(holderOf(id), false);
    }
  }
}
