/** What arrived at one resource, in order, the oldest forgotten beyond a bound. */

import type { FaultKind } from '../faults/faults';

/** A part of a form as it arrived. */
export interface PartReceived {
  name: string;
  /** Null for a plain field. */
  fileName: string | null;
  contentType: string;
  bytes: number;
  /** Of the bytes as they arrived. */
  sha256: string;
}

export interface Received<Stage extends string = string> {
  /** Counted from 1 since the start or the last reset. */
  number: number;
  /** Instant of arrival on the sandbox's clock. */
  at: string;
  method: string;
  path: string;
  /** Query parameters; the value of `token` is always `***`. */
  query: Record<string, string>;
  /** Whether a header Authorization came, good or bad. */
  hasAuthorization: boolean;
  /** JSON when it could be read, else the beginning of the text; null without a body, or of a file. */
  body: unknown;
  /** Parts of a form, in order; empty when the call was refused before they were read. */
  parts: PartReceived[];
  /** The idempotency key; null when none came, or when it was not looked at. */
  key: string | null;
  /** Null when the call was refused before it was known. */
  stage: Stage | null;
  /** What the scenario names: a document, id, target, CPF, or the sha256 of a file; null likewise. */
  subject: string | null;
  /** The `tipo` of a certificate, the name of a file that was analysed. */
  variant: string | null;
  /** Id of the resource (of a change, where one was acknowledged), null while it has none. */
  id: string | null;
  /** Status put on the wire, null when nothing was answered (reset, silence, client gone). */
  status: number | null;
  fault: FaultKind | null;
  /** Whether the service did what was asked, whatever it answered. */
  accepted: boolean;
  /** The client went away while its answer was still to come. */
  abandoned: boolean;
}

const blank = {
  body: null,
  key: null,
  stage: null,
  subject: null,
  variant: null,
  id: null,
  status: null,
  fault: null,
  accepted: false,
  abandoned: false,
} satisfies Partial<Received>;

type Arrival = Omit<Received, keyof typeof blank | 'number' | 'parts'>;

export class RequestLog<Stage extends string> {
  readonly #capacity: number;
  #entries: Received<Stage>[] = [];
  #arrived = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The entry of a request, to be completed while it is served. */
  open(arrival: Arrival): Received<Stage> {
    this.#arrived += 1;
    const entry: Received<Stage> = { number: this.#arrived, ...arrival, ...blank, parts: [] };
    this.#entries.push(entry);
    // Cut in blocks: moving every entry at every request would cost more than the requests.
    if (this.#entries.length > this.#capacity * 1.1 + 1) this.#entries = this.#latest();
    return entry;
  }

  /** Copies, in order of arrival. */
  received(): Received<Stage>[] {
    return this.#latest().map((entry) => ({ ...entry, parts: [...entry.parts] }));
  }

  clear(): void {
    this.#entries = [];
    this.#arrived = 0;
  }

  #latest(): Received<Stage>[] {
    return this.#capacity === 0 ? [] : this.#entries.slice(-this.#capacity);
  }
}
