import { createHash } from 'node:crypto';
import type { CreditAssumptions } from '../assumptions';
import { callTo, type HttpCall } from '../http/call';
import { isTooLarge } from '../http/classify';
import { ContractError, StatusError, isHttpError } from '../http/errors';
import { parseJson } from '../http/problem';
import type { HttpAnswer } from '../http/exchange';
import type { Service } from '../http/service';
import { namesFrom, type CreditNames } from './names';
import { specificationFacts, type SpecificationFacts } from './specification.wire';

/**
 * `silent`: it has no names; `absent`: there is none; `refused`: we have no access; `unreadable`: another document is
 * at its address; `unreachable`: unavailable, and not needed.
 */
export type DocumentState = 'read' | 'silent' | 'absent' | 'refused' | 'unreadable' | 'unreachable';

export interface FoundNames {
  document: DocumentState;
  names: CreditNames;
}

const maxDocumentBytes = 16 * 1024 * 1024;
/** Refreshed by its ETag when older: names change with a release of the service. */
const freshForMs = 10 * 60_000;

interface Held {
  found: FoundNames;
  etag: string | null;
  /** Of the bytes: without an ETag, the same document is not parsed twice. */
  sha256: string | null;
  readAt: number;
}

/** The published specification (GET /v1/openapi.json, no authentication), and its names. */
export class SpecificationApi {
  readonly #service: Service;
  readonly #assumptions: CreditAssumptions;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  #held: Held | null = null;
  #reading: Promise<FoundNames> | null = null;

  constructor(
    service: Service,
    assumptions: CreditAssumptions,
    timeoutMs: number,
    now: () => number = Date.now,
  ) {
    this.#service = service;
    this.#assumptions = assumptions;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /**
   * The names for calls. While the document is unavailable, those read before are used. A missing or invalid document
   * has no names; a transient error is thrown, since a paid upload is not sent under guessed names.
   *
   * @throws ConnectionError, TimeoutError, StatusError
   */
  async names(): Promise<FoundNames> {
    const held = this.#held;
    if (held !== null && this.#now() - held.readAt < freshForMs) return held.found;
    this.#reading ??= this.#readOrNone().finally(() => (this.#reading = null));
    try {
      return await this.#reading;
    } catch (error) {
      if (!isHttpError(error)) throw error;
      if (held !== null) return held.found;
      if (!this.#isAllConfigured()) throw error;
      return this.#found('unreachable', null);
    }
  }

  /** Reads the document again at the next call: the service refused a request under these names. */
  distrust(): void {
    if (this.#held !== null) this.#held.readAt = Number.NEGATIVE_INFINITY;
  }

  /** A permanent error page, while the service works otherwise, is no document. */
  async #readOrNone(): Promise<FoundNames> {
    try {
      return await this.#read();
    } catch (error) {
      if (this.#held !== null || !isNoDocument(error) || !(await this.#isAtWork())) throw error;
    }
    try {
      return await this.#read();
    } catch (error) {
      if (!isNoDocument(error)) throw error;
      return this.#holdNone('unreadable');
    }
  }

  /** During maintenance every address may return the same page. */
  async #isAtWork(): Promise<boolean> {
    const limits = { timeoutMs: this.#timeoutMs, maxBytes: maxDocumentBytes };
    const call = callTo('GET', '/v1/engines', {}, limits);
    const { body } = await this.#service.call(call, 'interactive');
    return parseJson(body) !== undefined;
  }

  async #read(): Promise<FoundNames> {
    const held = this.#held;
    const limits = { timeoutMs: this.#timeoutMs, maxBytes: maxDocumentBytes };
    const call: HttpCall = {
      ...callTo('GET', '/v1/openapi.json', {}, limits),
      token: 'none',
      ...(held?.etag != null && { headers: { 'if-none-match': held.etag } }),
    };
    try {
      const answer = await this.#service.call(call, 'interactive');
      return this.#hold(this.#understood(call, answer));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.status === 304 && held !== null) return this.#hold(held);
      if (!meansAbsent(error.status)) throw error;
      return this.#holdNone(meansRefused(error.status) ? 'refused' : 'absent');
    }
  }

  #understood(call: HttpCall, { headers, body }: HttpAnswer): Omit<Held, 'readAt'> {
    const sha256 = createHash('sha256').update(body).digest('hex');
    const { etag } = headers;
    const tag = typeof etag === 'string' ? etag : null;
    if (this.#held?.sha256 === sha256) return { ...this.#held, etag: tag };
    const facts = specificationFacts(parseJson(body));
    if (facts === null) throw new ContractError(call, [{ path: '', code: 'no_openapi_document' }]);
    const { parts, createAnswer, operation } = facts;
    const isSilent = parts === null && createAnswer === null && operation === null;
    return { found: this.#found(isSilent ? 'silent' : 'read', facts), etag: tag, sha256 };
  }

  #found(document: DocumentState, facts: SpecificationFacts | null): FoundNames {
    return { document, names: namesFrom(facts, this.#assumptions) };
  }

  #holdNone(document: DocumentState): FoundNames {
    return this.#hold({ found: this.#found(document, null), etag: null, sha256: null });
  }

  #hold(held: Omit<Held, 'readAt'>): FoundNames {
    this.#held = { ...held, readAt: this.#now() };
    return held.found;
  }

  #isAllConfigured(): boolean {
    const { filePart, enginePart, idField, statusField } = this.#assumptions;
    return [filePart, enginePart, idField, statusField].every((name) => name !== null);
  }
}

/** A refusal means that there is no document; 408, 425 and 429 mean a retry. */
function meansAbsent(status: number): boolean {
  return status >= 300 && status < 500 && ![408, 425, 429].includes(status);
}

/** Redirects lead to a login page. */
function meansRefused(status: number): boolean {
  return status < 400 || status === 401 || status === 403;
}

/** A retry finds the same page. */
function isNoDocument(error: unknown): boolean {
  return error instanceof ContractError || isTooLarge(error);
}
