import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** @param host a name or an address, an IPv6 one with or without its brackets */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(bare);
  if (version === 0) return bare.toLowerCase() === 'localhost';
  return loopback.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}

/** The server's name in a `host` header; null when it cannot be parsed. */
export function hostNameOf(header: string | undefined): string | null {
  if (header === undefined || !URL.canParse(`http://${header}`)) return null;
  return new URL(`http://${header}`).hostname;
}
