import { IdKey } from '../../src/protection/id-key';
import {
  erase,
  finishErasure,
  openErasures,
  type ErasureRecord,
  type OpenErasure,
} from '../../src/store/erasure/erasures';
import { plansOf } from '../../src/store/erasure/plans';
import type { ErasureClass } from '../../src/store/erasure/catalog';
import type { ErasureRequest, ErasurePlan } from '../../src/store/erasure/plan';
import { ErasurePlanner } from '../../src/store/erasure/planner';
import { ErasureDraft } from '../../src/store/erasure/draft';
import type { Store } from '../../src/store/store';

/** How an erasure is planned. */
export type Planning = (planner: ErasurePlanner) => Promise<ErasurePlan>;

export const idKey = IdKey.parse('ab'.repeat(32));
export const nameOf = (document: string): string => idKey.nameOf('document', document);
export const planned = (store: Store, plan: Planning): Promise<ErasurePlan> =>
  plan(new ErasurePlanner(store, nameOf));

/** All that goes by age, as one plan. */
export async function ofAge(
  store: Store,
  what: ErasureClass,
  endedBefore: number,
): Promise<ErasurePlan> {
  const order = { kind: 'age', class: what, endedBefore: new Date(endedBefore).toISOString() };
  const plans = plansOf(store, nameOf, order as ErasureRequest, Infinity);
  return (await plans.next()).value as ErasurePlan;
}

const deleteRuns = async (): Promise<void> => undefined;

/** Commits what a draft changes, and nothing else. */
export async function drafted(
  store: Store,
  change: (draft: ErasureDraft) => Promise<void>,
): Promise<ErasureDraft> {
  const draft = new ErasureDraft(store);
  await change(draft);
  await store.commit(await draft.statements());
  return draft;
}

/** Finishes what was cut short, and erases what there is. @returns the last record, and its key */
export async function erased(
  store: Store,
  plan: Planning,
  most?: number,
): Promise<{ record: ErasureRecord; key: string }> {
  for (const open of await openErasures(store)) await finishErasure(store, open, deleteRuns);
  const order = { by: 'tester', reason: 'a test', runs: [], deleteRuns };
  return erase(store, await planned(store, plan), order, most);
}

/** What a plan changes, in order: keys of records, and holders of rows behind the name of their table. */
export function changedKeys({ draft }: ErasurePlan): string[] {
  return [...draft.objects.keys()].toSorted();
}

/** What a plan removes, or empties. */
export function keysThat(what: 'removed' | 'emptied', { draft }: ErasurePlan): string[] {
  const those = [...draft.objects].filter(([, object]) => object[what] > 0);
  return those.map(([key]) => key).toSorted();
}

/**
 * Erases again and again, each time in a store of its own, and is cut short one step later each time: before
 * the transaction, between it and each of the steps behind it.
 *
 * @param open a store with everything in it, as another process opens it: its steps fail
 * @param check called once the same was asked for again, and nothing failed; with what the cut left
 */
export async function cutShortAnywhere(
  open: () => Promise<Store>,
  plan: Planning,
  check: (store: Store, cut: { step: string; open: OpenErasure[] }) => Promise<void>,
  most?: number,
): Promise<string[]> {
  const steps: string[] = [];
  for (let allowed = 0; steps.length === allowed; allowed += 1) {
    const store = await open();
    let made = 0;
    let step = 'none';
    const methods = ['commit', 'removeBlobs', 'forget'] as const;
    for (const name of methods) {
      const method = store[name].bind(store) as (...args: unknown[]) => Promise<never>;
      store[name] = async (...args: unknown[]): Promise<never> => {
        if (made === allowed) {
          step = name;
          throw new Error('cut short');
        }
        made += 1;
        return method(...args);
      };
    }
    const isDone = await erased(store, plan, most).then(
      () => true,
      () => false,
    );
    for (const name of methods) Reflect.deleteProperty(store, name);
    if (!isDone) steps.push(step);
    const left = await openErasures(store);
    await erased(store, plan);
    await check(store, { step, open: left });
  }
  return steps;
}
