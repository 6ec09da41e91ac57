/** Applies the rules of an engine to a remittance, and rolls the outcome up to the cedente. */

import type { RemittanceRead, SacadoRead, TituloRead } from './cnab-reading';
import { isDocument, isNfeKey } from '../core/document-digits';
import type { InvoiceRead } from './invoice-reading';
import type { EntityStatus, Issue, RuleId, RuleSet } from './rules';

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

/** Puts an issue on record, where the engine has the rule and it is on. `expected` is text, as all of it. */
type Report = (
  id: RuleId,
  field: string,
  actual: string,
  expected: string,
  message: string,
  dataSource?: 'cnab' | 'nfe_xml',
) => void;
type Threshold = (id: RuleId) => number;

export function judge(given: Case): Judgement {
  const { remittance } = given;
  const { document } = remittance.cedente;
  const issues = issuesOf(given.rules, (report) => {
    if (document !== '' && !isDocument(document)) reportDigits(report, 'cnpj');
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
  const titulos = new Map<SacadoRead, TituloJudged[]>();
  for (const judged of judgeTitulos(given)) {
    const own = titulos.get(judged.titulo.sacado);
    if (own === undefined) titulos.set(judged.titulo.sacado, [judged]);
    else own.push(judged);
  }
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
    if (!isDocument(sacado.document)) reportDigits(report, 'cnpjCpf');
    const most = threshold('concentracao_sacado');
    if (share > most) {
      const message = 'O sacado concentra valor demais do lote.';
      report('concentracao_sacado', 'cnpjCpf', share.toFixed(2), `<= ${most}`, message);
    }
  });
}

function reportDigits(report: Report, field: string): void {
  const [actual, expected] = ['digito verificador invalido', 'digito verificador valido'];
  const message = 'O documento nao passa na conferencia dos digitos.';
  report('documento_invalido', field, actual, expected, message);
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
      if (first !== undefined) {
        const expected = 'numero unico por sacado, vencimento e valor';
        const message = `O titulo repete o da linha ${first}.`;
        report('titulo_duplicado', 'numero', titulo.numero, expected, message);
      }
      judgeKey(titulo, invoice, given, report);
      if (invoice) {
        const sum = sumByInvoice.get(invoice) ?? 0;
        judgeInvoice(titulo, invoice, sum, given, report, threshold);
      }
    });
    return { titulo, nfeKey: titulo.nfeKey || (invoice?.key ?? ''), issues, status: worst(issues) };
  });
}

function judgeDueDate({ dueOn }: TituloRead, today: string, report: Report, threshold: Threshold) {
  const days = Math.round((Date.parse(dueOn) - Date.parse(today)) / 86_400_000);
  const least = threshold('vencimento_proximo');
  const field = 'dataVencimento';
  if (!dueOn.includes('-')) {
    report('vencimento_ilegivel', field, dueOn, 'DDMMAA', 'O vencimento nao e uma data.');
  } else if (days < 0) {
    report('titulo_vencido', field, dueOn, `>= ${today}`, 'O titulo ja venceu.');
  } else if (days < least) {
    const message = 'O titulo vence em poucos dias.';
    report('vencimento_proximo', field, dueOn, `>= ${least} dias`, message);
  }
}

function judgeAmount({ cents }: TituloRead, report: Report, threshold: Threshold) {
  const actual = reais(cents);
  const [least, most] = [threshold('valor_minimo'), threshold('valor_maximo')];
  if (cents / 100 < least) {
    report('valor_minimo', 'valor', actual, `>= ${least}`, 'O valor esta abaixo do minimo.');
  }
  if (cents / 100 > most) {
    report('valor_maximo', 'valor', actual, `<= ${most}`, 'O valor esta acima do maximo.');
  }
}

const reais = (cents: number) => (cents / 100).toFixed(2);

function judgeKey(
  { nfeKey }: TituloRead,
  invoice: InvoiceRead | undefined,
  { invoices }: Case,
  report: Report,
) {
  const field = 'nfeChave';
  if (nfeKey === '') {
    if (invoice) return;
    report('nfe_ausente', field, nfeKey, '44 caracteres', 'O titulo nao traz chave de NF-e.');
  } else if (!isNfeKey(nfeKey)) {
    const message = 'A chave da NF-e nao passa na conferencia.';
    report('nfe_chave_invalida', field, nfeKey, 'chave valida', message);
  } else if (invoices !== null && !invoice) {
    const message = 'Nenhum XML do arquivo tem esta chave.';
    report('nfe_nao_encontrada', field, nfeKey, 'um XML com a chave', message, 'nfe_xml');
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
  const { document: cedente } = remittance.cedente;
  const { document: sacado } = titulo.sacado;
  if ((sumOfTitulos - invoice.cents) / 100 > threshold('nfe_valor_divergente')) {
    const [actual, expected] = [reais(sumOfTitulos), `<= ${reais(invoice.cents)}`];
    const message = 'Os titulos desta NF-e somam mais do que ela.';
    report('nfe_valor_divergente', 'valor', actual, expected, message, 'nfe_xml');
  }
  if (cedente !== '' && invoice.issuer !== cedente) {
    const message = 'A NF-e foi emitida por outro que nao o cedente.';
    report('nfe_emitente_divergente', 'cnpj', invoice.issuer, cedente, message, 'nfe_xml');
  }
  if (invoice.recipient !== sacado) {
    const message = 'A NF-e foi emitida contra outro que nao o sacado.';
    report('nfe_destinatario_divergente', 'cnpjCpf', invoice.recipient, sacado, message, 'nfe_xml');
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
  const report: Report = (id, field, actual, expected, message, dataSource = 'cnab') => {
    const rule = rules[id];
    if (rule?.enabled !== true) return;
    issues.push({
      ruleId: id,
      ruleName: rule.name,
      category: rule.severity,
      status: rule.severity === 'blocking' ? 'blocked' : 'alerted',
      message,
      detail: { field, actual, expected, threshold: rule.threshold?.toString() ?? '' },
      dataSource,
    });
  };
  check(report, (id) => rules[id]?.threshold ?? Number.NaN);
  return issues;
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
