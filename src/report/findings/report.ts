import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Findings } from '../../domain/core/findings';
import type { JobKind } from '../../domain/job';
import type { Html } from '../html';
import type { EvidenceFile, Tile } from '../parts';
import type { Reader } from '../reader';
import { billingWord } from '../words';
import type { Picture } from './picture';
import type { SectionView } from './section';

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
  kicker: string;
  headline: string;
  tiles: Tile[];
  /** Before the sections. */
  parts?: (Html | null)[];
  /** After the sections. */
  more?: (Html | null)[];
  /** Views of sections, by title; null: a part shows it. */
  views?: Readonly<Record<string, SectionView | null>>;
}

export type PartOf = (report: FindingsReport, reader: Reader) => SpecialPart;

/** As the service reported it, unchanged. */
export function costWords(
  cost: readonly BillingTotal[],
  { count: counted, formats, language, say }: Reader,
): Pick<Tile, 'value' | 'note'> {
  // Charged amounts first.
  const [first, ...more] = [...cost].sort((a, b) => (b.amount ?? 0) - (a.amount ?? 0));
  if (first === undefined) {
    const note = say('the service reports none', 'o serviço não informa');
    return { value: say('not reported', 'não informado'), note };
  }
  const words = ({ amount, count, status, unit }: BillingTotal): [string, string] => {
    if (unit === 'answer')
      return [counted(count, ['answer', 'answers'], ['resposta', 'respostas']), ''];
    const reported = amount === null ? formats.number(count) : formats.decimal(amount);
    return [
      `${reported} ${unit ?? ''}`.trim(),
      status === null ? '' : billingWord(status, language),
    ];
  };
  const [value, note] = words(first);
  return { value, note: [note, ...more.flatMap(words)].filter((one) => one !== '').join(', ') };
}
