import { FormData } from 'undici';
import type { ResultFilter } from '../../domain/credit/job';
import { type AnalysisOperation, acceptedIdFromWire, operationFromWire } from './operations.wire';
import { callTo, type BeforeSend, type HttpCall } from '../http/call';
import { ContractError, StatusError } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import { parseJson } from '../http/problem';
import type { HttpStream } from '../http/exchange';
import type { Service } from '../http/service';
import { xmlsPart, type CreditNames } from './names';
import type { SpecificationApi } from './specification';

const maxJsonBytes = 1024 * 1024;
/** Guard against an endless body: a million receivables with issues are some 2 GiB. */
const maxResultBytes = 8 * 1024 ** 3;

export interface UploadFile {
  name: string;
  bytes: number;
  read: () => AsyncIterable<Uint8Array>;
}

export interface Upload {
  cnab: UploadFile;
  xmls: UploadFile | null;
  engineId: string | null;
}

export interface PreparedUpload {
  form: FormData;
  names: CreditNames;
}

/** The service's document requires what this upload lacks: it would be refused, and is not sent. */
export class UnsendableUploadError extends Error {
  override readonly name = 'UnsendableUploadError';
  readonly code: 'unknown_part' | 'engine_required' | 'xmls_required' | 'no_engine_part';

  constructor(code: UnsendableUploadError['code'], message: string) {
    super(`${message}; nothing was sent`);
    this.code = code;
  }
}

/** Calls about operations (specification: "Endpoints"). Retries nothing. */
export class OperationsApi {
  readonly service: Service;
  /** Total time of an upload or a result; `answerBy` of an attempt includes it. */
  readonly timeoutMs: number;
  readonly readTimeoutMs: number;
  readonly #specification: SpecificationApi;

  constructor(
    service: Service,
    specification: SpecificationApi,
    { timeoutMs, readTimeoutMs }: { timeoutMs: number; readTimeoutMs: number },
  ) {
    this.service = service;
    this.timeoutMs = timeoutMs;
    this.readTimeoutMs = readTimeoutMs;
    this.#specification = specification;
  }

  /**
   * Builds the form of an upload, with the names of the service's document. Sends no upload.
   *
   * @throws UnsendableUploadError; as `SpecificationApi.names`
   */
  async prepareUpload({ cnab, xmls, engineId }: Upload): Promise<PreparedUpload> {
    const { names } = await this.#specification.names();
    refuseUnsendable(names, { hasXmls: xmls !== null, hasEngine: engineId !== null });
    const form = new FormData();
    form.set(names.filePart.name, new StreamedFile(cnab, ''));
    if (xmls !== null) form.set(xmlsPart, new StreamedFile(xmls, 'application/zip'));
    if (engineId !== null && names.enginePart !== null) form.set(names.enginePart.name, engineId);
    return { form, names };
  }

  /**
   * Starts an operation: POST without a key, sent at most once per attempt (decision record 001). The caller holds the
   * limiter's permit.
   *
   * @returns the id of the accepted operation
   * @throws ContractError when it was accepted and the id is unreadable
   */
  async startOperation({ form, names }: PreparedUpload, beforeSend: BeforeSend): Promise<string> {
    const limits = { timeoutMs: this.timeoutMs, maxBytes: maxJsonBytes };
    const call: HttpCall = {
      ...callTo('POST', '/v1/operations', {}, limits),
      form,
      keyless: true,
      beforeSend,
    };
    const { body, headers } = await this.service.dispatch(call);
    return acceptedIdFromWire(call, names, { body, location: String(headers['location'] ?? '') });
  }

  async readOperation(
    operationId: string,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<{ operation: AnalysisOperation; answer: unknown }> {
    const { names } = await this.#specification.names();
    const limits = { timeoutMs: this.readTimeoutMs, maxBytes: maxJsonBytes };
    const call = callTo('GET', '/v1/operations/{id}', { id: operationId }, limits);
    const { body } = await this.service.call(call, priority, signal);
    const operation = operationFromWire(call, names, operationId, body);
    return { operation, answer: parseJson(body) };
  }

  /**
   * Streams the result, if it is there.
   *
   * @param take reads the whole body (into the store; `readAnalysis` decodes it)
   * @returns the result of `take`, or the status that means "not yet"
   */
  async takeResult<T>(
    operationId: string,
    filter: ResultFilter,
    take: (body: AsyncIterable<Buffer>) => Promise<T>,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<{ taken: T } | { notYet: number }> {
    const limits = { timeoutMs: this.timeoutMs, maxBytes: maxResultBytes };
    const call = {
      ...callTo('GET', '/v1/operations/{id}/result', { id: operationId }, limits),
      query: { filter },
    };
    const takeReady = async ({ status, body }: HttpStream) => {
      if (status === 200) return { taken: await take(body) };
      for await (const _ of body);
      if (status === 202 || status === 204) return { notYet: status };
      throw new ContractError(call, [{ path: 'status', code: `unexpected_${status}` }]);
    };
    try {
      return await this.service.streamed(call, takeReady, priority, signal);
    } catch (error) {
      if (error instanceof StatusError && [404, 409, 425].includes(error.status)) {
        return { notYet: error.status };
      }
      throw error;
    }
  }
}

function refuseUnsendable(
  names: CreditNames,
  { hasXmls, hasEngine }: { hasXmls: boolean; hasEngine: boolean },
): void {
  const [unknown] = names.unknownRequired;
  const document = "the service's OpenAPI document";
  const faults: [isFault: boolean, UnsendableUploadError['code'], message: string][] = [
    [
      unknown !== undefined,
      'unknown_part',
      `${document} requires "${unknown}" of an upload, which we do not know (credit.filePart and credit.enginePart name the parts that we do)`,
    ],
    [
      names.engineRequired && !hasEngine,
      'engine_required',
      `${document} requires an engine ("${names.enginePart?.name}"): choose one`,
    ],
    [
      names.xmlsRequired && !hasXmls,
      'xmls_required',
      `${document} requires the ZIP of the invoices ("${xmlsPart}")`,
    ],
    [
      names.enginePart === null && hasEngine,
      'no_engine_part',
      `${document} names no part that chooses an engine (credit.enginePart names one)`,
    ],
  ];
  for (const [isFault, code, message] of faults) {
    if (isFault) throw new UnsendableUploadError(code, message);
  }
}

/** undici takes the length of the body from `size`, and sends what `stream` yields. */
class StreamedFile extends File {
  readonly #file: UploadFile;

  constructor(file: UploadFile, type: string) {
    super([], file.name, { type });
    this.#file = file;
    Object.defineProperty(this, 'size', { value: file.bytes });
  }

  override stream(): ReturnType<File['stream']> {
    return ReadableStream.from(this.#file.read());
  }
}
