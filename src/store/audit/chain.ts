import { randomBytes } from 'node:crypto';
import { insertInto } from '../sealed/table-rows';
import type { Statement } from '../statement';
import { beginningOf, forgeLink } from './link';

/** A chain ends after a day, so that an anchor need not read those of years. */
const oneDayMs = 86_400_000;

export interface NewEvent {
  /** Name of event and result: a repeated entry exists already. */
  name: string;
  job: string | null;
  text: string;
  body: Uint8Array;
}

export interface ChainKey {
  storeId: string;
  auditKey: Uint8Array;
}

interface OpenChain {
  name: string;
  beginning: string;
  startedAt: number;
  number: number;
  hash: string;
  at: number;
}

/** The chain of one writer: its links are created in the transaction of their events. */
export class EventChain {
  readonly #key: ChainKey;
  readonly #now: () => number;
  #chain: OpenChain | null = null;

  constructor(key: ChainKey, now: () => number = Date.now) {
    this.#key = key;
    this.#now = now;
  }

  /** @returns the statement of the next link, and a function to call once it is written */
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
        [{ chain: chain.name, ...position, hash, mac, name, job, body }],
        'ON CONFLICT (name) DO NOTHING',
      ),
      written: () => (this.#chain = { ...chain, number, hash, at }),
    };
  }

  /** The last link may or may not be written: the chain ends. */
  end(): void {
    this.#chain = null;
  }

  #newChain(now: number): OpenChain {
    const name = `${chainsSince(now)}-${randomBytes(4).toString('hex')}`;
    const beginning = beginningOf(this.#key.storeId, name);
    return { name, beginning, startedAt: now, number: 0, hash: beginning, at: now };
  }
}

/** `20261121T101530123Z`: names of chains begin with their first instant, and sort by it. */
export function chainsSince(at: number): string {
  return new Date(at).toISOString().replace(/[-:.]/g, '');
}
