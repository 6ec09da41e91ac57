/** Applies the rules of an engine to a remittance, and rolls the outcome up to the cedente. */

import type { RemittanceRead, SacadoRead, TituloRead } from './cnab-reading';
import { isDocument, isNfeKey } from '../core/document-digits';
import type { InvoiceRead } from './invoice-reading';
import type { Rule, RuleId, RuleSet } from './rules';

export type EntityStatus = 'approved' | 'alerted' | 'blocked';

/** As the service shows it; all of `detail` is text. */
export interface Issue {
  ruleId: string;
  ruleName: string;
  category: string;
  status: 'blocked' | 'alerted';
  message: string;
  detail: { field: string; actual: string; expected: string; threshold: string };
  dataSource: string;
}

export interface TituloJudged {
  titulo: TituloRead;
  /** The key of the file, else that of the invoice found for it. */
  nfeKey: string;
  status: EntityStatus;
  issues: Issue[];
}

export interface SacadoJudged {
  sacado: SacadoRead;
  status: EntityStatus;
  issues: Issue[];
  titulos: TituloJudged[];
}

export interface Judgement {
  cedente: RemittanceRead['cedente'];
  status: EntityStatus;
  issues: Issue[];
  sacados: SacadoJudged[];
  summary: Summary;
}

export interface Summary {
  totalTitulos: number;
  approved: number;
  blocked: number;
  alerted: number;
  totalValue: number;
  approvedValue: number;
  blockedValue: number;
  alertedValue: number;
  sacados: { total: number; withIssues: number };
  cedente: { status: EntityStatus };
}

export interface Case {
  remittance: RemittanceRead;
  /** Null when the upload had no ZIP: the rules about XML then keep silent. */
  invoices: ReadonlyMap<string, InvoiceRead> | null;
  rules: RuleSet;
  /** YYYY-MM-DD: the day that dates are measured from. */
  today: string;
}

interface Finding {
  field: string;
  actual: string;
  expected: string;
  message: string;
  dataSource?: 'cnab' | 'nfe_xml';
}

export function judge(given: Case): Judgement {
  const { remittance } = given;
  const { document } = remittance.cedente;
  const issues = issuesOf(given.rules, (report) => {
    if (document !== '' && !isDocument(document)) report('documento_invalido', badDigits('cnpj'));
  });
  const sacados = judgeSacados(given);
  const status = worst(issues, sacados);
  return {
    cedente: remittance.cedente,
    status,
    issues,
    sacados,
    summary: summaryOf(sacados, status),
  };
}

function judgeSacados(given: Case): SacadoJudged[] {
  const titulos = groupBy(judgeTitulos(given), ({ titulo }) => titulo.sacado);
  const total = sumOfCents(given.remittance.titulos);
  return [...titulos].map(([sacado, own]) => {
    const issues = sacadoIssues(given.rules, sacado, own, total);
    return { sacado, titulos: own, issues, status: worst(issues, own) };
  });
}

function sacadoIssues(
  rules: RuleSet,
  sacado: SacadoRead,
  titulos: readonly TituloJudged[],
  total: number,
): Issue[] {
  const share = (sumOfCents(titulos.map(({ titulo }) => titulo)) / total) * 100;
  return issuesOf(rules, (report, threshold) => {
    if (!isDocument(sacado.document)) report('documento_invalido', badDigits('cnpjCpf'));
    const most = threshold('concentracao_sacado');
    if (share > most) {
      report('concentracao_sacado', {
        field: 'cnpjCpf',
        actual: share.toFixed(2),
        expected: `<= ${most}`,
        message: 'O sacado concentra valor demais do lote.',
      });
    }
  });
}

function badDigits(field: string): Finding {
  return {
    field,
    actual: 'digito verificador invalido',
    expected: 'digito verificador valido',
    message: 'O documento nao passa na conferencia dos digitos.',
  };
}

