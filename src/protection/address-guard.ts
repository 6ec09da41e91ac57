import { lookup as lookupName, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';

/** Guards connections to addresses that others name: a service's file URL, a webhook. */

/** The setting that allows what `AddressGuard` refuses. */
export const allowedHosts = 'DILIGENCE_ALLOWED_HOSTS';

/** The rule is the reason. Contains only the host, no path and no query. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
  readonly sent = 'no';

  /** @param allowedAs value of the setting that would allow it; null: nothing allows it */
  constructor(host: string, rule: string, allowedAs: string | null = null) {
    const fix = allowedAs === null ? '' : ` (${allowedHosts}=${allowedAs} allows it)`;
    super(`the address at ${host.slice(0, 255) || 'no host'} is not followed: ${rule}${fix}`);
  }
}

export type LookUp = (
  host: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Ports of web servers; others belong to other programs. */
const usualPorts = ['80', '443', '8080', '8443'];
/** The allocated part of IPv6: outside of it an IPv4 address may be written in other ways (`::7f00:1`). */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

const noAddress = 'expected an address that begins with http: or https:';
const isPrivate = 'it has an address that is not public';
const hasUser = 'it has a user or a password in it';
const leavesHttps = 'it leads from https to http';
const leadsBack = 'it leads from elsewhere back to the service';

/**
 * Allows only public addresses and the usual ports, except for allowed hosts and networks. A name is resolved
 * once, checked, and that address is connected to: it cannot change in between.
 */
export class AddressGuard {
  readonly #hosts = new Set<string>();
  readonly #networks: Network[] = [];
  readonly #lookUp: LookUp;

  /** @param allowed host names, addresses, networks (`10.1.0.0/16`) */
  constructor(allowed: readonly string[] = [], lookUp: LookUp = lookupName) {
    this.#lookUp = lookUp;
    for (const entry of allowed) {
      const network = networkOf(entry);
      if (network !== null) this.#networks.push(network);
      else this.#hosts.add(nameOf(entry));
    }
  }

  /** True when its name is allowed, or its address when that is its name. */
  allows(host: string): boolean {
    const plain = plainHost(host);
    return this.#hosts.has(plain) || this.#allowsAddress(plain);
  }

  /** Resolves an address of a response. @param own origin of the called service */
  follow(address: string, from: URL, own: string): URL {
    const url = URL.canParse(address, from.href) ? new URL(address, from.href) : null;
    const host = url?.host ?? '';
    if (url === null || !/^https?:$/.test(url.protocol) || host === '') {
      throw new RefusedAddressError(host, noAddress);
    }
    if (url.username !== '' || url.password !== '') throw new RefusedAddressError(host, hasUser);
    if (from.protocol === 'https:' && url.protocol !== 'https:') {
      throw new RefusedAddressError(host, leavesHttps);
    }
    // It would receive our token, for a call that a stranger chose.
    if (from.origin !== own && url.origin === own) throw new RefusedAddressError(host, leadsBack);
    return url;
  }

  connector(timeoutMs: number, ports: 'usual' | 'any' = 'usual'): buildConnector.connector {
    // Loaded on demand: commands that only read the store connect to nobody.
    const { buildConnector } = require('undici') as typeof import('undici');
    return (options, done) => {
      const host = plainHost(options.hostname);
      this.#lookUp(host, { all: true }, (error, found) => {
        if (error !== null) return done(error, null);
        const rule = this.#ruleAgainst(host, found, ports === 'any' ? '' : options.port);
        if (rule !== null) return done(new RefusedAddressError(host, rule, host), null);
        return buildConnector({ timeout: timeoutMs, lookup: pinnedTo(found) })(options, done);
      });
    };
  }

  #ruleAgainst(host: string, found: readonly LookupAddress[], port: string): string | null {
    if (this.#hosts.has(host)) return null;
    const strange = found.filter(({ address }) => !this.#allowsAddress(address));
    if (found.length > 0 && strange.length === 0) return null;
    if (!found.every(({ address }) => isPublicAddress(address) || this.#allowsAddress(address))) {
      return isPrivate;
    }
    const isUsual = port === '' || usualPorts.includes(port);
    return isUsual ? null : `port ${port} is none of ${usualPorts.join(', ')}`;
  }

  #allowsAddress(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return this.#networks.some(
      ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
    );
  }
}

/** True only for addresses reached over the public internet; also inside an IPv6 address. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(publicIpv6);
}

function pinnedTo(found: readonly LookupAddress[]): LookupFunction {
  return (_, options, done) => {
    if (options.all === true) return done(null, [...found]);
    const [first] = found;
    return done(null, first?.address ?? '', first?.family);
  };
}

function networkOf(entry: string): Network | null {
  const text = plainHost(entry);
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.IPv6.isValid(text) && !ipaddr.IPv4.isValidFourPartDecimal(text)) return null;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function nameOf(entry: string): string {
  const name = plainHost(entry);
  if (/^(?=.*[a-z])[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name)) return name;
  throw new RangeError(`${entry}: expected a host name, an address, or a network like 10.1.0.0/16`);
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
