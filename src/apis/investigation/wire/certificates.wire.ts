import { z } from 'zod';
import { issuanceStates } from '../../../domain/certificates/issuance';
import { isUuid } from '../../../domain/core/documents/documents';
import type { CallName } from '../../http/errors';
import { camel, flag, idText, number, parseWire, tolerant } from '../../http/tolerant';
import { jsonApiResource, resourceIn } from '../resource';
import { reported, stateOf } from './wire-fields';

/**
 * The service's shape of a certificate issuance (specification: "Certificate issuance"). Unknown
 * fields are dropped, optional ones may be missing or null, unknown enum values pass as they are.
 */
const text = z.string().nullish();
/** Some services write an empty object so. */
const emptyList = z.tuple([]).transform(() => undefined);

/** Words for evidence that is still pending: not documented. */
const isToCome = /^(pending|queued|waiting|processing|running|generating)$/i;

export const issuanceWire = camel({
  certidao_id: idText,
  status: z.string(),
  stage: reported,
  result: tolerant(
    z
      .object({
        nome_oficial: reported,
        nome_base: reported,
        titular: tolerant(z.object({ nome: reported })),
        fonte_nome: reported,
        divergente: flag,
        capturado_em: reported,
        classificacao: reported,
      })
      .transform((wire) => ({
        classification: wire.classificacao,
        divergent: wire.divergente,
        officialName: wire.nome_oficial,
        baseName: wire.nome_base,
        holderName: wire.titular?.nome ?? null,
        sourceName: wire.fonte_nome,
        capturedAt: wire.capturado_em,
      })),
  ),
  evidence: z.object({ status: reported, pdf_url: text, sha256: text }).nullish().or(emptyList),
  error: tolerant(
    z.preprocess(
      (error) => (typeof error === 'string' ? { message: error } : error),
      camel({
        code: reported,
        category: reported,
        message: reported,
        retryable: flag,
        retry_after_seconds: number,
      }).transform(({ retryAfterSeconds: seconds, ...error }) => ({
        ...error,
        retryAfterMs: seconds === null ? null : Math.max(0, seconds * 1_000),
      })),
    ),
  ),
  links: tolerant(z.object({ pdf: reported })),
  created_at: reported,
  completed_at: reported,
}).transform(({ evidence, links, status, ...wire }) => ({
  ...wire,
  ...stateOf(issuanceStates, status),
  evidence: {
    pdfUrl: evidence?.pdf_url || null,
    linkedPdf: links?.pdf ?? null,
    sha256: sumOf(evidence?.sha256),
    isPending: isToCome.test(evidence?.status ?? ''),
    isNull: evidence === null,
  },
}));

export type Issuance = z.infer<typeof issuanceWire>;

/** The id in an acceptance: without it the issuance is lost. */
const acceptedWire = z.object({ certidao_id: idText });
const linkedWire = z.object({ links: z.object({ self: z.string() }) });

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
  const answer = resourceIn(body);
  return (
    acceptedWire.safeParse(answer).data?.certidao_id ??
    idAt(linkedWire.safeParse(answer).data?.links.self ?? '') ??
    idAt(location) ??
    jsonApiResource(answer)?.id ??
    parseWire(acceptedWire, call, answer).certidao_id
  );
}

/** The only UUID in the path of an address, else what follows `certidoes` at its end. */
export function idAt(address: string): string | undefined {
  const path = address.split(/[?#]/)[0] ?? '';
  const ids = path.split('/').filter(isUuid);
  if (ids.length > 0) return ids.length === 1 ? ids[0] : undefined;
  const last = /\/certidoes\/([^/]+)\/?$/.exec(path)?.[1];
  if (last === undefined || /^(?:cnpj|trabalhista)$/.test(last)) return undefined;
  return idText.safeParse(decodedOr(last)).data;
}

function decodedOr(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** As hex, from any notation: with `sha256:`, in capitals, in base64. */
function sumOf(announced: string | null | undefined): string | null {
  if (!announced) return null;
  const sum = announced.replace(/^sha-?256[:=]/i, '').trim();
  const isBase64 = /^[\w+/-]{43}=?$/.test(sum);
  return isBase64 ? Buffer.from(sum, 'base64').toString('hex') : sum.toLowerCase();
}
