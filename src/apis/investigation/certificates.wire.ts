import { z } from 'zod';
import type { CallName } from '../http/errors';
import { ContractError } from '../http/errors';
import { parseJson } from '../http/problem';
import type { Issuance, IssuanceState } from '../../domain/issuance';

/**
 * The service's shape of a certificate issuance (specification: "Certificate issuance"). Unknown
 * fields are dropped, optional ones may be missing or null, unknown enum values pass as they are.
 */
const text = z.string().nullish();

const issuanceWire = z.object({
  certidao_id: z.string().min(1).max(200),
  tipo: text,
  status: z.string(),
  stage: text,
  result: z
    .object({
      nome_base: text,
      nome_oficial: text,
      divergente: z.boolean().nullish(),
      fonte_nome: text,
      capturado_em: text,
      titular: z.object({ nome: text }).nullish(),
      classificacao: text,
    })
    .nullish(),
  evidence: z
    .object({ status: text, type: text, mime_type: text, pdf_url: text, sha256: text })
    .nullish(),
  error: z
    .object({
      code: text,
      category: text,
      message: text,
      retryable: z.boolean().nullish(),
      retry_after_seconds: z.number().nullish(),
    })
    .nullish(),
  links: z.object({ self: text, pdf: text }).nullish(),
  created_at: text,
  started_at: text,
  completed_at: text,
});

/** What the acceptance of a request must hold: without the id the issuance is lost to us. */
const acceptedWire = issuanceWire.pick({ certidao_id: true });

/** Any other word is unsettled: warned of once and polled to the deadline (DESIGN D9). */
const states: Record<string, IssuanceState> = {
  queued: 'queued',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
};

/** @throws ContractError when the body is not JSON or lacks what we rely on */
export function issuanceFromWire(call: CallName, body: Buffer): Issuance {
  const wire = parse(issuanceWire, call, body);
  const { result, evidence, error } = wire;
  return {
    certidaoId: wire.certidao_id,
    state: states[wire.status] ?? 'unknown',
    statusWord: wire.status,
    stage: wire.stage ?? null,
    result:
      result == null
        ? null
        : {
            classification: result.classificacao ?? null,
            divergent: result.divergente ?? null,
            officialName: result.nome_oficial ?? null,
            capturedAt: result.capturado_em ?? null,
          },
    evidence: {
      pdfUrl: evidence?.pdf_url ?? null,
      linkedPdf: wire.links?.pdf ?? null,
      sha256: evidence?.sha256?.toLowerCase() ?? null,
    },
    error:
      error == null
        ? null
        : {
            code: error.code ?? null,
            category: error.category ?? null,
            message: error.message ?? null,
            retryable: error.retryable ?? null,
            retryAfterMs:
              error.retry_after_seconds == null
                ? null
                : Math.max(0, error.retry_after_seconds * 1_000),
          },
    createdAt: wire.created_at ?? null,
    completedAt: wire.completed_at ?? null,
  };
}

/** @throws ContractError when the id cannot be read: the outcome of the request is then unknown */
export function acceptedIdFromWire(call: CallName, body: Buffer): string {
  return parse(acceptedWire, call, body).certidao_id;
}

function parse<T>(schema: z.ZodType<T>, call: CallName, body: Buffer): T {
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    path: issue.path.join('.'),
    code: issue.code,
  }));
  throw new ContractError(call, issues);
}
