import type { Claim, ClaimOwner, Decision, Receipt, Ruling, ThingHistory } from '../domain/claims';
import { isSameOwner } from '../domain/claims';
import { BrokenSealError } from '../protection/key-ring';
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

  /** What was decided about a thing so far. */
  async history(thing: Thing): Promise<ThingHistory> {
    const decided = await this.#highest(thing);
    for (let n = decided; n >= 1; n -= 1) {
      const decision = await this.#decision(thing, n);
      // A closed claim is a number used up so that nobody sends under it, and says nothing else.
      if (decision.claim === 'unreadable' || decision.claim.kind === 'send') {
        return { last: decision, decided };
      }
    }
    return { last: null, decided };
  }

  /**
   * The decision that a run took, or that a recovery closed in its name, whatever came after: a
   * worker that thaws long after it was given up must find out, and so must its recovery.
   */
  async decisionOf(thing: Thing, owner: ClaimOwner): Promise<Decision | null> {
    for (let n = await this.#highest(thing); n >= 1; n -= 1) {
      const claim = await this.#readClaim(thing, n);
      if (claim !== 'unreadable' && isSameOwner(claim.owner, owner))
        return this.#decision(thing, n);
    }
    return null;
  }

  /** How often a workflow has sent for a thing: its decisions under which a request may have left. */
  async sentBy(thing: Thing, workflowId: string): Promise<number> {
    let sent = 0;
    for (let n = await this.#highest(thing); n >= 1; n -= 1) {
      const { claim, receipt } = await this.#decision(thing, n);
      if (claim === 'unreadable' || claim.owner.workflowId !== workflowId) continue;
      if (claim.kind === 'send' && receipt?.kind !== 'not_sent') sent += 1;
    }
    return sent;
  }

  /**
   * Takes decision `n` of a thing. Who does not get it does not send.
   *
   * @returns `ours`, also when an earlier put of ours landed and its answer was lost
   */
  async claim(thing: Thing, n: number, claim: Claim): Promise<'ours' | 'taken'> {
    const key = claimKey(thing, n);
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(claim));
    if (put === 'stored') return 'ours';
    const there = await this.#readClaim(thing, n);
    return there !== 'unreadable' && there.nonce === claim.nonce ? 'ours' : 'taken';
  }

  /** The first receipt of a decision stays; returns the one that stands. */
  async putReceipt(thing: Thing, n: number, receipt: Receipt): Promise<Receipt> {
    const key = `${thing.key}/${numeral(n)}.receipt.json`;
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(receipt));
    if (put === 'stored') return receipt;
    return (await getJson<Receipt>(this.#archive, key)) ?? receipt;
  }

  /** A person may think again: rulings of a decision are numbered, and the last one stands. */
  async putRuling(thing: Thing, n: number, ruling: Ruling): Promise<void> {
    for (let number = 1; ; number += 1) {
      const key = `${thing.key}/${numeral(n)}.ruling-${numeral(number)}.json`;
      const put = await this.#archive.putIfAbsent(key, JSON.stringify(ruling));
      if (put === 'stored') return;
      // A repeated attempt of the same decision has ruled already.
      const there = await getJson<Ruling>(this.#archive, key);
      if (there !== null && isSameRuling(there, ruling)) return;
    }
  }

  async #lastRuling(thing: Thing, n: number): Promise<Ruling | null> {
    const keys = await this.#archive.list(`${thing.key}/`);
    const last = keys.findLast((key) => key.startsWith(`${thing.key}/${numeral(n)}.ruling-`));
    return last === undefined ? null : getJson<Ruling>(this.#archive, last);
  }

  async #highest(thing: Thing): Promise<number> {
    let n = 0;
    for (const key of await this.#archive.list(`${thing.key}/`)) {
      const found = /\/(\d{6})\.claim\.json$/.exec(key)?.[1];
      if (found !== undefined) n = Math.max(n, Number(found));
    }
    return n;
  }

  async #decision(thing: Thing, n: number): Promise<Decision> {
    const [claim, receipt, ruling] = await Promise.all([
      this.#readClaim(thing, n),
      getJson<Receipt>(this.#archive, `${thing.key}/${numeral(n)}.receipt.json`),
      this.#lastRuling(thing, n),
    ]);
    return { n, claim, receipt, ruling };
  }

  async #readClaim(thing: Thing, n: number): Promise<Claim | 'unreadable'> {
    try {
      return (await getJson<Claim>(this.#archive, claimKey(thing, n))) ?? 'unreadable';
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof BrokenSealError) return 'unreadable';
      throw error;
    }
  }
}

/** The folder of one thing that can be bought. Made by `certificateThing` or `analysisThing`. */
export interface Thing {
  key: string;
}

/**
 * @param documentName `IdKey.nameOf('document', ...)`: never the document itself
 */
export function certificateThing(type: string, documentName: string): Thing {
  return { key: `claims/certificate/${type}/${documentName.slice(0, 2)}/${documentName}` };
}

/**
 * An analysis by the credit service. Where receipts and rulings say `certidaoId`, they hold the
 * operation's id.
 *
 * @param name keyed name of (file, XMLs, engine)
 */
export function analysisThing(name: string): Thing {
  return { key: `claims/credit/${name.slice(0, 2)}/${name}` };
}

function isSameRuling(a: Ruling, b: Ruling): boolean {
  return a.action === b.action && a.by === b.by && a.note === b.note && a.at === b.at;
}

function claimKey(thing: Thing, n: number): string {
  return `${thing.key}/${numeral(n)}.claim.json`;
}

function numeral(n: number): string {
  return String(n).padStart(6, '0');
}
