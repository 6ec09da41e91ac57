import type { Words } from '../job';

/** `block`: not sent. `override`: not sent unless a person forces it and says why. `warn`: told. */
export type FindingLevel = 'block' | 'override' | 'warn';

/** 1-based and inclusive, as the manuals of the banks count. */
export type Columns = readonly [from: number, to: number];

/** One thing found in an input file. Holds no document, key or name of a person in full. */
export interface Finding<Code extends string = string> extends FoundWords {
  level: FindingLevel;
  code: Code;
  /** Physical line, from 1; null when it is the file as a whole, or an entry of a ZIP. */
  line: number | null;
  columns: Columns | null;
  /** Name of the entry in the ZIP; null for the CNAB file and for the ZIP as a whole. */
  entry: string | null;
  portuguese: FoundWords;
}

/** In English, but for readers of Portuguese. */
interface FoundWords {
  found: string;
  expected: string;
  sentence: string;
}

export interface Check {
  level: FindingLevel;
  expected: Words;
  sentence: Words;
}

const checkOf =
  (level: FindingLevel) =>
  (expected: string, esperado: string, sentence: string, frase: string): Check => ({
    level,
    expected: [expected, esperado],
    sentence: [sentence, frase],
  });
export const block = checkOf('block');
export const override = checkOf('override');
export const warn = checkOf('warn');

export interface FindingPosition {
  line?: number;
  columns?: Columns;
  entry?: string;
}

export const nothingFound: Words = ['nothing', 'nada'];

/** The same in every language, or in each. A text that nobody sees is not written: it may be made when it is needed. */
export type Found = string | Words | (() => string | Words);

function inLanguage(found: Found, at: 0 | 1): string {
  const text = typeof found === 'function' ? found() : found;
  return typeof text === 'string' ? text : text[at];
}

export class FindingCollector<Code extends string> {
  readonly #checks: Readonly<Record<Code, Check>>;
  readonly #mostPerCode: number;
  readonly #counts = new Map<Code, number>();
  readonly #kept: Finding<Code>[] = [];

  constructor(checks: Readonly<Record<Code, Check>>, mostPerCode: number) {
    this.#checks = checks;
    this.#mostPerCode = mostPerCode;
  }

  add(code: Code, found: Found, position: FindingPosition = {}, expected?: Found): void {
    const counted = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, counted);
    if (counted > this.#mostPerCode) return;
    const check = this.#checks[code];
    const words = (at: 0 | 1): FoundWords => ({
      found: inLanguage(found, at),
      expected: inLanguage(expected ?? check.expected, at),
      sentence: check.sentence[at],
    });
    const { columns = null, entry = null, line = null } = position;
    const place = { line, columns, entry };
    this.#kept.push({ level: check.level, code, ...place, ...words(0), portuguese: words(1) });
  }

  has(code: Code): boolean {
    return this.#counts.has(code);
  }

  list(keeps: (code: Code) => boolean = () => true): Finding<Code>[] {
    return this.#kept
      .filter(({ code }) => keeps(code))
      .toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
  }

  counts(keeps: (code: Code) => boolean = () => true): Partial<Record<Code, number>> {
    const kept = [...this.#counts].filter(([code]) => keeps(code));
    return Object.fromEntries(kept) as Partial<Record<Code, number>>;
  }
}

/** The level that decides: null when nothing was found. */
export function worstLevel(findings: readonly Finding[]): FindingLevel | null {
  const order = ['block', 'override', 'warn'] as const;
  return order.find((level) => findings.some((finding) => finding.level === level)) ?? null;
}
