import { randomBytes } from 'node:crypto';
import { insertInto, type Statement } from '../statement';
import { beginningOf, forgeLink } from './link';

/** A chain ends after a day, so that an anchor need not look at those of years. */
const oneDayMs = 86_400_000;

/** An entry of the audit trail on its way to its table. */
export interface NewEvent {
  /** Of the happening and its result: what is told again is there already. */
  name: string;
  job: string | null;
  /** JSON of the entry. */
  text: string;
  /** The text, sealed. */
  body: Uint8Array;
}

export interface ChainKey {
  storeId: string;
  /** `IdKey.auditKey`. */
  auditKey: Uint8Array;
}

interface OpenChain {
  name: string;
  beginning: string;
  startedAt: number;
  number: number;
  hash: string;
  /** Instant of the record written last: those of a chain never go back. */
  at: number;
}

/** The chain of one writer: the links of what it commits, forged in the transaction of what they tell. */
export class EventChain {
  readonly #key: ChainKey;
  readonly #now: () => number;
  #chain: OpenChain | null = null;

  constructor(key: ChainKey, now: () => number = Date.now) {
    this.#key = key;
    this.#now = now;
  }

  /**
   * The next link, for the transaction of what it tells; when that fails, `end` is called.
   *
   * @returns how it is written, and what is to be called once it was: what is there already is no link
   */
  next({ name, job, text, body }: NewEvent): { statement: Statement; written: () => void } {
    const now = this.#now();
    const open = this.#chain;
    const chain = open === null || now - open.startedAt > oneDayMs ? this.#newChain(now) : open;
    const at = Math.max(now, chain.at);
    const number = chain.number + 1;
    const position = { prev: chain.hash, number, at: new Date(at).toISOString() };
    const { hash, mac } = forgeLink(this.#key.auditKey, chain.beginning, position, text);
    return {
      statement: insertInto(
        'event',
        ['chain', 'number', 'at', 'prev', 'hash', 'mac', 'name', 'job', 'body'],
        [[chain.name, number, position.at, position.prev, hash, mac, name, job, body]],
        'ON CONFLICT (name) DO NOTHING',
      ),
      written: () => (this.#chain = { ...chain, number, hash, at }),
    };
  }

  /** What was written last is there or not: nothing follows it. */
  end(): void {
    this.#chain = null;
  }

  #newChain(now: number): OpenChain {
    const name = `${chainsSince(now)}-${randomBytes(4).toString('hex')}`;
    const beginning = beginningOf(this.#key.storeId, name);
    return { name, beginning, startedAt: now, number: 0, hash: beginning, at: now };
  }
}

/**
 * `20261121T101530123Z`: names of chains begin with the instant at which they began, and sort by it.
 *
 * @param at epoch milliseconds
 */
export function chainsSince(at: number): string {
  return new Date(at).toISOString().replace(/[-:.]/g, '');
}
