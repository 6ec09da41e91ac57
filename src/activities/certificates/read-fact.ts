import type { CallPriority } from '../../apis/http/limiter';
import type { NewFact } from '../../store/certificates/facts';
import type { Issuance } from '../../apis/investigation/wire/certificates.wire';
import type { IssuanceFact } from '../../domain/certificates/outcomes';
import type { CertificateItem } from '../../domain/certificates/job';
import { rowFlags, type PolledRow } from '../../domain/certificates/certificate-rows';
import type { CertificateDependencies } from '../dependencies';
import { EvidenceCollector } from './evidence';

/** Maximum wait for evidence that the service announces as pending, or that is not there yet. */
const patienceWithEvidenceMs = 2 * 60_000;
/** A result may come in parts: evidence that is null is awaited this long... */
const patienceWithNoneMs = 5_000;
/** ...unless it did not come for so many in a row. */
const mostWithNone = 5;

/** A row while it is read. */
export interface ReadRow {
  tuple: PolledRow;
  /** Age at the last read that found it unsettled; null: none in this poll. */
  unsettledAgeMs: number | null;
  /** The service said that it was issued: only its PDF is awaited. */
  isIssued: boolean;
}

/** Issued, and without the PDF that the service announced. No fact: a later read may find it. */
export function withoutPdf(reason: string) {
  return {
    code: 'evidence_unavailable',
    category: 'evidence',
    message: `it was issued, and its PDF was not there (${reason}): \`resolve --action watch\` reads it again`,
  };
}

/** Reads an issuance: a settled one, with its evidence, is a fact. */
export function createFactReader(deps: CertificateDependencies) {
  const { store, certificates, idKey, now, settlingTimes } = deps;
  const evidence = new EvidenceCollector(certificates, store, deps.pause);
  const warnedWords = new Set<string>();
  /** Completed issuances whose evidence is pending: since when. */
  const awaited = new Map<string, number>();
  const withNone: Record<CertificateItem['type'], number> = { cnpj: 0, trabalhista: 0 };

  /** A fact once the issuance has settled and its evidence is checked; else its current status. */
  async function readFact(
    row: ReadRow,
    item: CertificateItem,
    priority: CallPriority,
    signal: AbortSignal,
  ): Promise<
    | NewFact
    | { state: 'unsettled' }
    | { error: { code: string; category: string; message: string } }
  > {
    const [, certidaoId, requestedAt, , , flags] = row.tuple;
    const { issuance, answer } = await certificates.readCertificate(certidaoId, priority, signal);
    row.isIssued = issuance.state === 'completed';
    const over = issuance.state === 'failed' || issuance.state === 'completed';
    // The request instant of another job's issuance is not known here.
    if (over && (flags & rowFlags.shared) === 0) {
      const ageMs = now() - requestedAt;
      settlingTimes[item.type].observe(
        durationOf(issuance, requestedAt, row.unsettledAgeMs, ageMs),
      );
    }
    if (issuance.state === 'unknown' && !warnedWords.has(issuance.statusWord)) {
      warnedWords.add(issuance.statusWord);
      deps.warn('a status word that the specification does not list is treated as unsettled', {
        status: issuance.statusWord.slice(0, 40),
      });
    }
    if (issuance.state === 'failed') {
      return { fact: factOf(issuance, item, answer, { status: 'failed', now: now() }), pdf: null };
    }
    if (issuance.state !== 'completed') return { state: 'unsettled' };
    const since = awaited.get(certidaoId) ?? now();
    const mayCome = now() - since < patienceWithEvidenceMs;
    awaited.set(certidaoId, since);
    if (issuance.evidence.isPending && mayCome) return { state: 'unsettled' };
    const found = await evidence.collect({
      issuance,
      type: item.type,
      documentName: idKey.nameOf('document', item.document),
      priority: priority === 'poll' ? 'pdf' : priority,
    });
    if (found.kind === 'unavailable' && mayCome) return { state: 'unsettled' };
    if (found.kind === 'none' && issuance.evidence.isNull) {
      const isEarly = now() - since < patienceWithNoneMs;
      if (isEarly && withNone[item.type] < mostWithNone) return { state: 'unsettled' };
    }
    withNone[item.type] = found.kind === 'none' ? withNone[item.type] + 1 : 0;
    awaited.delete(certidaoId);
    const settled = { status: 'issued', now: now() } as const;
    switch (found.kind) {
      case 'stored': {
        const { pdfKey, pdf, sha256, note } = found;
        return { fact: factOf(issuance, item, answer, { ...settled, pdfKey, sha256, note }), pdf };
      }
      case 'none':
        if (deps.assumptions.pdf === 'required') {
          const message = 'the issuance completed without a PDF, and certificates.pdf=required';
          return { error: { code: 'evidence_missing', category: 'evidence', message } };
        }
        return {
          fact: factOf(issuance, item, answer, { ...settled, note: 'no evidence' }),
          pdf: null,
        };
      // Not stored as facts: a later read may find the right bytes.
      case 'mismatch':
        return {
          error: { code: 'evidence_mismatch', category: 'evidence', message: found.message },
        };
      case 'unavailable':
        return { error: withoutPdf(found.message) };
      case 'refused':
        return { error: { code: 'address_refused', category: 'evidence', message: found.message } };
    }
  }

  return readFact;
}

/**
 * Duration of an issuance from our request: as the service reports it where that agrees with our
 * observations (clocks may differ), else the middle of the observed interval.
 */
function durationOf(
  { createdAt, completedAt }: Issuance,
  requestedAt: number,
  unsettledAgeMs: number | null,
  settledAgeMs: number,
): number {
  const completed = Date.parse(completedAt ?? '');
  const reported = [completed - requestedAt, completed - Date.parse(createdAt ?? '')];
  const earliest = unsettledAgeMs ?? 0;
  const credible = reported.find((ms) => ms > earliest && ms <= settledAgeMs);
  return credible ?? (Math.max(earliest, settledAgeMs * 0.8) + settledAgeMs) / 2;
}

/** The permanent record of a settled issuance. */
export function factOf(
  issuance: Issuance,
  item: CertificateItem,
  answer: unknown,
  settled: {
    status: 'issued' | 'failed';
    now: number;
    pdfKey?: string;
    sha256?: string;
    note?: string;
  },
): IssuanceFact {
  const { result, error } = issuance;
  return {
    certidaoId: issuance.certidaoId,
    type: item.type,
    status: settled.status,
    settledAt: settled.now,
    completedAt: issuance.completedAt,
    classification: result?.classification ?? null,
    divergent: result?.divergent ?? null,
    officialName: result?.officialName ?? null,
    baseName: result?.baseName ?? null,
    holderName: result?.holderName ?? null,
    sourceName: result?.sourceName ?? null,
    capturedAt: result?.capturedAt ?? null,
    pdfKey: settled.pdfKey ?? null,
    sha256: settled.sha256 ?? null,
    ...(settled.status === 'failed' ? failureOf(error) : noFailure),
    note: settled.note ?? '',
    answer,
  };
}

const noFailure = {
  errorCode: null,
  errorCategory: null,
  errorMessage: null,
  retryable: null,
  retryAfterMs: null,
};

function failureOf(error: Issuance['error']) {
  return {
    errorCode: error?.code ?? 'failed',
    errorCategory: error?.category ?? 'service',
    errorMessage: error?.message ?? 'it failed, and the service did not say why',
    retryable: error?.retryable ?? null,
    retryAfterMs: error?.retryAfterMs ?? null,
  };
}
