import type { CertificateType } from '../../domain/certificates/certificates';
import { type Issuance, acceptedIdFromWire, idAt, issuanceWire } from './wire/certificates.wire';
import type { CertificateAssumptions } from '../assumptions';
import type { BeforeSend, HttpCall } from '../http/call';
import { ConnectionError, StatusError, TimeoutError, type CallName } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { fetchNamed } from './artifacts';
import { ResourceApi, type Answer } from './resource';

/** Bytes. An issuance is a few hundred; a certificate a few hundred thousand at most. */
const maxJsonBytes = 1024 * 1024;
const maxPdfBytes = 50 * 1024 * 1024;

/** A PDF may take this many times as long as a JSON response. */
const pdfPatience = 4;
/** Certificate calls (specification: "Certificates"). The token goes into the query. */
export class CertificatesApi extends ResourceApi<'issuance', Issuance> {
  readonly #assumptions: CertificateAssumptions;

  constructor(service: Service, assumptions: CertificateAssumptions, timeoutMs = 30_000) {
    const maxBytes = maxJsonBytes;
    super(service, timeoutMs, { name: 'issuance', wire: issuanceWire, id: 'certidaoId', maxBytes });
    this.#assumptions = assumptions;
  }

  /**
   * Requests an issuance: POST without a key, sent at most once per attempt (decision record 001). The caller holds the
   * limiter's permit.
   *
   * @returns the id of the accepted issuance
   * @throws ContractError when it was accepted and the id is unreadable
   */
  async requestCertificate(
    type: CertificateType,
    document: string,
    beforeSend: BeforeSend,
  ): Promise<string> {
    const pathTemplate = type === 'cnpj' ? '/certidoes/cnpj' : '/certidoes/trabalhista';
    const call: HttpCall = {
      ...this.#call('POST', pathTemplate),
      json: type === 'cnpj' ? { cnpj: document } : { documento: document },
      keyless: true,
      beforeSend,
    };
    try {
      const { body, headers } = await this.service.dispatch(call);
      return acceptedIdFromWire(call, { body, location: String(headers['location'] ?? '') });
    } catch (error) {
      // Accepted, with a body that was cut off.
      const isCut = error instanceof ConnectionError || error instanceof TimeoutError;
      const id = isCut ? idAt(error.location ?? '') : undefined;
      if (id === undefined) throw error;
      return id;
    }
  }

  /** Current state of an issuance, under the id as it was asked for. */
  async readCertificate(
    certidaoId: string,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<Answer<'issuance', Issuance>> {
    const call = this.#call('GET', '/certidoes/{certidaoId}', { certidaoId });
    const { answer, issuance } = await this.answerTo(call, certidaoId, priority, signal);
    return { issuance: { ...issuance, certidaoId }, answer };
  }

  /**
   * Bytes at an address that the service named. Credentials go to the service's own origin only.
   *
   * @throws as `fetchNamed`
   */
  async fetchPdf(address: string, priority: CallPriority, signal?: AbortSignal): Promise<Buffer> {
    const call = {
      pathTemplate: '{pdf_url}',
      token: this.#assumptions.pdfAuth,
      timeoutMs: this.timeoutMs * pdfPatience,
      maxBytes: maxPdfBytes,
    };
    const fetch = (one: HttpCall) => this.service.call(one, priority, signal);
    const { body, status } = await fetchNamed(this.service, address, call, fetch);
    // 202: still being made, whatever the body says.
    return status === 202 ? Buffer.alloc(0) : body;
  }

  /**
   * Checks the address and the token without a purchase: reads an issuance that cannot exist.
   *
   * @returns the call, for messages
   * @throws StatusError 401 when the token is refused; ConnectionError, TimeoutError
   */
  async proveAccess(signal?: AbortSignal): Promise<CallName> {
    const absent = '00000000-0000-4000-8000-000000000000';
    try {
      await this.readCertificate(absent, 'interactive', signal);
    } catch (error) {
      const answered = error instanceof StatusError && [400, 404, 410, 422].includes(error.status);
      if (!answered) throw error;
    }
    return { method: 'GET', pathTemplate: '/certidoes/{certidaoId}' };
  }

  #call(method: string, pathTemplate: string, ids: Record<string, string> = {}): HttpCall {
    return { ...this.callTo(method, pathTemplate, ids), token: 'query' };
  }
}
