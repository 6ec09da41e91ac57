import type { StoredResultRow } from '../../domain/certificates/certificates';
import type { CertificateRecord, DecisionAction } from '../../domain/certificates/job';
import { maskTextOfPeople } from '../../protection/redaction';
import { BatchFigures } from '../batches/figures';
import type { Sorted } from '../bins';

/** Classifications that are counted separately. */
const mostClassifications = 20;
const mostLines = 250;

/** Of the rows of a job, in order; two numbers of each issued one stay in memory. */
export class ReportFigures {
  readonly batch: BatchFigures;
  readonly doubleCharges = { count: 0, lines: [] as number[] };
  readonly #classifications = new Map<string, number>();
  /** Issued rows that another job requested. */
  takenOver = 0;
  /** Of the rows that this job requested: instants of issuance, and waiting times. */
  readonly #issuedAt: number[] = [];
  readonly #waits: number[] = [];
  /** With lines that the service calls final. */
  readonly final = new Set<string>();

  constructor(kind: CertificateRecord['kind']) {
    this.batch = new BatchFigures(kind);
  }

  add(row: StoredResultRow): void {
    const { baseName, capturedAt, classification, divergent, holderName, line, status } = row;
    const { errorCode, errorMessage, officialName, sourceName, type } = row;
    const known = [row.note, row.certidaoId && `certidao_id ${row.certidaoId}`];
    const masked = (text: string | null): string | null => text && maskTextOfPeople(text);
    this.batch.add(
      {
        line,
        requested: row.document,
        status,
        isDoubted: false,
        jobId: null,
        cells: {
          type,
          holderName: masked([...new Set([holderName, officialName])].filter(Boolean).join(' · ')),
          classification,
          // What differs is shown: nothing is decided silently.
          baseName: divergent === true ? masked(baseName) : null,
          sourceName: masked(sourceName),
          capturedAt,
        },
        error:
          errorMessage === null
            ? null
            : { code: errorCode, message: errorMessage, category: row.errorCategory },
        reference: row.reference,
        page: null,
        note: known.filter((one) => one !== null && one !== '').join(' · '),
      },
      actionFor(row),
    );
    if (row.retryable === false) this.final.add(status);
    if (row.possibleDoubleCharge && status !== 'duplicate') {
      this.doubleCharges.count += 1;
      if (this.doubleCharges.lines.length < mostLines) this.doubleCharges.lines.push(line);
    }
    if (status === 'issued') this.#addIssued(row);
  }

  /** The service's classifications, most frequent first; '': it reported none. */
  get classifications(): [word: string, count: number][] {
    return [...this.#classifications].sort(([, a], [, b]) => b - a);
  }

  get issuedAt(): Sorted {
    return Float64Array.from(this.#issuedAt).sort();
  }

  get waits(): Sorted {
    return Float64Array.from(this.#waits).sort();
  }

  #addIssued({ attempts, classification, completedAt, requestedAt }: StoredResultRow): void {
    const reported = classification ?? '';
    const known = this.#classifications.has(reported);
    const word = known || this.#classifications.size < mostClassifications ? reported : '…';
    this.#classifications.set(word, (this.#classifications.get(word) ?? 0) + 1);
    if (attempts === 0) {
      this.takenOver += 1;
      return;
    }
    const [at, from] = [Date.parse(completedAt ?? ''), Date.parse(requestedAt ?? '')];
    // An implausible year of the service is not drawn.
    if (!(at >= Date.UTC(2000, 0) && at < Date.UTC(2200, 0))) return;
    this.#issuedAt.push(at);
    // Two clocks: the service's may be behind ours.
    if (!Number.isNaN(from)) this.#waits.push(Math.max(0, at - from));
  }
}

/** Failures after the issuance itself: the service may have a valid certificate. */
const failedAfterwards = new Set(['evidence', 'lost']);

/** The next decision about a row; null: none helps; undefined: nothing is left to do. */
export function actionFor(
  row: Pick<StoredResultRow, 'certidaoId' | 'errorCategory' | 'status'>,
): DecisionAction | null | undefined {
  const isThere = row.certidaoId !== null;
  switch (row.status) {
    case 'unknown_outcome':
    case 'expired':
      return 'watch';
    case 'failed':
      return isThere && failedAfterwards.has(row.errorCategory ?? '') ? 'watch' : 'reissue';
    case 'cancelled':
      return row.errorCategory === 'abandoned' ? undefined : isThere ? 'watch' : 'reissue';
    case 'invalid':
    case 'unsupported':
      return null;
    case 'issued':
    case 'duplicate':
    case 'erased':
      return undefined;
  }
}
