import type { Readable } from 'node:stream';
import type { FormData } from 'undici';
import type { CallName } from './errors';

/** How the credential travels: bearer header, `token` in the query, or not at all. */
export type TokenPlace = 'bearer' | 'query' | 'none';

export interface HttpCall extends CallName {
  /** Path below the base address, or a whole URL that `follow` gave. Values already encoded. */
  path: string;
  token: TokenPlace;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  json?: unknown;
  /** The same as text, sent unchanged. */
  jsonText?: string;
  /** A multipart body, instead of `json`. Files are streamed. */
  form?: FormData;
  /** Bytes that are read while they are sent, instead of `json`. */
  stream?: Readable;
  /** Sends only `headers`: signed addresses include them. */
  exactHeaders?: boolean;
  /** Total time of the call, connection to last byte, in milliseconds. */
  timeoutMs: number;
  /** Maximum bytes of the response. */
  maxBytes: number;
  /**
   * A POST without an idempotency key, to the service itself: on its own connection, so that a stale keep-alive socket
   * cannot turn "not sent" into "unknown".
   */
  keyless?: boolean;
  /** The signal cancels the wait for a permit; a request that was sent is completed, since its response matters more than the time. */
  seenThrough?: boolean;
  /**
   * Awaited after permit and credential, before the request is sent: store here what is about to be sent. The function
   * that it resolves to runs synchronously just before dispatch. An error of either cancels the call.
   */
  beforeSend?: BeforeSend | undefined;
}

export type BeforeSend = () => Promise<(() => void) | void>;

/** A call to the service, its token in the header; ids fill `{name}` of the path, encoded. */
export function callTo(
  method: string,
  pathTemplate: string,
  ids: Readonly<Record<string, string>>,
  limits: Pick<HttpCall, 'timeoutMs' | 'maxBytes'>,
): HttpCall {
  const path = pathTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(ids[name] ?? ''),
  );
  return { method, pathTemplate, path, token: 'bearer', ...limits };
}
