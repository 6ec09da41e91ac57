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

/** Amounts are in reais. */
export interface AnalysisFigures {
  /** The largest first. */
  payers: { name: string; document: string; status: string; receivables: number; value: number }[];
  /** By `2031-01`, in order; '' without a date. */
  due: { month: string; count: number; value: number }[];
  rules: { rule: string; blocked: number; alerted: number; other: number }[];
  issues: ReportedIssue[];
  allIssues: number;
}

/** Sums an analysis while it is read: memory grows with payers, not with titulos. Values are in cents. */
export class AnalysisFold {
  readonly #payers = new Map<number, AnalysisFigures['payers'][number]>();
  readonly #due = new Map<string, { count: number; value: number }>();
  readonly #rules = new Map<string, AnalysisFigures['rules'][number]>();
  readonly #issues: ReportedIssue[] = [];
  #allIssues = 0;

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
    const cents = Math.round((value ?? 0) * 100);
    if (payer !== undefined) {
      payer.receivables += 1;
      payer.value += cents;
    }
    const month = /^\d{4}-\d\d/.exec(dueOn ?? '')?.[0] ?? '';
    const known = this.#due.has(month) || this.#due.size < mostKinds ? month : '';
    const due = this.#due.get(known) ?? { count: 0, value: 0 };
    this.#due.set(known, { count: due.count + 1, value: due.value + cents });
    const about = { level: 'titulo', name: masked(number ?? '–'), value } as const;
    for (const issue of issues) this.#addIssue(issue, { ...about, payer: payer?.name ?? null });
  }

  figures(): AnalysisFigures {
    return {
      payers: [...this.#payers.values()]
        .map((one) => ({ ...one, value: one.value / 100 }))
        .sort((a, b) => b.value - a.value),
      due: [...this.#due]
        .map(([month, { count, value }]) => ({ month, count, value: value / 100 }))
        .sort((a, b) => a.month.localeCompare(b.month)),
      rules: [...this.#rules.values()].sort((a, b) => firings(b) - firings(a)),
      issues: this.#issues,
      allIssues: this.#allIssues,
    };
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
    this.#allIssues += 1;
    if (this.#issues.length < mostIssues) this.#issues.push({ ...issue, ...about, rule });
  }
}

export function firings({ alerted, blocked, other }: AnalysisFigures['rules'][number]): number {
  return alerted + blocked + other;
}

/** Masks documents that people typed into names and messages. */
export function masked(text: string): string {
  return withoutKeys(maskTextOfPeople(text));
}
