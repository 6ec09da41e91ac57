import { z } from 'zod';
import type { CallName } from '../../http/errors';
import { ContractError } from '../../http/errors';
import { parseJson } from '../../http/problem';
import {
  flag,
  isSameId,
  jsonApiResource,
  number,
  parseWire,
  stateOf,
  reported,
} from './wire-fields';
import { isUuid } from '../../../domain/core/uuid';
import type { Issuance } from '../../../domain/certificates/issuance';

/**
 * The service's shape of a certificate issuance (specification: "Certificate issuance"). Unknown
 * fields are dropped, optional ones may be missing or null, unknown enum values pass as they are.
 */
const text = z.string().nullish();
/** Some services write an empty object so. */
const emptyList = z.tuple([]).transform(() => null);

const issuanceWire = z.object({
  certidao_id: z.string().min(1).max(200),
  status: z.string(),
  stage: reported,
  result: z
    .object({
      nome_oficial: reported,
      nome_base: reported,
      titular: z.object({ nome: reported }).nullish().catch(null),
      fonte_nome: reported,
      divergente: flag,
      capturado_em: reported,
      classificacao: reported,
    })
    .nullish()
    .catch(null),
  evidence: z.object({ status: reported, pdf_url: text, sha256: text }).nullish().or(emptyList),
  error: z
    .object({
      code: reported,
      category: reported,
      message: reported,
      retryable: flag,
      retry_after_seconds: number,
    })
    .nullish()
    .catch(null),
  links: z.object({ pdf: reported }).nullish().catch(null),
  created_at: reported,
  completed_at: reported,
});

/** The id in an acceptance: without it the issuance is lost. */
const acceptedWire = issuanceWire.pick({ certidao_id: true });
const linkedWire = z.object({ links: z.object({ self: z.string() }) });

/** Words for evidence that is still pending: not documented. */
const isToCome = /^(pending|queued|waiting|processing|running|generating)$/i;

/** Any other word is unsettled: logged once and polled to the deadline. */
const states = ['queued', 'processing', 'completed', 'failed'] as const;

/**
 * @param certidaoId the requested id: a response about another issuance must not be stored as this one
 * @throws ContractError when the response lacks a required field
 */
export function issuanceFromWire(call: CallName, certidaoId: string, answer: unknown): Issuance {
  const wire = parseWire(issuanceWire, call, answer);
  if (!isSameId(wire.certidao_id, certidaoId)) {
    throw new ContractError(call, [{ path: 'certidao_id', code: 'another_issuance' }]);
  }
  const { result, evidence, error } = wire;
  return {
    certidaoId,
    state: stateOf(states, wire.status),
    statusWord: wire.status,
    stage: wire.stage,
    result:
      result == null
        ? null
        : {
            classification: result.classificacao,
            divergent: result.divergente ?? null,
            officialName: result.nome_oficial,
            baseName: result.nome_base,
            holderName: result.titular?.nome ?? null,
            sourceName: result.fonte_nome,
            capturedAt: result.capturado_em,
          },
    evidence: {
      pdfUrl: evidence?.pdf_url || null,
      linkedPdf: wire.links?.pdf ?? null,
      sha256: sumOf(evidence?.sha256),
      isPending: isToCome.test(evidence?.status ?? ''),
    },
    error:
      error == null
        ? null
        : {
            code: error.code,
            category: error.category,
            message: error.message,
            retryable: error.retryable ?? null,
            retryAfterMs:
              error.retry_after_seconds == null
                ? null
                : Math.max(0, error.retry_after_seconds * 1_000),
          },
    createdAt: wire.created_at,
    completedAt: wire.completed_at,
  };
}

/**
 * The id of an accepted request: as a field of the response, else in its link to itself, else in `Location`.
 *
 * @param location the header, empty without one
 * @throws ContractError when the id is unreadable: the outcome of the request is then unknown
 */
export function acceptedIdFromWire(
  call: CallName,
  { body, location }: { body: Buffer; location: string },
): string {
  const answer = parseJson(body);
  const linked = linkedWire.safeParse(answer).data?.links.self ?? '';
  const named = acceptedWire.safeParse(answer).data?.certidao_id;
  return (
    named ??
    idAt(linked) ??
    idAt(location) ??
    jsonApiResource(answer)?.id ??
    parseWire(acceptedWire, call, answer).certidao_id
  );
}

/** The only UUID in the path of an address. */
export function idAt(address: string): string | undefined {
  const segments = address.split(/[?#]/)[0]?.split('/') ?? [];
  const ids = segments.filter(isUuid);
  return ids.length === 1 ? ids[0] : undefined;
}

/** As hex, from any notation: with `sha256:`, in capitals, in base64. */
function sumOf(announced: string | null | undefined): string | null {
  if (!announced) return null;
  const sum = announced.replace(/^sha-?256[:=]/i, '').trim();
  const isBase64 = /^[\w+/-]{43}=?$/.test(sum);
  return isBase64 ? Buffer.from(sum, 'base64').toString('hex') : sum.toLowerCase();
}