function judgeTitulos(given: Case): TituloJudged[] {
  const { titulos } = given.remittance;
  const find = invoiceFinder(given.invoices);
  const found = titulos.map((titulo) => ({ titulo, invoice: find(titulo) }));
  const sumByInvoice = new Map<InvoiceRead, number>();
  for (const { titulo, invoice } of found) {
    if (invoice) sumByInvoice.set(invoice, (sumByInvoice.get(invoice) ?? 0) + titulo.cents);
  }
  const seen = new Map<string, number>();
  return found.map(({ titulo, invoice }) => {
    const likeness = [titulo.sacado.document, titulo.numero, titulo.dueOn, titulo.cents].join('|');
    const first = seen.get(likeness);
    if (first === undefined) seen.set(likeness, titulo.line);
    const issues = issuesOf(given.rules, (report, threshold) => {
      judgeDueDate(titulo, given.today, report, threshold);
      judgeAmount(titulo, report, threshold);
      if (first !== undefined) report('titulo_duplicado', duplicate(titulo, first));
      judgeKey(titulo, invoice, given, report);
      if (invoice) {
        const sum = sumByInvoice.get(invoice) ?? 0;
        judgeInvoice(titulo, invoice, sum, given, report, threshold);
      }
    });
    return { titulo, nfeKey: titulo.nfeKey || (invoice?.key ?? ''), issues, status: worst(issues) };
  });
}

type Report = (id: RuleId, finding: Finding) => void;
type Threshold = (id: RuleId) => number;

function judgeDueDate(titulo: TituloRead, today: string, report: Report, threshold: Threshold) {
  const days = Math.round((Date.parse(titulo.dueOn) - Date.parse(today)) / 86_400_000);
  const field = 'dataVencimento';
  const actual = titulo.dueOn;
  if (!titulo.dueOn.includes('-')) {
    const message = 'O vencimento nao e uma data.';
    report('vencimento_ilegivel', { field, actual, expected: 'DDMMAA', message });
  } else if (days < 0) {
    const message = 'O titulo ja venceu.';
    report('titulo_vencido', { field, actual, expected: `>= ${today}`, message });
  } else if (days < threshold('vencimento_proximo')) {
    const least = threshold('vencimento_proximo');
    const message = 'O titulo vence em poucos dias.';
    report('vencimento_proximo', { field, actual, expected: `>= ${least} dias`, message });
  }
}

function judgeAmount(titulo: TituloRead, report: Report, threshold: Threshold) {
  const value = titulo.cents / 100;
  const actual = value.toFixed(2);
  const [least, most] = [threshold('valor_minimo'), threshold('valor_maximo')];
  if (value < least) {
    const message = 'O valor esta abaixo do minimo.';
    report('valor_minimo', { field: 'valor', actual, expected: `>= ${least}`, message });
  }
  if (value > most) {
    const message = 'O valor esta acima do maximo.';
    report('valor_maximo', { field: 'valor', actual, expected: `<= ${most}`, message });
  }
}

function duplicate(titulo: TituloRead, first: number): Finding {
  return {
    field: 'numero',
    actual: titulo.numero,
    expected: 'numero unico por sacado, vencimento e valor',
    message: `O titulo repete o da linha ${first}.`,
  };
}

function judgeKey(
  titulo: TituloRead,
  invoice: InvoiceRead | undefined,
  { invoices }: Case,
  report: Report,
) {
  const finding = { field: 'nfeChave', actual: titulo.nfeKey };
  if (titulo.nfeKey === '') {
    if (invoice) return;
    const message = 'O titulo nao traz chave de NF-e.';
    report('nfe_ausente', { ...finding, expected: '44 caracteres', message });
  } else if (!isNfeKey(titulo.nfeKey)) {
    const message = 'A chave da NF-e nao passa na conferencia.';
    report('nfe_chave_invalida', { ...finding, expected: 'chave valida', message });
  } else if (invoices !== null && !invoice) {
    const message = 'Nenhum XML do arquivo tem esta chave.';
    report('nfe_nao_encontrada', {
      ...finding,
      expected: 'um XML com a chave',
      message,
      dataSource: 'nfe_xml',
    });
  }
}

