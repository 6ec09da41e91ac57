import { z } from 'zod';
import { jsonOfBytes } from '../../domain/core/json-text';
import { flag } from './tolerant';
import { redactText } from '../../protection/redaction';

/**
 * Error bodies, decoded by shape and not by content type: the investigation problem and RFC 7807 share their fields;
 * the profile lookup has its own; a proxy sends HTML.
 */
export interface DecodedProblem {
  code: string | null;
  requestId: string | null;
  retryable: boolean | null;
  hasProblem: boolean;
  /** Text of the service, redacted, at most 500 characters; null without one. */
  detail: string | null;
}

/** Everything but the HTTP status is optional: a field of another type counts as missing. */
const words = z.string().optional().catch(undefined);

const problem = z.object({
  status: z.number().optional().catch(undefined),
  code: words,
  title: words,
  type: words,
  detail: words,
  request_id: words,
  retryable: flag.transform((value) => value ?? undefined),
});

/** Fields of other services. */
const otherWords = z.object({ message: words, mensagem: words, error: words, erro: words });

const profileProblem = z.object({
  success: z.literal(false),
  erro: z.object({ codigo: words, mensagem: words }),
});

const nothing: DecodedProblem = {
  code: null,
  requestId: null,
  retryable: null,
  hasProblem: false,
  detail: null,
};

const longestDetail = 500;

/** A sentence may quote what was sent: documents are masked before it is cut. */
function sentence(text: string | undefined): string | null {
  const plain = redactText(text ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (plain === '') return null;
  return plain.length > longestDetail ? `${plain.slice(0, longestDetail - 3)}...` : plain;
}

/** Codes get into sheets and logs, so only words pass: a code that quotes a value is dropped. */
function word(text: string | undefined): string | null {
  return text !== undefined && /^[A-Za-z][\w.-]{0,79}$/.test(text) ? text : null;
}

export function decodeProblem(body: Buffer): DecodedProblem {
  const parsed = parseJson(body);
  const profile = profileProblem.safeParse(parsed);
  if (profile.success) {
    const { codigo, mensagem } = profile.data.erro;
    return { ...nothing, code: word(codigo), hasProblem: true, detail: sentence(mensagem) };
  }
  const known = problem.safeParse(parsed);
  const reported = Object.values(known.data ?? {}).some((value) => value !== undefined);
  const other = otherWords.safeParse(parsed).data;
  const text =
    known.data?.detail ?? other?.message ?? other?.mensagem ?? other?.error ?? other?.erro;
  const detail = sentence(text);
  if (!known.success || !reported) return { ...nothing, detail };
  const typeWord = known.data.type?.split('/').at(-1);
  const requestId = known.data.request_id;
  return {
    code: word(known.data.code) ?? word(typeWord),
    requestId: requestId !== undefined && /^[\w.:-]{1,80}$/.test(requestId) ? requestId : null,
    retryable: known.data.retryable ?? null,
    hasProblem: true,
    detail,
  };
}

/** The parsed body, or undefined when it is not JSON. Ignores a byte order mark. */
export function parseJson(body: Buffer): unknown {
  try {
    return jsonOfBytes(body);
  } catch {
    return undefined;
  }
}

/**
 * Milliseconds of a Retry-After header: seconds (a fraction is tolerated) or an HTTP date. Null when absent, negative,
 * or unreadable; never below 0.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  // The three shapes of an HTTP date; Date.parse alone takes "soon 5" for the year 2001.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/.test(text)) return null;
  const at = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
