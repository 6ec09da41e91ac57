import type { Readable } from 'node:stream';
import type { LensMode } from '../../domain/lens/analyze';
import { type LensUpload, type LensAnalysis, lensWire } from './wire/lens.wire';
import type { LensAssumptions } from '../assumptions';
import type { BeforeSend, HttpCall } from '../http/call';
import { ContractError } from '../http/errors';
import { RefusedAddressError } from '../../protection/address-guard';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { mostRedirects, redirectOf } from './artifacts';
import { idempotencyKey, ResourceApi, type Answer } from './resource';

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

export type LensAnswer = Answer<'analysis', LensAnalysis>;

/** Lens calls (specification: "Lens"). */
export class LensApi extends ResourceApi<'analysis', LensAnalysis> {
  readonly #assumptions: LensAssumptions;

  constructor(service: Service, assumptions: LensAssumptions, timeoutMs = 30_000) {
    super(service, timeoutMs, { name: 'analysis', wire: lensWire, id: 'analysisId' });
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
      ...this.callTo('POST', '/lente/analyses'),
      headers: idempotencyKey(key),
      seenThrough: true,
      beforeSend,
      json: {
        file: { size_bytes: sizeBytes, sha256 },
        ...(mode !== null && { [this.#assumptions.modeField]: mode }),
      },
    };
    return this.answerTo(call, null, 'request', signal);
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
    let target = this.service.follow(url);
    const sent = uploadHeaders(headers, target.host);
    for (let redirected = 0; ; redirected += 1) {
      const bytes = open();
      try {
        const call: HttpCall = {
          method,
          pathTemplate: '{upload.url}',
          path: target.href,
          token: 'none',
          // File servers refuse a body of unknown length.
          headers: { ...sent, 'content-length': String(sizeBytes) },
          exactHeaders: true,
          stream: bytes,
          timeoutMs,
          maxBytes: maxUploadAnswerBytes,
        };
        await this.service.call(call, 'pdf', signal);
        return;
      } catch (error) {
        const next = redirectOf(error, [307, 308]);
        if (next === null || redirected >= mostRedirects) throw error;
        target = this.service.follow(next, target);
      } finally {
        bytes.destroy();
      }
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
  async submit(id: string, signal?: AbortSignal): Promise<LensAnswer> {
    const { submitPath } = this;
    const call = this.callTo('POST', submitPath ?? '{lens.submitPath}', { id });
    if (submitPath === null) {
      throw new ContractError(call, [{ path: 'lens.submitPath', code: 'not_set' }]);
    }
    return this.answerTo(call, id, 'request', signal);
  }

  /**
   * Reads an analysis: an assumption (`lens.readPath`).
   *
   * @throws StatusError 404 or 405 also when the service has no such route
   */
  async read(
    id: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<LensAnswer> {
    const call = this.callTo('GET', this.#assumptions.readPath, { id });
    return this.answerTo(call, id, priority, signal);
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
