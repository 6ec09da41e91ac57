import type { Billing } from '../../domain/core/billing';
import type { InquiryBatchRecord } from '../../domain/core/inquiry-batch';

/** Cells of one line, by column; null: nothing was told. */
export type InquiryCells = Readonly<Record<string, string | number | boolean | null>>;

/** How a work of a batch ended. */
export interface InquiryEnding {
  status: string;
  cells: InquiryCells;
  error: { code: string | null; message: string } | null;
  settledAt: string;
  /** What the service told is not on file any more. */
  erased: boolean;
  /** As the service told it; null when it told nothing. */
  billing: Billing | null;
  /** What the service told, as it came; null when it told nothing. */
  answer: () => Promise<Buffer | null>;
}

/** An input line, as it stands. */
export interface ShownRow {
  line: number;
  asked: string;
  status: string;
  ending: InquiryEnding | null;
}

export interface ShownBatch {
  record: InquiryBatchRecord;
  /** Lines by how they stand. */
  counts: Readonly<Record<string, number>>;
  endedAt: string;
}

/** Written in two walks over the rows: what columns there are is known after the first one. */
export interface InquirySheets {
  /** @param answer null for a line without one of its own */
  learn(row: ShownRow, answer: Buffer | null): Promise<void>;
  /** Of the lines with an answer of their own, once all are learnt. */
  write(row: ShownRow, answer: Buffer): Promise<void>;
  close(batch: ShownBatch): Promise<void>;
  abandon(): Promise<void>;
}
