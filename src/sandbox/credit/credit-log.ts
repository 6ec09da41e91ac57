/** What arrived at the credit service, and how often it really began. */

import type { CreditFaultKind } from './credit-fault-words';
import type { PartReceived } from './upload';

export interface CreditReceived {
  /** Counted from 1 since the start or the last reset. */
  number: number;
  /** Instant of arrival on the sandbox's clock. */
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  /** Whether an Authorization header came, whatever it said. */
  hasAuthorization: boolean;
  /** JSON of an engine call, null otherwise. */
  body: unknown;
  /** Parts of an upload, in order; empty when the call was refused before they were read. */
  parts: PartReceived[];
  operationId: string | null;
  /** Status put on the wire, null when nothing was answered (reset, silence, client gone). */
  status: number | null;
  fault: CreditFaultKind | null;
  /** Whether the service did what was asked, whatever it answered. */
  accepted: boolean;
  /** The client went away while its answer was still to come. */
  abandoned: boolean;
}

export class CreditLog {
  readonly #capacity: number;
  #entries: CreditReceived[] = [];
  #arrived = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Files the request and returns its entry, to be completed while the request is served. */
  open(
    arrival: Pick<CreditReceived, 'at' | 'method' | 'path' | 'query' | 'hasAuthorization'>,
  ): CreditReceived {
    this.#arrived += 1;
    const entry: CreditReceived = {
      number: this.#arrived,
      ...arrival,
      body: null,
      parts: [],
      operationId: null,
      status: null,
      fault: null,
      accepted: false,
      abandoned: false,
    };
    this.#entries.push(entry);
    // Cut in blocks: moving every entry at every request would cost more than the requests.
    if (this.#entries.length > this.#capacity * 1.1 + 1) this.#entries = this.#kept();
    return entry;
  }

  /** Copies, in order of arrival. */
  received(): CreditReceived[] {
    return this.#kept().map((entry) => ({ ...entry, parts: [...entry.parts] }));
  }

  clear(): void {
    this.#entries = [];
    this.#arrived = 0;
  }

  #kept(): CreditReceived[] {
    return this.#capacity === 0 ? [] : this.#entries.slice(-this.#capacity);
  }
}

/** How often one file, with one ZIP, was sent to one engine. */
export interface OperationCounts {
  fileSha256: string;
  fileName: string;
  xmlsSha256: string | null;
  engineId: string;
  /** Uploads that arrived whole and could be analysed. */
  requested: number;
  /** Operations that the service really began: more than one is an analysis bought twice. */
  started: number;
  /** Reads of the status, and of the result. */
  polls: number;
  results: number;
}

type Bought = Pick<OperationCounts, 'fileSha256' | 'fileName' | 'xmlsSha256' | 'engineId'>;

export class OperationTally {
  readonly #counts = new Map<string, OperationCounts>();

  /** The live line of what was bought. */
  of(bought: Bought): OperationCounts {
    const key = [bought.fileSha256, bought.xmlsSha256, bought.engineId].join('|');
    let counts = this.#counts.get(key);
    if (counts === undefined) {
      counts = { ...bought, requested: 0, started: 0, polls: 0, results: 0 };
      this.#counts.set(key, counts);
    }
    return counts;
  }

  all(): OperationCounts[] {
    return [...this.#counts.values()].map((counts) => ({ ...counts }));
  }

  clear(): void {
    this.#counts.clear();
  }
}
