/** One issuance: everything it will ever be is fixed when it starts; the clock reveals it. */

import { createHash } from 'node:crypto';
import { drawDuration, seededUuid } from '../chance';
import type { JsonObject } from '../engine/answer';
import type { EndingKind } from '../faults/fault-words';
import type { EndingStep, Scenario } from '../scenario';
import type { CertificatePdf } from './certificate-pdf';
import { fictionalResult, type IssuableTipo } from './fictional-subject';

export interface Issuance {
  certidaoId: string;
  tipo: IssuableTipo;
  document: string;
  /** Which issuance of this document and tipo, from 1. */
  ordinal: number;
  ending: EndingStep;
  /** Instants, in milliseconds. */
  createdAt: number;
  startsAt: number;
  endsAt: number;
  result: JsonObject;
  failure: JsonObject;
  /** Sum of the PDF, worked out the first time somebody can see it. */
  sha256?: string;
}

export interface IssuanceStart {
  seed: number;
  tipo: IssuableTipo;
  document: string;
  ordinal: number;
  at: number;
  ending: EndingStep;
  timing: Scenario['issuance'];
  /** Fields that the scenario lays over the invented ones. */
  result?: JsonObject | undefined;
  failure?: JsonObject | undefined;
}

export function startIssuance(start: IssuanceStart): Issuance {
  const { seed, tipo, document, ordinal, at, ending, timing } = start;
  const words = [seed, tipo, document, ordinal];
  const { distribution } = timing;
  const startsAt = at + drawDuration(timing.waitingMs, distribution, 'waiting', ...words);
  const endsAt = startsAt + drawDuration(timing.processingMs, distribution, 'processing', ...words);
  const divergent = ending.kind === 'divergente';
  const capturedAt = new Date(endsAt).toISOString();
  return {
    certidaoId: seededUuid(words.join('|')),
    tipo,
    document,
    ordinal,
    ending,
    createdAt: at,
    startsAt,
    endsAt,
    result: {
      ...fictionalResult({ seed, tipo, document, capturedAt, divergent }),
      ...start.result,
    },
    failure: { ...failureOf(ending), ...start.failure },
  };
}

function failureOf(ending: EndingStep): JsonObject {
  return ending.kind === 'failure_retryable'
    ? {
        code: 'fonte_indisponivel',
        category: 'source',
        message: 'A fonte oficial nao respondeu.',
        retryable: true,
        retry_after_seconds: ending.retryAfterSeconds ?? 1,
      }
    : {
        code: 'documento_nao_encontrado',
        category: 'subject',
        message: 'A fonte oficial nao conhece o documento.',
        retryable: false,
      };
}

const failing: readonly EndingKind[] = ['failed', 'failure_retryable', 'failure_permanent'];

export type IssuanceStatus = 'queued' | 'processing' | 'completed' | 'failed';

export function statusAt(issuance: Issuance, now: number): IssuanceStatus {
  if (now < issuance.startsAt) return 'queued';
  if (now < issuance.endsAt || issuance.ending.kind === 'never_settles') return 'processing';
  return failing.includes(issuance.ending.kind) ? 'failed' : 'completed';
}

export function hasPdf(issuance: Issuance, now: number): boolean {
  return statusAt(issuance, now) === 'completed' && issuance.ending.kind !== 'no_evidence';
}

export function pdfOf(issuance: Issuance, pdf: CertificatePdf): Buffer {
  const { nome_oficial: name, classificacao: outcome } = issuance.result;
  return pdf.print({
    heading:
      issuance.tipo === 'cndt'
        ? 'CERTIDAO DE DEBITOS TRABALHISTAS'
        : 'COMPROVANTE DE INSCRICAO CADASTRAL',
    name: typeof name === 'string' ? name : '',
    document: issuance.document,
    certidao: issuance.certidaoId,
    outcome: typeof outcome === 'string' ? outcome : 'inscricao localizada',
  });
}

/** The pdf's sum, worked out once per issuance. */
export function pdfSumOf(issuance: Issuance, pdf: CertificatePdf): string {
  issuance.sha256 ??= createHash('sha256').update(pdfOf(issuance, pdf)).digest('hex');
  return issuance.sha256;
}
