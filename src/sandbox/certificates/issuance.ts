/** One issuance, what its source finds, and how the service shows it (section Certificate issuance). Absent means not yet. */

import { createHash } from 'node:crypto';
import { draw } from '../core/chance';
import { fictionalName } from '../core/fictional-name';
import { fictionalPdf } from '../core/fictional-pdf';
import { instantsOf, statusOf, type Work } from '../core/work';
import type { JsonObject } from '../http/answer';
import { certificateEndings, type CertificateEnding } from './certificate-scenario';

export const certificatesPath = '/api/v1/certidoes';

/** As the service names them in `tipo`; `nome` is readable there but nobody can request it here. */
export type IssuableTipo = 'cnpj' | 'cndt';

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

/** The `result` of an issuance. A company query has no classification: there is nothing to owe. */
export function fictionalResult(
  seed: number,
  { document, tipo }: Pick<Issuance, 'document' | 'tipo'>,
  capturedAt: string,
  isDivergent: boolean,
): JsonObject {
  const name = fictionalName(seed, document);
  const officialName = isDivergent ? `${name} EM LIQUIDACAO` : name;
  return {
    nome_base: name,
    nome_oficial: officialName,
    divergente: isDivergent,
    fonte_nome: tipo === 'cndt' ? 'Justica do Trabalho (simulada)' : 'Cadastro CNPJ (simulado)',
    capturado_em: capturedAt,
    titular: { nome: officialName },
    ...(tipo === 'cndt' ? { classificacao: classification(seed, document) } : {}),
  };
}

function classification(seed: number, document: string): string {
  const chance = draw(seed, 'classification', document);
  if (chance < 0.8) return 'negativa';
  return chance < 0.9 ? 'positiva' : 'positiva_com_efeito_de_negativa';
}

const stages = {
  queued: 'waiting_worker',
  processing: 'accessing_source',
  completed: 'completed',
  failed: 'failed',
};

function statusAt(issuance: Issuance, now: number) {
  const before = ['queued', 'processing'] as const;
  return statusOf<CertificateEnding, keyof typeof stages>(
    issuance,
    now,
    before,
    certificateEndings,
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
    ...instantsOf(issuance, now),
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
  const isDebts = issuance.tipo === 'cndt';
  return fictionalPdf({
    heading: isDebts ? 'CERTIDAO DE DEBITOS TRABALHISTAS' : 'COMPROVANTE DE INSCRICAO CADASTRAL',
    name: typeof name === 'string' ? name : '',
    document: issuance.document,
    id: issuance.certidaoId,
    outcome: typeof outcome === 'string' ? outcome : 'inscricao localizada',
  });
}
