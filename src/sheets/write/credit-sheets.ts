import type {
  AnalysedAssignor,
  AnalysedPayer,
  AnalysedReceivable,
  AnalysisIssue,
} from '../../domain/credit/analysis';
import type { CsvCell } from './csv-file';

/** Published formats: add at the end only. */
export const receivableColumns = [
  'titulo_id',
  'numero',
  'valor',
  'data_vencimento',
  'nfe_chave',
  'status',
  'cedente_cnpj',
  'cedente_razao_social',
  'cedente_status',
  'sacado_cnpj_cpf',
  'sacado_razao_social',
  'sacado_tipo',
  'sacado_status',
  'issue_count',
  'issues',
] as const;

export const issueColumns = [
  'level',
  'id',
  'name',
  'rule_id',
  'rule_name',
  'category',
  'status',
  'field',
  'actual',
  'expected',
  'threshold',
  'data_source',
  'message',
] as const;

export function receivableCells(
  assignor: AnalysedAssignor,
  payer: AnalysedPayer | undefined,
  { id, number, value, dueOn, invoiceKey, status, issues }: AnalysedReceivable,
): CsvCell[] {
  return [
    id,
    number,
    value,
    dueOn,
    invoiceKey,
    status,
    assignor.document,
    assignor.name,
    assignor.status,
    payer?.document ?? null,
    payer?.name ?? null,
    payer?.kind ?? null,
    payer?.status ?? null,
    issues.length,
    issues.map(issueWords).join(' | '),
  ];
}

export function issueCells(
  level: 'cedente' | 'sacado' | 'titulo',
  { id, name }: { id: string | null; name: string | null },
  issue: AnalysisIssue,
): CsvCell[] {
  const { ruleId, ruleName, category, status, field, actual, expected, threshold } = issue;
  return [
    level,
    id,
    name,
    ruleId,
    ruleName,
    category,
    status,
    field,
    actual,
    expected,
    threshold,
    issue.source,
    issue.message,
  ];
}

function issueWords({ ruleName, ruleId, status, message }: AnalysisIssue): string {
  return `${ruleName ?? ruleId ?? 'a rule'} (${status ?? '-'}): ${message ?? ''}`;
}
