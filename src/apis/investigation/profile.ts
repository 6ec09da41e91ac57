import { callTo, type BeforeSend, type HttpCall } from '../http/call';
import { ContractError } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { profileFromWire, type ProfileAnswer } from './wire/profile.wire';

/** Bytes. Profiles of people with thousands of assets are that large, and no larger. */
const maxBytes = 64 * 1024 * 1024;
const pathTemplate = '/perfil/patrimonial/cpf/{cpf}';

/** Profile call (specification: "Profile"). Nothing here tries twice. */
export class ProfilesApi {
  readonly service: Service;
  readonly timeoutMs: number;

  constructor(service: Service, timeoutMs = 30_000) {
    this.service = service;
    this.timeoutMs = timeoutMs;
  }

  /**
   * The asset profile of one individual. May be charged for each time.
   *
   * @param cpf eleven digits
   * @param signal ends the wait for a permit; a call that has left is not broken off, since its
   *   answer may be charged for whether it is read or not
   * @param beforeSend awaited once the permit is had, right before the call leaves
   * @returns the profile and the body as it came; an invalid CPF is an answer, too
   * @throws StatusError 400 (`VALIDATION_ERROR`), 404 (`NOT_FOUND`), 401; ContractError, with the
   *   answer, when a 200 is neither a profile nor an error
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
