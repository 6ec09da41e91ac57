/** One issuance, and how the service shows it (section Certificate issuance). Absent means not yet. */

import { createHash } from 'node:crypto';
import { fictionalPdf } from '../core/fictional-pdf';
import { statusOf, type Work } from '../core/work';
import { iso, type JsonObject } from '../http/answer';
import type { CertificateEnding } from './certificate-scenario';
import type { IssuableTipo } from './certificate-result';

export const certificatesPath = '/api/v1/certidoes';

export interface Issuance extends Work<CertificateEnding> {
  certidaoId: string;
  tipo: IssuableTipo;
  document: string;
  /** Which issuance of this document and tipo, from 1. */
  ordinal: number;
  result: JsonObject;
  failure: JsonObject;
  /** Sum of the PDF, worked out the first time somebody can see it. */
  sha256?: string;
}

const settledAs = {
  completed: 'completed',
  divergente: 'completed',
  no_evidence: 'completed',
  no_sha256: 'completed',
  links_only: 'completed',
  failed: 'failed',
  failure_retryable: 'failed',
  failure_permanent: 'failed',
  never_settles: 'processing',
} as const;

const stages = {
  queued: 'waiting_worker',
  processing: 'accessing_source',
  completed: 'completed',
  failed: 'failed',
};

function statusAt(issuance: Issuance, now: number) {
  return statusOf<CertificateEnding, keyof typeof stages>(
    issuance,
    now,
    ['queued', 'processing'],
    settledAs,
  );
}

export function hasPdf(issuance: Issuance, now: number): boolean {
  return statusAt(issuance, now) === 'completed' && issuance.ending !== 'no_evidence';
}

export function certificateOnWire(issuance: Issuance, now: number): JsonObject {
  const status = statusAt(issuance, now);
  const self = `${certificatesPath}/${issuance.certidaoId}`;
  const promisesPdf = status !== 'completed' || hasPdf(issuance, now);
  return {
    certidao_id: issuance.certidaoId,
    tipo: issuance.tipo,
    status,
    stage: stages[status],
    ...(status === 'completed' ? { result: issuance.result } : {}),
    ...(hasPdf(issuance, now) ? { evidence: evidenceOf(issuance, self) } : {}),
    ...(status === 'failed' ? { error: issuance.failure } : {}),
    links: { self, ...(promisesPdf ? { pdf: `${self}/pdf` } : {}) },
    created_at: iso(issuance.createdAt),
    ...(status === 'queued' ? {} : { started_at: iso(issuance.startsAt) }),
    ...(now >= issuance.endsAt ? { completed_at: iso(issuance.endsAt) } : {}),
  };
}

function evidenceOf(issuance: Issuance, self: string): JsonObject {
  const { ending } = issuance;
  issuance.sha256 ??= createHash('sha256').update(pdfOf(issuance)).digest('hex');
  return {
    status: 'available',
    type: 'certidao_pdf',
    mime_type: 'application/pdf',
    ...(ending === 'links_only' ? {} : { pdf_url: `${self}/pdf` }),
    ...(ending === 'no_sha256' ? {} : { sha256: issuance.sha256 }),
  };
}

export function pdfOf(issuance: Issuance): Buffer {
  const { nome_oficial: name, classificacao: outcome } = issuance.result;
  return fictionalPdf({
    heading:
      issuance.tipo === 'cndt'
        ? 'CERTIDAO DE DEBITOS TRABALHISTAS'
        : 'COMPROVANTE DE INSCRICAO CADASTRAL',
    name: typeof name === 'string' ? name : '',
    document: issuance.document,
    id: issuance.certidaoId,
    outcome: typeof outcome === 'string' ? outcome : 'inscricao localizada',
  });
}
