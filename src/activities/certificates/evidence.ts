import { isPermanent } from '../../apis/http/classify';
import { RefusedAddressError } from '../../protection/address-guard';
import type { CallPriority } from '../../apis/http/limiter';
import type { CertificatesApi } from '../../apis/investigation/certificates';
import { keepAside, sha256Of, storePdf } from '../../store/certificates/evidence-files';
import type { RecordRepository, StoredBytes } from '../../store/records';
import type { Store } from '../../store/store';
import type { Issuance } from '../../apis/investigation/wire/certificates.wire';
import { pauseOnTheClock, type Pause } from '../core/pause';

/** The PDF of a completed issuance. */
export type Evidence =
  | { kind: 'stored'; pdfKey: string; pdf: StoredBytes | null; sha256: string; note: string }
  /** No address, or one that the service fills in without a PDF. */
  | { kind: 'none' }
  /** Three fetches did not return the announced PDF; the bytes are stored aside. */
  | { kind: 'mismatch'; message: string }
  /** The address returns nothing, or nothing yet. */
  | { kind: 'unavailable'; message: string }
  /** The address guard rejects its address. */
  | { kind: 'refused'; message: string };

export interface EvidenceRequest {
  issuance: Issuance;
  type: string;
  documentName: string;
  priority: CallPriority;
}

/** A mismatch is fetched twice more before it is final. */
const fetches = 3;
const betweenFetchesMs = 300;

/**
 * Fetches, checks and stores PDFs. A download continues after its poll has returned, so that a slow one
 * neither delays rows that settled with it nor starts over at the next poll.
 */
export class EvidenceCollector {
  readonly #certificates: CertificatesApi;
  readonly #records: RecordRepository;
  readonly #pause: Pause;
  readonly #running = new Map<string, Promise<Evidence>>();

  constructor(
    certificates: CertificatesApi,
    { records }: Pick<Store, 'records'>,
    pause: Pause = pauseOnTheClock,
  ) {
    this.#certificates = certificates;
    this.#records = records;
    this.#pause = pause;
  }

  /** @throws transient http errors (5xx, 401, 429, no response) */
  collect(request: EvidenceRequest): Promise<Evidence> {
    const { certidaoId } = request.issuance;
    const running = this.#running.get(certidaoId);
    if (running !== undefined) return running;
    const started = this.#collect(request).finally(() => this.#running.delete(certidaoId));
    this.#running.set(certidaoId, started);
    return started;
  }

  async #collect({ issuance, type, documentName, priority }: EvidenceRequest): Promise<Evidence> {
    const { linkedPdf, pdfUrl, sha256: expected } = issuance.evidence;
    const address = pdfUrl ?? linkedPdf;
    if (address === null) return { kind: 'none' };
    let fault = '';
    for (let fetch = 1; fetch <= fetches; fetch += 1) {
      if (fetch > 1) await this.#pause(betweenFetchesMs);
      try {
        const pdf = await this.#certificates.fetchPdf(address, priority);
        if (pdf.length === 0) return { kind: 'unavailable', message: 'the answer is empty' };
        const sha256 = sha256Of(pdf);
        const found = faultOf(pdf, sha256, expected);
        if (found === null) {
          const at = new Date(issuance.completedAt ?? Date.now());
          const about = { type, documentName, certidaoId: issuance.certidaoId, sha256 };
          const stored = await storePdf(this.#records, pdf, { ...about, at: validDate(at) });
          return {
            kind: 'stored',
            pdfKey: stored.key,
            pdf: stored.bytes,
            sha256,
            note: expected === null ? 'sha256 unchecked' : '',
          };
        }
        fault = found;
        await keepAside(this.#records, pdf, issuance.certidaoId);
      } catch (error) {
        if (error instanceof RefusedAddressError)
          return { kind: 'refused', message: error.message };
        if (!isPermanent(error)) throw error;
        // `links.pdf` may be set for issuances without a PDF.
        if (pdfUrl === null) return { kind: 'none' };
        return { kind: 'unavailable', message: error.message };
      }
    }
    return { kind: 'mismatch', message: `the PDF was fetched ${fetches} times: ${fault}` };
  }
}

function faultOf(pdf: Buffer, sha256: string, expected: string | null): string | null {
  if (!pdf.subarray(0, 1_024).includes('%PDF-')) return 'it does not begin like a PDF';
  if (expected !== null && sha256 !== expected) return 'its sha256 is not the announced one';
  return null;
}

function validDate(date: Date): Date {
  return Number.isNaN(date.getTime()) ? new Date() : date;
}
