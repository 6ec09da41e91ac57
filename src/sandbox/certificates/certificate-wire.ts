/** The issuance as the service shows it (section Certificate issuance). Absent means not yet. */

import type { JsonObject } from '../engine/answer';
import type { CertificatePdf } from './certificate-pdf';
import { hasPdf, pdfSumOf, statusAt, type Issuance, type IssuanceStatus } from './issuance';

export const certificatesPath = '/api/v1/certidoes';

const stages: Record<IssuanceStatus, string> = {
  queued: 'waiting_worker',
  processing: 'accessing_source',
  completed: 'completed',
  failed: 'failed',
};

const iso = (at: number) => new Date(at).toISOString();

export function certificateOnWire(
  issuance: Issuance,
  now: number,
  pdf: CertificatePdf,
): JsonObject {
  const status = statusAt(issuance, now);
  const self = `${certificatesPath}/${issuance.certidaoId}`;
  const settled = status === 'completed' || status === 'failed';
  const promisesPdf = status !== 'completed' || hasPdf(issuance, now);
  return {
    certidao_id: issuance.certidaoId,
    tipo: issuance.tipo,
    status,
    stage: stages[status],
    ...(status === 'completed' ? { result: issuance.result } : {}),
    ...(hasPdf(issuance, now) ? { evidence: evidenceOf(issuance, self, pdf) } : {}),
    ...(status === 'failed' ? { error: issuance.failure } : {}),
    links: { self, ...(promisesPdf ? { pdf: `${self}/pdf` } : {}) },
    created_at: iso(issuance.createdAt),
    ...(status === 'queued' ? {} : { started_at: iso(issuance.startsAt) }),
    ...(settled ? { completed_at: iso(issuance.endsAt) } : {}),
  };
}

function evidenceOf(issuance: Issuance, self: string, pdf: CertificatePdf): JsonObject {
  const { kind } = issuance.ending;
  return {
    status: 'available',
    type: 'certidao_pdf',
    mime_type: 'application/pdf',
    ...(kind === 'links_only' ? {} : { pdf_url: `${self}/pdf` }),
    ...(kind === 'no_sha256' ? {} : { sha256: pdfSumOf(issuance, pdf) }),
  };
}
