import { withoutKeys } from '../../domain/cnab/invoice-key';
import { maskDocument } from '../../domain/core/documents/documents';
import type {
  AnalysedAssignor,
  AnalysedPayer,
  AnalysedReceivable,
  AnalysisIssue,
} from '../../domain/credit/analysis';
import { maskTextOfPeople } from '../../protection/redaction';

/** More would slow a browser down; the sheets have all. */
const mostIssues = 500;
/** Rules and months beyond these are counted together. */
const mostKinds = 200;

/** One issue with what it is about, masked. */
interface ReportedIssue extends AnalysisIssue {
  level: 'cedente' | 'sacado' | 'titulo';
  name: string;
  payer: string | null;
  value: number | null;
  rule: string;
}

interface FiredRule {
  rule: string;
  blocked: number;
  alerted: number;
  other: number;
}

/** Of an analysis while it is read: memory grows with payers, not with titulos. Amounts are in reais. */
export class AnalysisFigures {
  readonly #payers = new Map<
    number,
    { name: string; document: string; status: string; receivables: number; value: number }
  >();
  readonly #due = new Map<string, { count: number; value: number }>();
  readonly #rules = new Map<string, FiredRule>();
  readonly issues: ReportedIssue[] = [];
  allIssues = 0;

  assignor({ issues, name }: AnalysedAssignor): void {
    const about = {
      level: 'cedente',
      name: masked(name ?? '–'),
      payer: null,
      value: null,
    } as const;
    for (const issue of issues) this.#addIssue(issue, about);
  }

  payer({ document, issues, name, status }: AnalysedPayer, index: number): void {
    const payer = document === null ? '–' : maskDocument(document);
    const shown = masked(name ?? '–');
    this.#payers.set(index, { name: shown, document: payer, status, receivables: 0, value: 0 });
    for (const issue of issues)
      this.#addIssue(issue, { level: 'sacado', name: shown, payer, value: null });
  }

  receivable({ dueOn, issues, number, value }: AnalysedReceivable, index: number): void {
    const payer = this.#payers.get(index);
    if (payer !== undefined) {
      payer.receivables += 1;
      payer.value = exactSum(payer.value, value);
    }
    const month = /^\d{4}-\d\d/.exec(dueOn ?? '')?.[0] ?? '';
    const known = this.#due.has(month) || this.#due.size < mostKinds ? month : '';
    const due = this.#due.get(known) ?? { count: 0, value: 0 };
    this.#due.set(known, { count: due.count + 1, value: exactSum(due.value, value) });
    const about = { level: 'titulo', name: masked(number ?? '–'), value } as const;
    for (const issue of issues) this.#addIssue(issue, { ...about, payer: payer?.name ?? null });
  }

  /** The largest first. */
  get payers() {
    return [...this.#payers.values()].sort((a, b) => b.value - a.value);
  }

  /** By `2031-01`, in order; '' without a date. */
  get due(): { month: string; count: number; value: number }[] {
    const months = [...this.#due].map(([month, sums]) => ({ month, ...sums }));
    return months.sort((a, b) => a.month.localeCompare(b.month));
  }

  get rules(): FiredRule[] {
    return [...this.#rules.values()].sort((a, b) => firings(b) - firings(a));
  }

  #addIssue(
    issue: AnalysisIssue,
    about: Pick<ReportedIssue, 'level' | 'name' | 'payer' | 'value'>,
  ): void {
    const { ruleId, ruleName, status } = issue;
    const rule = masked(ruleName ?? ruleId ?? '–');
    const name = this.#rules.has(rule) || this.#rules.size < mostKinds ? rule : '…';
    const fired = this.#rules.get(name) ?? { rule: name, blocked: 0, alerted: 0, other: 0 };
    this.#rules.set(name, fired);
    fired[status === 'blocked' || status === 'alerted' ? status : 'other'] += 1;
    this.allIssues += 1;
    if (this.issues.length < mostIssues) this.issues.push({ ...issue, ...about, rule });
  }
}

export function firings({ alerted, blocked, other }: FiredRule): number {
  return alerted + blocked + other;
}

/** Masks documents that people typed into names and messages. */
export function masked(text: string): string {
  return withoutKeys(maskTextOfPeople(text));
}

function exactSum(sum: number, value: number | null): number {
  return Math.round(sum * 100 + (value ?? 0) * 100) / 100;
}
