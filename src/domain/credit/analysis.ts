/**
 * The result of an analysis: an assignor (cedente), its payers (sacados), their receivables
 * (titulos). Statuses and categories are the service's words: `approved`, `blocked` and `alerted` are
 * known, others pass as they are. Null: absent.
 */
export interface Analysis extends AnalysisHead {
  assignor: AnalysedAssignor;
}

export interface AnalysisHead {
  operationId: string | null;
  engineId: string | null;
  engineName: string | null;
  timestamp: string | null;
  summary: AnalysisSummary;
}

export interface AnalysedAssignor {
  id: string | null;
  document: string | null;
  name: string | null;
  status: string;
  issues: AnalysisIssue[];
}

export interface AnalysedPayer {
  id: string | null;
  document: string | null;
  name: string | null;
  /** `PJ` for a company. */
  kind: string | null;
  status: string;
  issues: AnalysisIssue[];
}

export interface AnalysedReceivable {
  id: string | null;
  number: string | null;
  /** In reais. */
  value: number | null;
  dueOn: string | null;
  invoiceKey: string | null;
  status: string;
  issues: AnalysisIssue[];
}

export interface AnalysisIssue {
  ruleId: string | null;
  ruleName: string | null;
  category: string | null;
  status: string | null;
  message: string | null;
  field: string | null;
  actual: string | null;
  expected: string | null;
  threshold: string | null;
  source: string | null;
}

/** Counts of receivables, and sums in reais. */
export interface AnalysisSummary {
  receivables: number | null;
  approved: number | null;
  blocked: number | null;
  alerted: number | null;
  totalValue: number | null;
  approvedValue: number | null;
  blockedValue: number | null;
  alertedValue: number | null;
  payers: number | null;
  payersWithIssues: number | null;
  assignorStatus: string | null;
}
