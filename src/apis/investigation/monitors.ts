import type {
  Change,
  changeStates,
  Monitor,
  MonitorUpdate,
  Severity,
} from '../../domain/monitors/change';
import type { MonitorAssumptions } from '../assumptions';
import type { HttpCall } from '../http/call';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { changePageFromWire, changeWire, monitorWire, type ChangePage } from './wire/monitors.wire';
import { listQuery, type ListFilter } from './pages';
import { ResourceApi, resourceFromWire, resourceIn, type Answer } from './resource';

/** Bytes. A page has 100 changes at most, each with two states of unknown size. */
const usualMaxPageBytes = 32 * 1024 * 1024;
const maxBytes = 4 * 1024 * 1024;

/** A service may ignore any of it. */
export interface ChangeFilter extends ListFilter {
  status?: (typeof changeStates)[number];
  severity?: Severity;
}

export type MonitorAnswer = Answer<'monitor', Monitor>;

/** Monitor calls (specification: "Monitors"). */
export class MonitorsApi extends ResourceApi<'monitor', Monitor> {
  readonly #assumptions: MonitorAssumptions;
  readonly #maxPageBytes: number;

  /** @param maxPageBytes of a list of changes; a larger response is refused */
  constructor(
    service: Service,
    assumptions: MonitorAssumptions,
    timeoutMs = 30_000,
    maxPageBytes = usualMaxPageBytes,
  ) {
    super(service, timeoutMs, { name: 'monitor', wire: monitorWire, id: 'monitorId', maxBytes });
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
      ...this.callTo('GET', '/monitors/{monitor_id}/changes', { monitor_id: monitorId }),
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
    const call = this.callTo('POST', '/monitors/{monitor_id}/changes/{change_id}/ack', {
      monitor_id: monitorId,
      change_id: changeId,
    });
    const { body } = await this.service.call(call, priority, signal);
    return resourceFromWire(changeWire, call, resourceIn(body), ['changeId', changeId]);
  }

  /**
   * Reads a monitor: an assumption (`monitors.readPath`).
   *
   * @throws StatusError 404 or 405 also when the service has no such route
   */
  async read(
    id: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<MonitorAnswer> {
    const call = this.callTo('GET', this.#assumptions.readPath, { id });
    return this.answerTo(call, id, priority, signal);
  }

  /** Sends only the given fields. May be repeated. */
  async update(monitorId: string, update: MonitorUpdate): Promise<MonitorAnswer> {
    const call: HttpCall = {
      ...this.callTo('PATCH', '/monitors/{monitor_id}', { monitor_id: monitorId }),
      json: {
        name: update.name,
        listen_items: update.listenItems,
        emails: update.emails,
        frequency_hours: update.frequencyHours,
      },
    };
    return this.answerTo(call, monitorId, 'interactive');
  }
}
