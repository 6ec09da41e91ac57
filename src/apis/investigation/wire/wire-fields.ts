import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Artifact } from '../../../domain/core/artifact';
import type { Billing } from '../../../domain/core/service/billing-totals';
import type { ServiceFailure } from '../../../domain/core/service/service-failure';
import { camel, flag, idText, number, reported as anyText, tolerant } from '../../http/tolerant';

/** Fields of responses, read tolerantly: another type counts as missing. Only ids are required. */

/** Text; an empty one counts as missing. */
export const reported = anyText.transform((value) => (value === '' ? null : value));

/** A raw object. */
export const asItCame = tolerant(z.record(z.string(), z.unknown()));

/** A raw list; null: none. */
export const listAsItCame = tolerant(z.array(z.unknown()));

/** An id that becomes part of ours: no slash, no leading dot, no blank. A dot takes three characters. */
export const id = idText.refine(
  (text) =>
    /^[\p{L}\p{N}_{-][^\p{Z}/\\]*$/u.test(text) && text.replaceAll('.', '%2E').length <= 200,
);

/** An id that names a file. */
const fileName = /^[\w-][\w.-]{0,119}$/;

/** Reported seconds, in milliseconds; negative ones are ignored. */
export const pollAfterMs = number.transform((seconds) =>
  seconds === null || seconds < 0 ? null : seconds * 1_000,
);

export const billing = tolerant<Billing>(
  z.object({ status: reported, amount: number, unit: reported }),
);

/** One word: anything else may quote a value. */
const code = reported.transform((text) =>
  text !== null && /^[A-Za-z][\w.-]{0,79}$/.test(text) ? text : null,
);

const longestFailure = 500;

/**
 * `failure` has no documented shape: a sentence, or an object with the fields of a problem. Anything else is used
 * unchanged.
 */
export const failure = z
  .union([
    z.string().transform((detail) => ({ detail })),
    z.looseObject({}).transform((fields) => fields as Record<string, unknown>),
  ])
  .nullish()
  .catch(null)
  .transform((value): ServiceFailure | null => {
    if (value == null) return null;
    const {
      code: word,
      codigo,
      retryable,
      retry_after_seconds: seconds,
      ...rest
    } = { ...value } as Record<string, unknown>;
    const texts = ['message', 'detail', 'mensagem', 'title', 'reason', 'motivo'];
    const message = texts.map((name) => reported.parse(rest[name])).find((text) => text !== null);
    const isEmpty = Object.values(rest).every((one) => one == null || one === '');
    return {
      code: code.parse(word) ?? code.parse(codigo),
      message: message ?? (isEmpty ? null : JSON.stringify(rest).slice(0, longestFailure)),
      retryable: flag.parse(retryable),
      retryAfterMs: pollAfterMs.parse(seconds),
    };
  });

/** Text unfit for a name is replaced by its hash. */
const artifactId = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null)
  .transform((text): string | null => {
    if (text == null || text === '') return null;
    if (fileName.test(text)) return text;
    return `id-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  });

const artifact = camel({
  id: artifactId,
  type: reported,
  media_type: reported,
  status: reported,
  url: reported,
  download_url: reported,
  url_expires_at: reported,
  expires_at: reported,
  available_until: reported,
}).transform(({ downloadUrl, expiresAt, id: named, ...read }) => ({
  ...read,
  artifactId: named,
  url: downloadUrl ?? read.url,
  urlExpiresAt: read.urlExpiresAt ?? expiresAt,
}));

const nothingReported = artifact.parse({});

/** Every artifact gets its own id: its position, if none was reported. Null: no list. */
export const artifacts = listAsItCame.transform((list): Artifact[] | null => {
  if (list === null) return null;
  const ids = new Set<string>();
  return list.map((one, position) => {
    const read = artifact.safeParse(one).data ?? nothingReported;
    const isOwn = read.artifactId !== null && !ids.has(read.artifactId);
    const own = isOwn ? (read.artifactId as string) : `position-${position + 1}`;
    ids.add(own);
    return { ...read, artifactId: own };
  });
});

/** The status as one of the known words, in capitals too, else `unknown`; and as the service has it. */
export function stateOf<const T extends string, Word extends string | null>(
  states: readonly T[],
  statusWord: Word,
): { state: T | 'unknown'; statusWord: Word } {
  return {
    state: states.find((state) => state === statusWord?.toLowerCase()) ?? 'unknown',
    statusWord,
  };
}

export function isSameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
