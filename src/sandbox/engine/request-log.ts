/** The requests that arrived, in order, the oldest forgotten beyond a bound. */

import type { CallFaultKind } from '../faults/fault-words';

export interface ReceivedRequest {
  /** Counted from 1 since the start or the last reset. */
  number: number;
  /** Instant of arrival on the sandbox's clock. */
  at: string;
  method: string;
  path: string;
  /** Query parameters; the value of `token` is always `***`. */
  query: Record<string, string>;
  /** JSON when it could be read, else the beginning of the text; null without a body. */
  body: unknown;
  /** What the request is about, null when it was refused before that was known. */
  document: string | null;
  tipo: string | null;
  /** Status put on the wire, null when nothing was answered (reset, silence, client gone). */
  status: number | null;
  fault: CallFaultKind | null;
  /** Whether the service did what was asked, whatever it answered. */
  accepted: boolean;
  /** The client went away while its answer was still to come. */
  abandoned: boolean;
}

export class RequestLog {
  readonly #capacity: number;
  #entries: ReceivedRequest[] = [];
  /** Where the oldest entry stands once the log is full. */
  #oldest = 0;
  #arrived = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Files the request and returns its entry, to be completed while the request is served. */
  open(arrival: Pick<ReceivedRequest, 'at' | 'method' | 'path' | 'query'>): ReceivedRequest {
    this.#arrived += 1;
    const entry: ReceivedRequest = {
      number: this.#arrived,
      at: arrival.at,
      method: arrival.method,
      path: arrival.path,
      query: arrival.query,
      body: null,
      document: null,
      tipo: null,
      status: null,
      fault: null,
      accepted: false,
      abandoned: false,
    };
    if (this.#entries.length < this.#capacity) this.#entries.push(entry);
    else if (this.#capacity > 0) {
      this.#entries[this.#oldest] = entry;
      this.#oldest = (this.#oldest + 1) % this.#capacity;
    }
    return entry;
  }

  /** Copies, in order of arrival. */
  received(): ReceivedRequest[] {
    const inOrder = [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
    return inOrder.map((entry) => ({ ...entry }));
  }

  clear(): void {
    this.#entries = [];
    this.#oldest = 0;
    this.#arrived = 0;
  }
}
