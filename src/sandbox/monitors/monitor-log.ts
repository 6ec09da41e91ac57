/** What arrived about monitors, in order, and how often. */

import type { MonitorFaultKind, MonitorStage } from './monitor-fault-words';

export interface MonitorReceived {
  /** Counted from 1 since the start or the last reset. */
  number: number;
  /** Instant of arrival on the sandbox's clock. */
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  /** JSON of an update, null otherwise. */
  body: unknown;
  /** Null when the call was refused before it was known. */
  stage: MonitorStage | null;
  monitorId: string | null;
  changeId: string | null;
  /** Status put on the wire, null when nothing was answered (reset, silence, client gone). */
  status: number | null;
  fault: MonitorFaultKind | null;
  /** Whether the service did what was asked, whatever it answered. */
  accepted: boolean;
  /** The client went away while its answer was still to come. */
  abandoned: boolean;
}

/** Calls that named a monitor, since the start or the last reset; `DELETE` of the log keeps them. */
export type MonitorCounts = Record<MonitorStage, number> & {
  /** Changes shown in lists, over all pages. */
  shown: number;
  /** Acknowledgements that moved a change. */
  acknowledged: number;
};

export const noMonitorCounts = (): MonitorCounts => ({
  list: 0,
  ack: 0,
  read: 0,
  update: 0,
  shown: 0,
  acknowledged: 0,
});

export class MonitorLog {
  readonly #capacity: number;
  #entries: MonitorReceived[] = [];
  #arrived = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Files the request and returns its entry, to be completed while the request is served. */
  open(arrival: Pick<MonitorReceived, 'at' | 'method' | 'path' | 'query'>): MonitorReceived {
    this.#arrived += 1;
    const entry: MonitorReceived = {
      number: this.#arrived,
      ...arrival,
      body: null,
      stage: null,
      monitorId: null,
      changeId: null,
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
  received(): MonitorReceived[] {
    return this.#kept().map((entry) => ({ ...entry }));
  }

  clear(): void {
    this.#entries = [];
    this.#arrived = 0;
  }

  #kept(): MonitorReceived[] {
    return this.#capacity === 0 ? [] : this.#entries.slice(-this.#capacity);
  }
}
