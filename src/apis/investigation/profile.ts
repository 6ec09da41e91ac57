import { callTo, type BeforeSend, type HttpCall } from '../http/call';
import { ContractError } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { profileFromWire, type ProfileAnswer } from './wire/profile.wire';

/** Bytes. Profiles of people with thousands of assets are that large, and no larger. */
const maxBytes = 64 * 1024 * 1024;
const pathTemplate = '/perfil/patrimonial/cpf/{cpf}';

/** Profile call (specification: "Profile"). Retries nothing. */
export class ProfilesApi {
  readonly service: Service;
  readonly timeoutMs: number;

  constructor(service: Service, timeoutMs = 30_000) {
    this.service = service;
    this.timeoutMs = timeoutMs;
  }

  /**
   * The asset profile of one individual. Each call may be charged.
   *
   * @param cpf eleven digits
   * @param signal cancels the wait for a permit; a sent call is completed, since it may be charged in any case
   * @param beforeSend awaited after the permit, right before the call is sent
   * @returns the profile and the raw body; an invalid CPF is a response, too
   * @throws StatusError 400 (`VALIDATION_ERROR`), 404 (`NOT_FOUND`), 401; ContractError, with the
   *   response, when a 200 is neither a profile nor an error
   */
  async lookUp(
    cpf: string,
    priority: CallPriority = 'interactive',
    signal?: AbortSignal,
    beforeSend?: BeforeSend,
  ): Promise<{ read: ProfileAnswer; body: Buffer }> {
    const call: HttpCall = {
      ...callTo('GET', pathTemplate, { cpf }, { timeoutMs: this.timeoutMs, maxBytes }),
      seenThrough: true,
      beforeSend,
    };
    const { body } = await this.service.call(call, priority, signal);
    try {
      return { read: profileFromWire(call, body), body };
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      throw new ContractError(call, error.issues, body);
    }
  }
}
