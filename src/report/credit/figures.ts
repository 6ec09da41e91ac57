import type {
  AnalysedAssignor,
  AnalysedPayer,
  AnalysedReceivable,
  AnalysisIssue,
} from '../../domain/credit/analysis';
import { maskDocument } from '../../domain/core/documents/documents';
import { withoutKeys } from '../../domain/cnab/invoice-key';
import { maskTextOfPeople } from '../../protection/redaction';

/** More would slow a browser down; the sheets have all. */
const mostIssues = 500;
const mostPayers = 10;
/** Rules and months beyond these are counted together. */
const mostKinds = 200;

/** One issue with its subject, masked. */
export interface ReportedIssue {
  /** `cedente`, `sacado`, or `titulo`. */
  level: string;
  name: string;
  payer: string | null;
  value: number | null;
  rule: string;
  status: string | null;
  field: string | null;
  actual: string | null;
  expected: string | null;
  threshold: string | null;
  message: string | null;
}

export interface PayerFigures {
  /** Masked. */
  name: string;
  document: string;
  status: string;
  receivables: number;
  /** Reais. */
  value: number;
}

export interface RuleFigures {
  rule: string;
  blocked: number;
  alerted: number;
  other: number;
}

/** Figures of an analysis besides its own summary. */
export interface AnalysisFigures {
  /** The largest first. */
  payers: PayerFigures[];
  /** Payers beyond those. */
  otherPayers: { count: number; value: number };
  /** Reais of all titulos with a value. */
  value: number;
  /** By `2031-01`, in order; '' without a date. */
  due: { month: string; count: number; value: number }[];
  rules: RuleFigures[];
  issues: ReportedIssue[];
  /** Issues beyond those. */
  moreIssues: number;
}

/** Sums an analysis while it is read: memory grows with payers, not with titulos. */
export class AnalysisFold {
  readonly #payers = new Map<number, PayerFigures>();
  readonly #due = new Map<string, { count: number; value: number }>();
  readonly #rules = new Map<string, RuleFigures>();
  readonly #issues: ReportedIssue[] = [];
  #allIssues = 0;
  #value = 0;

  assignor({ issues, name }: AnalysedAssignor): void {
    const about = { level: 'cedente', name: masked(name ?? '–'), payer: null, value: null };
    for (const issue of issues) this.#addIssue(issue, about);
  }

  payer({ document, issues, name, status }: AnalysedPayer, index: number): void {
    const shown = masked(name ?? '–');
    const shownDocument = document === null ? '–' : maskDocument(document);
    const figures = { name: shown, document: shownDocument, status, receivables: 0, value: 0 };
    this.#payers.set(index, figures);
    const about = { level: 'sacado', name: shown, payer: shownDocument, value: null };
    for (const issue of issues) this.#addIssue(issue, about);
  }

  receivable({ dueOn, issues, number, value }: AnalysedReceivable, index: number): void {
    const payer = this.#payers.get(index);
    const cents = Math.round((value ?? 0) * 100);
    this.#value += cents;
    if (payer !== undefined) {
      payer.receivables += 1;
      payer.value += cents;
    }
    const month = /^\d{4}-\d\d/.exec(dueOn ?? '')?.[0] ?? '';
    const known = this.#due.has(month) || this.#due.size < mostKinds ? month : '';
    const due = this.#due.get(known) ?? { count: 0, value: 0 };
    this.#due.set(known, { count: due.count + 1, value: due.value + cents });
    const about = { level: 'titulo', name: number ?? '–', payer: payer?.name ?? null, value };
    for (const issue of issues) this.#addIssue(issue, about);
  }

  figures(): AnalysisFigures {
    const payers = [...this.#payers.values()].sort((a, b) => b.value - a.value);
    const others = payers.slice(mostPayers);
    return {
      payers: payers.slice(0, mostPayers).map((one) => ({ ...one, value: one.value / 100 })),
      otherPayers: {
        count: others.length,
        value: others.reduce((sum, { value }) => sum + value, 0) / 100,
      },
      value: this.#value / 100,
      due: [...this.#due]
        .map(([month, { count, value }]) => ({ month, count, value: value / 100 }))
        .sort((a, b) => a.month.localeCompare(b.month)),
      rules: [...this.#rules.values()].sort((a, b) => firings(b) - firings(a)),
      issues: this.#issues,
      moreIssues: this.#allIssues - this.#issues.length,
    };
  }

  #addIssue(
    { actual, expected, field, message, ruleId, ruleName, status, threshold }: AnalysisIssue,
    about: Pick<ReportedIssue, 'level' | 'name' | 'payer' | 'value'>,
  ): void {
    const rule = ruleName ?? ruleId ?? '–';
    const name = this.#rules.has(rule) || this.#rules.size < mostKinds ? rule : '…';
    const fired = this.#rules.get(name) ?? { rule: name, blocked: 0, alerted: 0, other: 0 };
    this.#rules.set(name, fired);
    fired[status === 'blocked' || status === 'alerted' ? status : 'other'] += 1;
    this.#allIssues += 1;
    if (this.#issues.length === mostIssues) return;
    const texts = [actual, expected, threshold, message];
    const [shownActual = null, shownExpected = null, shownThreshold = null, shownMessage = null] =
      texts.map((text) => (text === null ? null : masked(text)));
    this.#issues.push({
      ...about,
      rule,
      status,
      field,
      actual: shownActual,
      expected: shownExpected,
      threshold: shownThreshold,
      message: shownMessage,
    });
  }
}

export function firings({ alerted, blocked, other }: RuleFigures): number {
  return alerted + blocked + other;
}

/** Masks documents that people typed into names and messages. */
export function masked(text: string): string {
  return withoutKeys(maskTextOfPeople(text));
}
