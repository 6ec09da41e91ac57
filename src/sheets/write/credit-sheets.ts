import type {
  AnalysedAssignor,
  AnalysedPayer,
  AnalysedReceivable,
  AnalysisIssue,
} from '../../domain/credit/analysis';
import type { CsvCell } from './csv-file';

interface ReceivableLine {
  assignor: AnalysedAssignor;
  payer: AnalysedPayer | undefined;
  receivable: AnalysedReceivable;
}

/** Published formats: add at the end only. */
const ofReceivable: Readonly<Record<string, (line: ReceivableLine) => CsvCell | undefined>> = {
  titulo_id: ({ receivable }) => receivable.id,
  numero: ({ receivable }) => receivable.number,
  valor: ({ receivable }) => receivable.value,
  data_vencimento: ({ receivable }) => receivable.dueOn,
  nfe_chave: ({ receivable }) => receivable.invoiceKey,
  status: ({ receivable }) => receivable.status,
  cedente_cnpj: ({ assignor }) => assignor.document,
  cedente_razao_social: ({ assignor }) => assignor.name,
  cedente_status: ({ assignor }) => assignor.status,
  sacado_cnpj_cpf: ({ payer }) => payer?.document,
  sacado_razao_social: ({ payer }) => payer?.name,
  sacado_tipo: ({ payer }) => payer?.kind,
  sacado_status: ({ payer }) => payer?.status,
  issue_count: ({ receivable }) => receivable.issues.length,
  issues: ({ receivable }) => receivable.issues.map(issueWords).join(' | '),
};

const ofIssue = {
  rule_id: 'ruleId',
  rule_name: 'ruleName',
  category: 'category',
  status: 'status',
  field: 'field',
  actual: 'actual',
  expected: 'expected',
  threshold: 'threshold',
  data_source: 'source',
  message: 'message',
} as const satisfies Record<string, keyof AnalysisIssue>;

export const receivableColumns: readonly string[] = Object.keys(ofReceivable);
export const issueColumns: readonly string[] = ['level', 'id', 'name', ...Object.keys(ofIssue)];

export function receivableCells(
  assignor: AnalysedAssignor,
  payer: AnalysedPayer | undefined,
  receivable: AnalysedReceivable,
): CsvCell[] {
  const line = { assignor, payer, receivable };
  return Object.values(ofReceivable).map((cell) => cell(line) ?? null);
}

export function issueCells(
  level: 'cedente' | 'sacado' | 'titulo',
  { id, name }: { id: string | null; name: string | null },
  issue: AnalysisIssue,
): CsvCell[] {
  return [level, id, name, ...Object.values(ofIssue).map((field) => issue[field])];
}

function issueWords({ ruleName, ruleId, status, message }: AnalysisIssue): string {
  return `${ruleName ?? ruleId ?? 'a rule'} (${status ?? '-'}): ${message ?? ''}`;
}
