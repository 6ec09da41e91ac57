import type { Store } from '../store';

const key = 'service-addresses.json';

/** The services as configured; null: not configured. */
type Services = Record<'credit' | 'investigation', { baseUrl: string } | null>;
/** Base addresses by service. */
type Addresses = Readonly<Record<string, string | undefined>>;

/** What differs from the worker that started last on this store: between two addresses the rows would be divided. */
export async function otherAddresses(store: Store, services: Services): Promise<string[]> {
  const before = (await store.records.getJson<Addresses>(key)) ?? {};
  return Object.entries(addressesOf(services)).flatMap(([service, address]) => {
    const other = before[service];
    if (address === undefined || other === undefined || other === address) return [];
    return [`${service}: ${address} here, and ${other} at the worker that started last`];
  });
}

/** A service that is not configured keeps the address that it had. */
export async function keepAddresses(store: Store, services: Services): Promise<void> {
  const before = await store.records.getJson<Addresses>(key);
  const own = Object.entries(addressesOf(services)).filter(([, address]) => address !== undefined);
  await store.records.replace(key, JSON.stringify({ ...before, ...Object.fromEntries(own) }));
}

function addressesOf({ credit, investigation }: Services): Addresses {
  return { credit: credit?.baseUrl, investigation: investigation?.baseUrl };
}
