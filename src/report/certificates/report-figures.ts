import {
  noCounts,
  type StoredResultRow,
  type StatusCounts,
} from '../../domain/certificates/certificates';
import { maskDocument } from '../../domain/core/documents/documents';
import { Histogram } from '../histogram';
import { adviceFor, isLeft, statusesLeft, type Advice, type StatusLeft } from './next-steps';
import { maskTextOfPeople } from '../../protection/redaction';

/** Listed rows of one status; the others are counted. */
const mostRowsShown = 250;

/** Classifications that are counted separately. */
const mostClassifications = 20;

export interface LeftGroup {
  status: StatusLeft;
  count: number;
  /** The first of them, in order of their lines. */
  rows: (StoredResultRow & { advice: Advice })[];
  /** Advice for all rows of the status, not only the shown ones. */
  advised: ReadonlySet<Advice>;
}

export interface ReportFigures {
  /** Input lines with content: the sum of `counts`. */
  total: number;
  counts: StatusCounts;
  /** Rows that need attention, the most urgent status first, without empty groups. */
  left: LeftGroup[];
  doubleCharges: { count: number; lines: number[] };
  /** The first of them, in order of their lines. */
  issued: StoredResultRow[];
  /** The service's classifications, most frequent first. '' when it reported none. */
  classifications: { word: string; count: number }[];
  /** Issued rows whose official data differ from those that the service had. */
  divergent: number;
  /** Issued rows that another job requested. */
  takenOver: number;
  /** Instants of issuance and waiting times, of the rows that this job requested. */
  issuedAt: Histogram;
  waits: Histogram;
  /** Issued rows of this job without an instant from the service. */
  untimed: number;
}

/** Folds the rows of a job, in order, into the report's figures, in bounded memory. */
export class ReportFold {
  readonly #counts = noCounts();
  readonly #left = new Map<StatusLeft, LeftGroup & { advised: Set<Advice> }>();
  readonly #doubleCharges = { count: 0, lines: [] as number[] };
  readonly #issued: StoredResultRow[] = [];
  readonly #classifications = new Map<string, number>();
  readonly #issuedAt = new Histogram();
  readonly #waits = new Histogram();
  #total = 0;
  #divergent = 0;
  #takenOver = 0;
  #untimed = 0;

  add(row: StoredResultRow): void {
    this.#total += 1;
    this.#counts[row.status] += 1;
    if (row.possibleDoubleCharge && row.status !== 'duplicate') this.#addDoubleCharge(row);
    if (row.status === 'issued') this.#addIssued(row);
    const { status } = row;
    if (isLeft(status)) this.#addLeft({ ...row, status });
  }

  figures(): ReportFigures {
    const left = statusesLeft.map((status) => this.#left.get(status));
    const classifications = [...this.#classifications].map(([word, count]) => ({ word, count }));
    return {
      total: this.#total,
      counts: { ...this.#counts },
      left: left.filter((group) => group !== undefined),
      doubleCharges: this.#doubleCharges,
      issued: this.#issued,
      classifications: classifications.sort((a, b) => b.count - a.count),
      divergent: this.#divergent,
      takenOver: this.#takenOver,
      issuedAt: this.#issuedAt,
      waits: this.#waits,
      untimed: this.#untimed,
    };
  }

  #addDoubleCharge({ line }: StoredResultRow): void {
    this.#doubleCharges.count += 1;
    if (this.#doubleCharges.lines.length < mostRowsShown) this.#doubleCharges.lines.push(line);
  }

  #addIssued(row: StoredResultRow): void {
    if (this.#issued.length < mostRowsShown) this.#issued.push(masked(row));
    this.#countClassification(row.classification ?? '');
    if (row.divergent === true) this.#divergent += 1;
    if (row.attempts === 0) {
      this.#takenOver += 1;
      return;
    }
    const completedAt = Date.parse(row.completedAt ?? '');
    if (!isPlausible(completedAt)) {
      this.#untimed += 1;
      return;
    }
    this.#issuedAt.add(completedAt);
    const requestedAt = Date.parse(row.requestedAt ?? '');
    // Two clocks: the service's may be behind ours.
    if (!Number.isNaN(requestedAt)) this.#waits.add(Math.max(0, completedAt - requestedAt));
  }

  #countClassification(reported: string): void {
    const known = this.#classifications.has(reported);
    const word = known || this.#classifications.size < mostClassifications ? reported : '…';
    this.#classifications.set(word, (this.#classifications.get(word) ?? 0) + 1);
  }

  #addLeft(row: StoredResultRow & { status: StatusLeft }): void {
    const { status } = row;
    const group = this.#left.get(status) ?? { status, count: 0, rows: [], advised: new Set() };
    this.#left.set(status, group);
    const advice = adviceFor(row);
    group.count += 1;
    group.advised.add(advice);
    if (group.rows.length < mostRowsShown) group.rows.push({ ...masked(row), advice });
  }
}

/** An implausible year of the service is not drawn. */
function isPlausible(instant: number): boolean {
  return instant >= Date.UTC(2000, 0) && instant < Date.UTC(2200, 0);
}

/** No document in full, also not in names and texts of other people: a small company is often named by its owner. */
function masked(row: StoredResultRow): StoredResultRow {
  const text = (of: string | null): string | null => of && maskTextOfPeople(of);
  return {
    ...row,
    document: maskDocument(row.document),
    reference: maskTextOfPeople(row.reference),
    note: maskTextOfPeople(row.note),
    holderName: text(row.holderName),
    officialName: text(row.officialName),
    baseName: text(row.baseName),
    sourceName: text(row.sourceName),
    errorMessage: text(row.errorMessage),
  };
}
