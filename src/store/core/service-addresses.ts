import type { Store } from '../store';

const key = 'service-addresses.json';

/** Base addresses by service. */
type Addresses = Readonly<Record<string, string | undefined>>;

/** What differs from the worker that started last on this store: between two addresses the rows would be divided. */
export async function otherAddresses(store: Store, own: Addresses): Promise<string[]> {
  const before = (await store.records.getJson<Addresses>(key)) ?? {};
  return Object.entries(own).flatMap(([service, address]) => {
    const other = before[service];
    if (address === undefined || other === undefined || other === address) return [];
    return [`${service}: ${address} here, and ${other} at the worker that started last`];
  });
}

export async function keepAddresses(store: Store, own: Addresses): Promise<void> {
  const before = await store.records.getJson<Addresses>(key);
  await store.records.putJson(key, { ...before, ...own });
}
