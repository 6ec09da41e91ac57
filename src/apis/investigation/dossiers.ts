import type { Dossier, DossierState } from '../../domain/dossiers/dossier';
import type { DossierAssumptions } from '../assumptions';
import type { BeforeSend, HttpCall } from '../http/call';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { dossierFromWire, dossierWire } from './wire/dossiers.wire';
import { idempotencyKey } from './idempotency-key';
import { listQuery, ListedApi, type ListFilter } from './pages';

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
export class DossiersApi extends ListedApi<Dossier, DossierFilter> {
  readonly #readPath: string | null;

  constructor(service: Service, assumptions: DossierAssumptions, timeoutMs = 30_000) {
    const query = (filter: DossierFilter) => listQuery(assumptions, filter);
    super(service, timeoutMs, { path: '/dossies', item: dossierWire, query });
    this.#readPath = assumptions.readPath;
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
    return this.#one('GET', '/dossies/{id}/status', dossierId, { priority, signal });
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
    if (this.#readPath !== null)
      return this.#one('GET', this.#readPath, dossierId, { priority, signal });
    const found = await this.findListed(dossierId, priority, signal);
    return found && { dossier: found.item, answer: found.answer };
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
    const headers = idempotencyKey(key);
    return this.#order('/dossies/{id}/retry', dossierId, { headers, beforeSend }, signal);
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
    return this.#order('/dossies/{id}/cancel', dossierId, { beforeSend }, signal);
  }

  #order(path: string, id: string, own: Partial<HttpCall>, signal: AbortSignal | undefined) {
    return this.#one(
      'POST',
      path,
      id,
      { priority: 'request', signal },
      { ...own, seenThrough: true },
    );
  }

  async #one(
    method: string,
    pathTemplate: string,
    dossierId: string,
    { priority, signal }: { priority: CallPriority; signal: AbortSignal | undefined },
    own: Partial<HttpCall> = {},
  ): Promise<DossierAnswer> {
    const call = { ...this.callTo(method, pathTemplate, dossierId), ...own };
    const answer = await this.answerTo(call, priority, signal);
    return { dossier: dossierFromWire(call, dossierId, answer), answer };
  }
}
