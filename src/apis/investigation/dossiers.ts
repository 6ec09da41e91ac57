import type { Dossier, DossierState } from '../../domain/dossiers/dossier';
import type { DossierAssumptions } from '../assumptions';
import type { BeforeSend, HttpCall } from '../http/call';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { ListedApi, type ListFilter } from './pages';
import { idempotencyKey, type Answer } from './resource';
import { dossierWire } from './wire/dossiers.wire';

/** A service may ignore any of it. */
export interface DossierFilter extends ListFilter {
  status?: DossierState;
}

export type DossierAnswer = Answer<'dossier', Dossier>;

/** Dossier calls (specification: "Dossiers"). */
export class DossiersApi extends ListedApi<'dossier', Dossier, DossierFilter> {
  readonly #readPath: string | null;

  constructor(service: Service, assumptions: DossierAssumptions, timeoutMs = 30_000) {
    const shape = { name: 'dossier', wire: dossierWire, id: 'dossierId' } as const;
    super(service, timeoutMs, shape, '/dossies', assumptions);
    this.#readPath = assumptions.readPath;
  }

  /** The lightweight state for polling. @throws StatusError 404 when there is no such dossier */
  async status(id: string, priority: CallPriority = 'poll', signal?: AbortSignal) {
    return this.answerTo(this.callTo('GET', '/dossies/{id}/status', { id }), id, priority, signal);
  }

  /**
   * The dossier with artifacts and result, which the status may omit: by `dossiers.readPath` if set, else from the
   * documented list.
   *
   * @returns null when no page of the list has it
   * @throws ContractError as `findListed`
   */
  async read(
    id: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<DossierAnswer | null> {
    if (this.#readPath === null) return this.findListed(id, priority, signal);
    return this.answerTo(this.callTo('GET', this.#readPath, { id }), id, priority, signal);
  }

  /**
   * Requests a new attempt, which may be charged. Repeat it only with the same key, and after reading the status.
   *
   * @param signal cancels it before it is sent, never after
   * @param beforeSend awaited right before it is sent, after the permit
   * @throws StatusError: the service decides about eligibility, also by 403 `dossie_custom_not_enabled`
   */
  async retry(id: string, key: string, signal?: AbortSignal, beforeSend?: BeforeSend) {
    return this.#order('retry', id, { headers: idempotencyKey(key), beforeSend }, signal);
  }

  /** May be repeated. The resulting status is not documented: any response counts. Parameters as of `retry`. */
  async cancel(id: string, signal?: AbortSignal, beforeSend?: BeforeSend) {
    return this.#order('cancel', id, { beforeSend }, signal);
  }

  async #order(word: string, id: string, own: Partial<HttpCall>, signal: AbortSignal | undefined) {
    const call = this.callTo('POST', `/dossies/{id}/${word}`, { id });
    return this.answerTo({ ...call, ...own, seenThrough: true }, id, 'request', signal);
  }
}
