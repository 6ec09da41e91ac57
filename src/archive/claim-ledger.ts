import type { Claim, ClaimOwner, Decision, Receipt, Ruling } from '../domain/claims';
import { isSameOwner } from '../domain/claims';
import { getJson, type Archive } from './archive';

/**
 * Claims, receipts and rulings of the things that can be bought, in the archive. Everything put
 * here is durable before the promise resolves: its loss would cost money. PROTOCOLS 1.
 */
export class ClaimLedger {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  /** The last decision of a thing, null when there was none. */
  async lastDecision(thing: Thing): Promise<Decision | null> {
    const keys = await this.#archive.list(`${thing.key}/`);
    let n = 0;
    for (const key of keys) {
      const found = /\/(\d{6})\.claim\.json$/.exec(key)?.[1];
      if (found !== undefined) n = Math.max(n, Number(found));
    }
    return n === 0 ? null : this.#decision(thing, n);
  }

  /**
   * Whether a recovery has shut the door on this run: some decision is closed in its name. A worker
   * that thaws long after it was given up must find that out, whatever came after.
   */
  async isClosedFor(thing: Thing, last: Decision | null, owner: ClaimOwner): Promise<boolean> {
    if (last !== null && closedFor(last.claim, owner)) return true;
    for (let n = (last?.n ?? 1) - 1; n >= 1; n -= 1) {
      if (closedFor(await this.#readClaim(thing, n), owner)) return true;
    }
    return false;
  }

  /**
   * Takes decision `n` of a thing. Who does not get it does not send.
   *
   * @returns `ours`, also when an earlier put of ours landed and its answer was lost
   */
  async claim(thing: Thing, n: number, claim: Claim): Promise<'ours' | 'taken'> {
    const key = claimKey(thing, n);
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(claim), { durable: true });
    if (put === 'stored') return 'ours';
    const there = await this.#readClaim(thing, n);
    return there !== 'unreadable' && there.nonce === claim.nonce ? 'ours' : 'taken';
  }

  /** The first receipt of a decision stays; returns the one that stands. */
  async putReceipt(thing: Thing, n: number, receipt: Receipt): Promise<Receipt> {
    const key = `${thing.key}/${numeral(n)}.receipt.json`;
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(receipt), { durable: true });
    if (put === 'stored') return receipt;
    return (await getJson<Receipt>(this.#archive, key)) ?? receipt;
  }

  /** The first ruling of a decision stays; returns the one that stands. */
  async putRuling(thing: Thing, n: number, ruling: Ruling): Promise<Ruling> {
    const key = `${thing.key}/${numeral(n)}.ruling.json`;
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(ruling), { durable: true });
    if (put === 'stored') return ruling;
    return (await getJson<Ruling>(this.#archive, key)) ?? ruling;
  }

  async #decision(thing: Thing, n: number): Promise<Decision> {
    const [claim, receipt, ruling] = await Promise.all([
      this.#readClaim(thing, n),
      getJson<Receipt>(this.#archive, `${thing.key}/${numeral(n)}.receipt.json`),
      getJson<Ruling>(this.#archive, `${thing.key}/${numeral(n)}.ruling.json`),
    ]);
    return { n, claim, receipt, ruling };
  }

  async #readClaim(thing: Thing, n: number): Promise<Claim | 'unreadable'> {
    try {
      return (await getJson<Claim>(this.#archive, claimKey(thing, n))) ?? 'unreadable';
    } catch (error) {
      if (error instanceof SyntaxError) return 'unreadable';
      throw error;
    }
  }
}

/** The folder of one thing that can be bought. Made by `certificateThing`. */
export interface Thing {
  key: string;
}

/**
 * @param documentName `IdKey.nameOf('document', ...)`: never the document itself
 */
export function certificateThing(type: string, documentName: string): Thing {
  return { key: `claims/certificate/${type}/${documentName.slice(0, 2)}/${documentName}` };
}

function closedFor(claim: Claim | 'unreadable', owner: ClaimOwner): boolean {
  return claim !== 'unreadable' && claim.kind === 'closed' && isSameOwner(claim.owner, owner);
}

function claimKey(thing: Thing, n: number): string {
  return `${thing.key}/${numeral(n)}.claim.json`;
}

function numeral(n: number): string {
  return String(n).padStart(6, '0');
}
