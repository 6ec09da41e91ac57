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
  /** The same as text, which is sent as it is. */
  jsonText?: string;
  /** A multipart body, instead of `json`. Blobs of files are read while they are sent. */
  form?: FormData;
  /** Bytes that are read while they are sent, instead of `json`. */
  stream?: Readable;
  /** `headers` are sent and no others of ours: signed addresses count them. */
  exactHeaders?: boolean;
  /** Total time of the call, connection to last byte, in milliseconds. */
  timeoutMs: number;
  /** Bytes after which the answer is refused. */
  maxBytes: number;
  /**
   * A POST without an idempotency key, to the service itself: a connection of its own, so that a stale
   * keep-alive socket cannot turn "never sent" into "unknown" (domain notes 4.4).
   */
  keyless?: boolean;
  /**
   * The signal ends the wait for a permit and stops what has not left yet; what has left is never
   * broken off, since what it came to is worth more than the time.
   */
  seenThrough?: boolean;
  /**
   * Awaited once the permit and the credential are there, before the request leaves: what is stored
   * by then was about to be sent. What it resolves to runs synchronously just before the request is
   * handed over. What either throws stops the call.
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
