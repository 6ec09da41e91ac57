import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Cell, Findings } from '../../domain/core/findings';
import type { JobKind } from '../../domain/job';
import type { Section, Text, Tile } from '../page';
import type { Reader } from '../reader';
import type { EvidenceFile } from '../sections';
import type { Picture } from './picture';
import type { ViewColumn } from './section';

/** A job's findings and outcome: everything on its page. */
export interface FindingsReport {
  kind: JobKind;
  id: string;
  /** Its subject, masked. */
  subject: string;
  status: string;
  needsAttention: boolean;
  label: string | null;
  createdBy: string;
  /** ISO 8601. */
  createdAt: string;
  settledAt: string;
  findings: Findings;
  /** The kind's own outcome: read by its special part. */
  outcome: unknown;
  error: { code: string | null; message: string } | null;
  cost: readonly BillingTotal[];
  files: readonly EvidenceFile[];
  /** The picture that was sent; null: none, or it cannot be shown. */
  picture: Picture | null;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** What a kind adds to the common page. */
export interface SpecialPart {
  kicker: Text;
  headline: string;
  tiles: Tile[];
  /** Before the sections. */
  parts?: (Section | null)[];
  /** After the sections. */
  more?: (Section | null)[];
  /** Views of sections, by title; null: a part shows it. */
  views?: Readonly<Record<string, readonly ViewColumn[] | null>>;
}

export type PartOf = (report: FindingsReport, reader: Reader) => SpecialPart;

/** The greatest confidence of some rows. */
export function confidenceTile(rows: readonly { confidence?: Cell }[], { formats }: Reader): Tile {
  const reported = rows.flatMap(({ confidence: one }) => (typeof one === 'number' ? [one] : []));
  const best = Math.max(...reported);
  const shown = best > 1 ? formats.decimal(best) : formats.share(best, 1);
  return {
    name: ['Greatest confidence', 'Maior confiança'],
    value: reported.length === 0 ? '–' : shown,
  };
}
