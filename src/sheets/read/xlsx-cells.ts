import { columnLetters, type CellFault } from './row-source';

/** A cell that cannot be a document or an address, and its text for other columns. */
export interface OddCell {
  kind: 'date' | 'boolean' | 'fraction' | 'error' | 'not_calculated';
  text: string;
}

/** A number as the file writes it: its digits matter. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

// A number that was entered as 1.12223E+13 has lost its last digits. One that a program wrote
// that way (1.1222333000181E13) has lost only zeros at the end.
const mostZerosAtEnd = 2;
const longestShown = 15;

/** The reader's value of a cell as text; '' for an empty one. */
export function readCell(value: unknown): string | OddCell {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof NumberText) return readNumber(value.text.trim());
  if (value instanceof Date) return { kind: 'date', text: dateText(value) };
  return { kind: 'boolean', text: value === true ? 'TRUE' : 'FALSE' };
}

function readNumber(written: string): string | OddCell {
  if (/^\d+$/.test(written)) return written;
  const value = Number(written);
  if (!Number.isFinite(value)) return { kind: 'error', text: written };
  if (!Number.isInteger(value) || value < 0) {
    // As many digits as a spreadsheet shows: 0.3, not 0.30000000000000004.
    return { kind: 'fraction', text: String(Number(value.toPrecision(longestShown))) };
  }
  return hasLostDigits(written, String(value)) ? written : String(value);
}

function hasLostDigits(written: string, digits: string): boolean {
  if (!/e/i.test(written) || digits.length < 9) return false;
  const mantissa = written
    .replace(/e.*$/i, '')
    .replace('.', '')
    .replace(/^0+|0+$/g, '');
  return digits.length - mantissa.length > mostZerosAtEnd;
}

function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '(date)';
  // Fractions of a day are not exact seconds.
  const rounded = new Date(Math.round(date.getTime() / 1_000) * 1_000);
  const [day = '', time = ''] = rounded.toISOString().split('T');
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 8)}`;
}

const sentences: Readonly<Record<OddCell['kind'], string>> = {
  date: 'is a date: write it as text',
  boolean: 'is true or false: write it as text',
  fraction: 'is a number with decimal places or a sign: write it as text',
  error: 'is an error: mend its formula, or write the value as text',
  not_calculated:
    'is a formula that was never worked out: open and save the file in a spreadsheet program',
};

export function faultOf({ kind }: OddCell, line: number, at: number): CellFault {
  const code = kind === 'fraction' ? 'unexpected_character' : 'unexpected_cell';
  return { code, message: `The cell ${columnLetters(at)}${line} ${sentences[kind]}.` };
}
