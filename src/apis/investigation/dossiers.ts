import type { Dossier, DossierState } from '../../domain/dossiers/dossier';
import type { DossierAssumptions } from '../assumptions';
import { callTo, type BeforeSend, type HttpCall } from '../http/call';
import type { CallPriority } from '../http/limiter';
import { parseJson } from '../http/problem';
import type { Service } from '../http/service';
import { dossierFromWire, dossierWire } from './wire/dossiers.wire';
import { idempotencyKey } from './idempotency-key';
import {
  findListed,
  listQuery,
  pageFromWire,
  walkPages,
  type ListFilter,
  type Page,
} from './pages';

/** Bytes. A report schema is of unknown size; a page has 100 of them at most. */
const maxBytes = 16 * 1024 * 1024;
const maxPageBytes = 64 * 1024 * 1024;

/** Filter of the list. Omitted fields are not sent. A service may ignore any of it. */
export interface DossierFilter extends ListFilter {
  status?: DossierState;
}

/** The decoded and the raw response. */
export interface DossierAnswer {
  dossier: Dossier;
  answer: object;
}

/** Dossier calls (specification: "Dossiers"). Retries nothing. */
export class DossiersApi {
  readonly service: Service;
  readonly timeoutMs: number;
  readonly #assumptions: DossierAssumptions;

  constructor(service: Service, assumptions: DossierAssumptions, timeoutMs = 30_000) {
    this.service = service;
    this.timeoutMs = timeoutMs;
    this.#assumptions = assumptions;
  }

  /**
   * The lightweight state for polling.
   *
   * @throws StatusError 404 when there is no such dossier
   */
  async status(
    dossierId: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<DossierAnswer> {
    return this.#one(this.#call('GET', '/dossies/{dossie_id}/status', dossierId), dossierId, {
      priority,
      signal,
    });
  }

  /**
   * The dossier with artifacts and result, which the status may omit: by `dossiers.readPath` if set, else from the
   * documented list.
   *
   * @returns null when no page of the list has it
   * @throws ContractError as `findListed`
   */
  async read(
    dossierId: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<DossierAnswer | null> {
    const { readPath } = this.#assumptions;
    if (readPath !== null) {
      const call = this.#call('GET', readPath.replace('{id}', '{dossie_id}'), dossierId);
      return this.#one(call, dossierId, { priority, signal });
    }
    const pages = this.pages({ pageSize: 100 }, priority, signal);
    const found = await findListed(this.#listCall, pages, dossierId);
    return found && { dossier: found.item, answer: found.answer };
  }

  /**
   * One page. Check every item by its own fields: the filter may have been ignored.
   *
   * @throws ContractError when the response is no list
   */
  async list(
    filter: DossierFilter,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<Page<Dossier>> {
    const call = { ...this.#listCall, query: listQuery(this.#assumptions, filter) };
    return pageFromWire(call, dossierWire, (await this.service.call(call, priority, signal)).body);
  }

  /** All pages, one at a time. */
  pages(
    filter: Omit<DossierFilter, 'cursor'>,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): AsyncGenerator<Page<Dossier>> {
    return walkPages(this.#listCall, (cursor) =>
      this.list({ ...filter, ...(cursor !== null && { cursor }) }, priority, signal),
    );
  }

  /**
   * Requests a new attempt, which may be charged. Repeat it only with the same key, and after reading the status.
   *
   * @param signal cancels it before it is sent, never after
   * @param beforeSend awaited right before it is sent, after the permit
   * @throws StatusError: the service decides about eligibility, also by 403 `dossie_custom_not_enabled`
   */
  async retry(
    dossierId: string,
    key: string,
    signal?: AbortSignal,
    beforeSend?: BeforeSend,
  ): Promise<DossierAnswer> {
    const call: HttpCall = {
      ...this.#call('POST', '/dossies/{dossie_id}/retry', dossierId),
      headers: idempotencyKey(key),
      seenThrough: true,
      beforeSend,
    };
    return this.#one(call, dossierId, { priority: 'request', signal });
  }

  /**
   * May be repeated. The resulting status is not documented: any response counts.
   *
   * @param signal as of `retry`
   * @param beforeSend as of `retry`
   */
  async cancel(
    dossierId: string,
    signal?: AbortSignal,
    beforeSend?: BeforeSend,
  ): Promise<DossierAnswer> {
    const call: HttpCall = {
      ...this.#call('POST', '/dossies/{dossie_id}/cancel', dossierId),
      seenThrough: true,
      beforeSend,
    };
    return this.#one(call, dossierId, { priority: 'request', signal });
  }

  async #one(
    call: HttpCall,
    dossierId: string,
    { priority, signal }: { priority: CallPriority; signal: AbortSignal | undefined },
  ): Promise<DossierAnswer> {
    const { body } = await this.service.call(call, priority, signal);
    const dossier = dossierFromWire(call, dossierId, body);
    return { dossier, answer: parseJson(body) as object };
  }

  get #listCall(): HttpCall {
    return { ...this.#call('GET', '/dossies', ''), maxBytes: maxPageBytes };
  }

  #call(method: string, pathTemplate: string, dossierId: string): HttpCall {
    const limits = { timeoutMs: this.timeoutMs, maxBytes };
    return callTo(method, pathTemplate, { dossie_id: dossierId }, limits);
  }
}