function judgeInvoice(
  titulo: TituloRead,
  invoice: InvoiceRead,
  sumOfTitulos: number,
  { remittance }: Case,
  report: Report,
  threshold: Threshold,
) {
  const dataSource = 'nfe_xml' as const;
  const cedente = remittance.cedente.document;
  if ((sumOfTitulos - invoice.cents) / 100 > threshold('nfe_valor_divergente')) {
    report('nfe_valor_divergente', {
      field: 'valor',
      actual: (sumOfTitulos / 100).toFixed(2),
      expected: `<= ${(invoice.cents / 100).toFixed(2)}`,
      message: 'Os titulos desta NF-e somam mais do que ela.',
      dataSource,
    });
  }
  if (cedente !== '' && invoice.issuer !== cedente) {
    report('nfe_emitente_divergente', {
      field: 'cnpj',
      actual: invoice.issuer,
      expected: cedente,
      message: 'A NF-e foi emitida por outro que nao o cedente.',
      dataSource,
    });
  }
  if (invoice.recipient !== titulo.sacado.document) {
    report('nfe_destinatario_divergente', {
      field: 'cnpjCpf',
      actual: invoice.recipient,
      expected: titulo.sacado.document,
      message: 'A NF-e foi emitida contra outro que nao o sacado.',
      dataSource,
    });
  }
}

/** By the key of the titulo; a titulo without one is matched by recipient and invoice number. */
function invoiceFinder(
  invoices: Case['invoices'],
): (titulo: TituloRead) => InvoiceRead | undefined {
  if (invoices === null) return () => undefined;
  const byNumber = new Map<string, InvoiceRead>();
  for (const invoice of invoices.values()) {
    byNumber.set(`${invoice.recipient}|${invoice.number}`, invoice);
  }
  return ({ nfeKey, numero, sacado }) => {
    if (nfeKey !== '') return invoices.get(nfeKey);
    // Instalments carry a suffix: 123/1, 123-A.
    const number = /^0*(\d+)/.exec(numero)?.[1] ?? '';
    return byNumber.get(`${sacado.document}|${number}`);
  };
}

/** Collects what the check reports; rules that are off, or not in the engine, report nothing. */
function issuesOf(rules: RuleSet, check: (report: Report, threshold: Threshold) => void): Issue[] {
  const issues: Issue[] = [];
  check(
    (id, finding) => {
      const rule = rules[id];
      if (rule?.enabled === true) issues.push(issueOf(rule, finding));
    },
    (id) => rules[id]?.threshold ?? Number.NaN,
  );
  return issues;
}

function issueOf(rule: Rule, { field, actual, expected, message, dataSource }: Finding): Issue {
  return {
    ruleId: rule.id,
    ruleName: rule.name,
    category: rule.severity,
    status: rule.severity === 'blocking' ? 'blocked' : 'alerted',
    message,
    detail: { field, actual, expected, threshold: rule.threshold?.toString() ?? '' },
    dataSource: dataSource ?? 'cnab',
  };
}

function worst(...groups: (readonly { status: EntityStatus }[])[]): EntityStatus {
  const has = (status: EntityStatus) =>
    groups.some((group) => group.some((each) => each.status === status));
  if (has('blocked')) return 'blocked';
  return has('alerted') ? 'alerted' : 'approved';
}

function summaryOf(sacados: readonly SacadoJudged[], status: EntityStatus): Summary {
  const counts = { approved: 0, blocked: 0, alerted: 0 };
  const cents = { approved: 0, blocked: 0, alerted: 0 };
  for (const { titulos } of sacados) {
    for (const { titulo, status: each } of titulos) {
      counts[each] += 1;
      cents[each] += titulo.cents;
    }
  }
  return {
    totalTitulos: counts.approved + counts.blocked + counts.alerted,
    ...counts,
    totalValue: (cents.approved + cents.blocked + cents.alerted) / 100,
    approvedValue: cents.approved / 100,
    blockedValue: cents.blocked / 100,
    alertedValue: cents.alerted / 100,
    sacados: {
      total: sacados.length,
      withIssues: sacados.filter((each) => each.status !== 'approved').length,
    },
    cedente: { status },
  };
}

function sumOfCents(titulos: readonly { cents: number }[]): number {
  return titulos.reduce((sum, { cents }) => sum + cents, 0);
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
