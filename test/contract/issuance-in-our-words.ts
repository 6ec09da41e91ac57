import type { IssuanceState } from '../../src/domain/certificates/issuance';
import type { Issuance } from '../../src/apis/investigation/wire/certificates.wire';

/** An issuance as the specification tells it: everything but id and status may be missing or null. */
export interface Told {
  certidao_id: string;
  status: string;
  tipo?: string | null;
  stage?: string | null;
  result?: {
    nome_base?: string | null;
    nome_oficial?: string | null;
    divergente?: boolean | null;
    fonte_nome?: string | null;
    capturado_em?: string | null;
    titular?: { nome?: string | null } | null;
    classificacao?: string | null;
  } | null;
  evidence?: {
    status?: string | null;
    type?: string | null;
    mime_type?: string | null;
    pdf_url?: string | null;
    sha256?: string | null;
  } | null;
  error?: {
    code?: string | null;
    category?: string | null;
    message?: string | null;
    retryable?: boolean | null;
    retry_after_seconds?: number | null;
  } | null;
  links?: { self?: string | null; pdf?: string | null } | null;
  created_at?: string | null;
  started_at?: string | null;
  completed_at?: string | null;
}

const listed = ['queued', 'processing', 'completed', 'failed'] as const;

/** A second reading of the specification, to hold the client's against: field by field. */
export function inOurWords(told: Told): Issuance {
  const { result, evidence, error, links } = told;
  const state: IssuanceState = listed.find((word) => word === told.status) ?? 'unknown';
  const seconds = error?.retry_after_seconds ?? null;
  return {
    certidaoId: told.certidao_id,
    state,
    statusWord: told.status,
    stage: told.stage ?? null,
    result: result
      ? {
          classification: result.classificacao ?? null,
          divergent: result.divergente ?? null,
          officialName: result.nome_oficial ?? null,
          baseName: result.nome_base ?? null,
          holderName: result.titular?.nome ?? null,
          sourceName: result.fonte_nome ?? null,
          capturedAt: result.capturado_em ?? null,
        }
      : null,
    evidence: {
      pdfUrl: evidence?.pdf_url ?? null,
      linkedPdf: links?.pdf ?? null,
      sha256: evidence?.sha256 ?? null,
      isPending: evidence?.status === 'pending',
      isNull: evidence === null,
    },
    error: error
      ? {
          code: error.code ?? null,
          category: error.category ?? null,
          message: error.message ?? null,
          retryable: error.retryable ?? null,
          retryAfterMs: seconds === null ? null : seconds * 1000,
        }
      : null,
    createdAt: told.created_at ?? null,
    completedAt: told.completed_at ?? null,
  };
}
