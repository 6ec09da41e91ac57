import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Findings } from '../../domain/core/findings';
import type { JobKind } from '../../domain/job';
import type { Html } from '../html';
import type { EvidenceFile, Tile } from '../parts';
import type { Reader } from '../reader';
import { billingWord } from '../words';
import type { Picture } from './picture';
import type { SectionView } from './section';

/** What a job found, with how it ended: all that a page about it is made of. */
export interface FindingsReport {
  kind: JobKind;
  id: string;
  /** What it is about, masked. */
  subject: string;
  status: string;
  needsAttention: boolean;
  label: string | null;
  createdBy: string;
  /** ISO 8601. */
  createdAt: string;
  settledAt: string;
  findings: Findings;
  /** As its kind has it: read by the part that tells what is special of the kind. */
  outcome: unknown;
  error: { code: string | null; message: string } | null;
  cost: readonly BillingTotal[];
  files: readonly EvidenceFile[];
  /** What was sent to be looked at; null: none, or it cannot be shown. */
  picture: Picture | null;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** What a kind adds to the page that all share. */
export interface SpecialPart {
  kicker: string;
  headline: string;
  tiles: Tile[];
  /** Before the sections. */
  parts?: (Html | null)[];
  /** Behind them. */
  more?: (Html | null)[];
  /** How sections are shown, by their titles; null: a part shows it. */
  views?: Readonly<Record<string, SectionView | null>>;
}

/** What is special of a kind. */
export type PartOf = (report: FindingsReport, reader: Reader) => SpecialPart;

/** As the service reported it; nothing is added to it. */
export function costWords(
  cost: readonly BillingTotal[],
  { count: counted, formats, language, say }: Reader,
): Pick<Tile, 'value' | 'note'> {
  // What was charged first.
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
