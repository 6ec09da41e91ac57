import type {
  Change,
  changeStates,
  Monitor,
  MonitorUpdate,
  Severity,
} from '../../domain/monitors/change';
import type { MonitorAssumptions } from '../assumptions';
import { callTo, type HttpCall } from '../http/call';
import type { CallPriority } from '../http/limiter';
import { parseJson } from '../http/problem';
import type { Service } from '../http/service';
import {
  changeFromWire,
  changePageFromWire,
  monitorFromWire,
  type ChangePage,
} from './wire/monitors.wire';
import { listQuery, type ListFilter } from './pages';

/** Bytes. A page has 100 changes at most, each with two states of unknown size. */
const usualMaxPageBytes = 32 * 1024 * 1024;
const maxBytes = 4 * 1024 * 1024;

/** Filter of the list. Omitted fields are not sent. A service may ignore any of it. */
export interface ChangeFilter extends ListFilter {
  status?: (typeof changeStates)[number];
  severity?: Severity;
}

/** The decoded and the raw response. */
export interface MonitorAnswer {
  monitor: Monitor;
  answer: unknown;
}

/** Monitor calls (specification: "Monitors"). Retries nothing. */
export class MonitorsApi {
  readonly service: Service;
  readonly timeoutMs: number;
  readonly #assumptions: MonitorAssumptions;
  readonly #maxPageBytes: number;

  /** @param maxPageBytes of a list of changes; a larger response is refused */
  constructor(
    service: Service,
    assumptions: MonitorAssumptions,
    timeoutMs = 30_000,
    maxPageBytes = usualMaxPageBytes,
  ) {
    this.service = service;
    this.timeoutMs = timeoutMs;
    this.#maxPageBytes = maxPageBytes;
    this.#assumptions = assumptions;
  }

  /**
   * One page of a monitor's changes. Check every item by its own fields: the filter may have been ignored.
   *
   * @throws ContractError when the response is no list
   */
  async listChanges(
    monitorId: string,
    filter: ChangeFilter,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<ChangePage> {
    const call: HttpCall = {
      ...this.#call('GET', '/monitors/{monitor_id}/changes', { monitor_id: monitorId }),
      query: listQuery(this.#assumptions, filter),
      maxBytes: this.#maxPageBytes,
    };
    return changePageFromWire(call, (await this.service.call(call, priority, signal)).body);
  }

  /**
   * Acknowledges a change. May be repeated: it stays acknowledged. It is free, so that the rate is tried with it as with
   * reads.
   *
   * @throws StatusError 404 when the change is gone, 409 when it cannot be acknowledged; ContractError when it was
   *   accepted and the response is unreadable
   */
  async acknowledge(
    monitorId: string,
    changeId: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<Change> {
    const call = this.#call('POST', '/monitors/{monitor_id}/changes/{change_id}/ack', {
      monitor_id: monitorId,
      change_id: changeId,
    });
    const { body } = await this.service.call(call, priority, signal);
    return changeFromWire(call, changeId, parseJson(body));
  }

  /**
   * Reads a monitor: an assumption (`monitors.readPath`).
   *
   * @throws StatusError 404 or 405 also when the service has no such route
   */
  async read(
    monitorId: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<MonitorAnswer> {
    const call = this.#call('GET', this.#assumptions.readPath, { id: monitorId });
    return this.#one(call, monitorId, priority, signal);
  }

  /** Sends only the given fields. May be repeated. */
  async update(monitorId: string, update: MonitorUpdate): Promise<MonitorAnswer> {
    const call: HttpCall = {
      ...this.#call('PATCH', '/monitors/{monitor_id}', { monitor_id: monitorId }),
      json: {
        name: update.name,
        listen_items: update.listenItems,
        emails: update.emails,
        frequency_hours: update.frequencyHours,
      },
    };
    return this.#one(call, monitorId, 'interactive');
  }

  async #one(
    call: HttpCall,
    monitorId: string,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<MonitorAnswer> {
    const answer = parseJson((await this.service.call(call, priority, signal)).body);
    return { monitor: monitorFromWire(call, monitorId, answer), answer };
  }

  #call(method: string, pathTemplate: string, ids: Readonly<Record<string, string>>): HttpCall {
    return callTo(method, pathTemplate, ids, { timeoutMs: this.timeoutMs, maxBytes });
  }
}
