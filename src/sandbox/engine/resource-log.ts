/** What arrived about one kind of resource, in order. */

import type { ResourceFaultKind } from '../faults/resource-fault-words';

export interface ResourceReceived<Stage extends string = string> {
  /** Counted from 1 since the start or the last reset. */
  number: number;
  /** Instant of arrival on the sandbox's clock. */
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  /** Whether a header Authorization came, good or bad. */
  hasAuthorization: boolean;
  /** Null when none came, or when the call was refused before it was looked at. */
  key: string | null;
  /** JSON of the body, null without one. */
  body: unknown;
  /** Null when the call was refused before it was known. */
  stage: Stage | null;
  /** What the scenario names: id of a dossier, target, sha256 of a file, CPF; null likewise. */
  subject: string | null;
  /** Id of the resource, null while it has none. */
  id: string | null;
  /** Status put on the wire, null when nothing was answered (reset, silence, client gone). */
  status: number | null;
  fault: ResourceFaultKind | null;
  /** Whether the service did what was asked, whatever it answered. */
  accepted: boolean;
  /** The client went away while its answer was still to come. */
  abandoned: boolean;
}

type Arrival = 'at' | 'method' | 'path' | 'query' | 'hasAuthorization';

export class ResourceLog<Stage extends string> {
  readonly #capacity: number;
  #entries: ResourceReceived<Stage>[] = [];
  #arrived = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Files the request and returns its entry, to be completed while the request is served. */
  open(arrival: Pick<ResourceReceived, Arrival>): ResourceReceived<Stage> {
    this.#arrived += 1;
    const entry: ResourceReceived<Stage> = {
      number: this.#arrived,
      ...arrival,
      key: null,
      body: null,
      stage: null,
      subject: null,
      id: null,
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
  received(): ResourceReceived<Stage>[] {
    return this.#kept().map((entry) => ({ ...entry }));
  }

  clear(): void {
    this.#entries = [];
    this.#arrived = 0;
  }

  #kept(): ResourceReceived<Stage>[] {
    return this.#capacity === 0 ? [] : this.#entries.slice(-this.#capacity);
  }
}
