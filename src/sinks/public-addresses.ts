import { lookup as lookupName, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** The address belongs to this machine or its networks, where a webhook has no business. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  readonly code = 'PRIVATE_ADDRESS';

  constructor() {
    super('the host has a private, loopback or link-local address');
  }
}

/** What is given out of IPv6: outside of it an IPv4 address may be written in other ways (`::7f00:1`). */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** True only of addresses that are reached over the public internet; also inside an IPv6 address. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const plain = ipaddr.process(address);
  if (plain.range() !== 'unicast') return false;
  return plain instanceof ipaddr.IPv4 || plain.match(publicIpv6);
}

/**
 * Connects to public addresses alone. What a name stands for is looked at in the very look-up that
 * the connection uses, so that a name cannot mean one address when checked and another when used.
 */
export function publicConnector(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: publicLookup });
  return (options, done) => {
    const host = options.hostname.replaceAll(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isPublicAddress(host)) done(new PrivateAddressError(), null);
    else connect(options, done);
  };
}

type LookupDone = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** As `dns.lookup`; a name with one address that is not public has none. */
export function publicLookup(hostname: string, options: LookupOptions, done: LookupDone): void {
  lookupName(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, []);
    if (!found.every(({ address }) => isPublicAddress(address))) {
      return done(new PrivateAddressError(), []);
    }
    if (options.all === true) return done(null, found);
    const [first] = found;
    return done(null, first?.address ?? '', first?.family);
  });
}
