import type { Readable } from 'node:stream';
import type { LensAnalysis, LensMode, LensUpload } from '../../domain/lens/lens-analysis';
import type { LensAssumptions } from '../assumptions';
import { callTo, type BeforeSend, type HttpCall } from '../http/call';
import { ContractError } from '../http/errors';
import { RefusedAddressError } from '../../protection/address-guard';
import type { CallPriority } from '../http/limiter';
import { parseJson } from '../http/problem';
import type { Service } from '../http/service';
import { idempotencyKey } from './idempotency-key';
import { lensFromWire } from './wire/lens.wire';

/** Bytes. Evidence is of unknown size. */
const maxBytes = 16 * 1024 * 1024;
/** For the response to an upload, which is not read. */
const maxUploadAnswerBytes = 1024 * 1024;

export interface LensRequest {
  sizeBytes: number;
  /** 64 hex digits. */
  sha256: string;
  /** Not sent when null: how it is chosen is an assumption (`lens.modeField`). */
  mode: LensMode | null;
  /** The same for every repetition. */
  key: string;
}

/** The decoded and the raw response: it may hold signed addresses. */
export interface LensAnswer {
  analysis: LensAnalysis;
  answer: object;
}

/** Lens calls (specification: "Lens"). Retries nothing. */
export class LensApi {
  readonly service: Service;
  readonly timeoutMs: number;
  readonly #assumptions: LensAssumptions;

  constructor(service: Service, assumptions: LensAssumptions, timeoutMs = 30_000) {
    this.service = service;
    this.timeoutMs = timeoutMs;
    this.#assumptions = assumptions;
  }

  /**
   * Starts an analysis, which may be charged. May be repeated with the same key.
   *
   * @param signal cancels it before it is sent, never after
   * @param beforeSend awaited right before it is sent, after the permit
   */
  async create(
    { sizeBytes, sha256, mode, key }: LensRequest,
    signal?: AbortSignal,
    beforeSend?: BeforeSend,
  ): Promise<LensAnswer> {
    const call: HttpCall = {
      ...this.#call('POST', '/lente/analyses', ''),
      headers: idempotencyKey(key),
      seenThrough: true,
      beforeSend,
      json: {
        file: { size_bytes: sizeBytes, sha256 },
        ...(mode !== null && { [this.#assumptions.modeField]: mode }),
      },
    };
    return this.#one(call, null, 'request', signal);
  }

  /**
   * Uploads the bytes to the address and with exactly the headers that the service names. Never with our token. May be
   * repeated until it expires.
   *
   * @param open opens the same bytes each time; closed here in any case
   * @param timeoutMs of the whole upload
   * @throws StatusError with `elsewhere`; RefusedAddressError also for a header that no file server needs
   */
  async upload(
    { method, url, headers }: LensUpload,
    open: () => Readable,
    { sizeBytes, timeoutMs }: { sizeBytes: number; timeoutMs: number },
    signal?: AbortSignal,
  ): Promise<void> {
    const path = this.service.follow(url).href;
    const sent = uploadHeaders(headers, new URL(path).host);
    const bytes = open();
    try {
      const call: HttpCall = {
        method,
        pathTemplate: '{upload.url}',
        path,
        token: 'none',
        // File servers refuse a body of unknown length.
        headers: { ...sent, 'content-length': String(sizeBytes) },
        exactHeaders: true,
        stream: bytes,
        timeoutMs,
        maxBytes: maxUploadAnswerBytes,
      };
      await this.service.call(call, 'pdf', signal);
    } finally {
      bytes.destroy();
    }
  }

  /** Null: the upload itself starts the analysis (`lens.submitPath` is not set). */
  get submitPath(): string | null {
    return this.#assumptions.submitPath;
  }

  /**
   * Reports that the bytes are uploaded: an assumption (`lens.submitPath`).
   *
   * @throws ContractError also when the path is not set
   */
  async submit(analysisId: string, signal?: AbortSignal): Promise<LensAnswer> {
    const { submitPath } = this;
    const call = this.#call('POST', submitPath ?? '{lens.submitPath}', analysisId);
    if (submitPath === null) {
      throw new ContractError(call, [{ path: 'lens.submitPath', code: 'not_set' }]);
    }
    return this.#one(call, analysisId, 'request', signal);
  }

  /**
   * Reads an analysis: an assumption (`lens.readPath`).
   *
   * @throws StatusError 404 or 405 also when the service has no such route
   */
  async read(
    analysisId: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<LensAnswer> {
    const call = this.#call('GET', this.#assumptions.readPath, analysisId);
    return this.#one(call, analysisId, priority, signal);
  }

  async #one(
    call: HttpCall,
    analysisId: string | null,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<LensAnswer> {
    const { body } = await this.service.call(call, priority, signal);
    const answer = parseJson(body) as object;
    return { analysis: lensFromWire(call, analysisId, answer), answer };
  }

  #call(method: string, pathTemplate: string, id: string): HttpCall {
    return callTo(method, pathTemplate, { id }, { timeoutMs: this.timeoutMs, maxBytes });
  }
}

/** Headers of signed addresses. None carries a credential of ours, or changes the call itself. */
const storeHeader =
  /^(?:content-(?:type|md5|encoding|disposition|language)|cache-control|expires|if-none-match|x-(?:amz|goog|ms|oss|cos|obs|upload|checksum)-[a-z0-9-]+)$/;
/** Headers about target, credentials and connection: a response must not set them. */
const neverNamed =
  /^(?:authorization|cookie|proxy-.*|forwarded|x-forwarded-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect)$/;

/**
 * Headers for a file server; others are omitted.
 *
 * @throws RefusedAddressError for a forbidden one
 */
function uploadHeaders(
  headers: Readonly<Record<string, string>>,
  host: string,
): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const plain = name.toLowerCase();
    if (neverNamed.test(plain) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      const named = plain.replaceAll(/[^a-z0-9_-]/g, '?').slice(0, 60);
      throw new RefusedAddressError(host, `its header ${named} is not sent to a store`);
    }
    if (!storeHeader.test(plain)) continue;
    sent[plain] = value;
  }
  return sent;
}
