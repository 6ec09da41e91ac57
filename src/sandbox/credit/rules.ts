/** The rules an engine can have, what `rules` of a request may say of them, and what they say of a file. */

import { z } from 'zod';
import { isDocument } from '../core/document-digits';
import { Refusal } from '../http/answer';
import type { TituloRead } from './remittance';

/** What is judged: a titulo, a sacado with its share of the file in %, or the cedente. */
interface Subject {
  titulo?: TituloRead;
  party?: { field: 'cnpj' | 'cnpjCpf'; document: string };
  share?: number;
}

export interface RuleContext {
  /** YYYY-MM-DD: the day that dates are measured from. */
  today: string;
  /** Null when the upload had no ZIP. */
  invoiceKeys: ReadonlySet<string> | null;
}

/** All of it text. */
type Finding = readonly [field: string, actual: string, expected: string, message: string];

interface RuleTerms {
  name: string;
  severity: 'blocking' | 'alert';
  /** What the rule measures against; null when there is nothing to set. */
  threshold: number | null;
  /** What it says when it speaks. */
  check: (subject: Subject, threshold: number, context: RuleContext) => Finding | false | undefined;
}

const reais = ({ cents }: TituloRead) => (cents / 100).toFixed(2);

const rules = {
  titulo_vencido: {
    name: 'Titulo vencido',
    severity: 'blocking',
    threshold: null,
    // What is no date has no hyphen.
    check: ({ titulo }, _, { today }) =>
      titulo?.dueOn.includes('-') &&
      titulo.dueOn < today && [
        'dataVencimento',
        titulo.dueOn,
        `>= ${today}`,
        'O titulo ja venceu.',
      ],
  },
  valor_minimo: {
    name: 'Valor minimo',
    severity: 'blocking',
    threshold: 10,
    check: ({ titulo }, least) =>
      titulo &&
      titulo.cents / 100 < least && ['valor', reais(titulo), `>= ${least}`, 'Abaixo do minimo.'],
  },
  valor_maximo: {
    name: 'Valor maximo',
    severity: 'blocking',
    threshold: 1_000_000,
    check: ({ titulo }, most) =>
      titulo &&
      titulo.cents / 100 > most && ['valor', reais(titulo), `<= ${most}`, 'Acima do maximo.'],
  },
  concentracao_sacado: {
    name: 'Concentracao por sacado (%)',
    severity: 'alert',
    threshold: 60,
    check: ({ share = 0 }, most) =>
      share > most && ['cnpjCpf', share.toFixed(2), `<= ${most}`, 'Valor demais num so sacado.'],
  },
  nfe_ausente: {
    name: 'Chave da NF-e ausente',
    severity: 'alert',
    threshold: null,
    check: ({ titulo }, _, { invoiceKeys }) =>
      titulo?.nfeKey === '' &&
      invoiceKeys === null && ['nfeChave', '', '44 caracteres', 'O titulo nao traz chave de NF-e.'],
  },
  nfe_nao_encontrada: {
    name: 'NF-e sem XML',
    severity: 'blocking',
    threshold: null,
    check: ({ titulo }, _, { invoiceKeys }) =>
      titulo &&
      titulo.nfeKey !== '' &&
      invoiceKeys?.has(titulo.nfeKey) === false && [
        'nfeChave',
        titulo.nfeKey,
        'um XML com a chave',
        'Nenhum XML do arquivo tem esta chave.',
      ],
  },
  documento_invalido: {
    name: 'Digitos do documento invalidos',
    severity: 'alert',
    threshold: null,
    check: ({ party }) =>
      party &&
      party.document !== '' &&
      !isDocument(party.document) && [
        party.field,
        'digito verificador invalido',
        'digito verificador valido',
        'O documento nao passa na conferencia dos digitos.',
      ],
  },
} as const satisfies Record<string, RuleTerms>;

type RuleId = keyof typeof rules;
export const ruleIds = Object.keys(rules) as RuleId[];

export interface Rule extends Pick<RuleTerms, 'name' | 'severity' | 'threshold'> {
  id: RuleId;
  enabled: boolean;
}
/** The rules of an engine: only those it names, in the order they came. */
export type RuleSet = Readonly<Partial<Record<RuleId, Rule>>>;

/** `rules` of a request: settings by the id of a rule. An array is no such object. */
export const ruleSettings = z.record(
  z.string(),
  z.strictObject({
    enabled: z.boolean().optional(),
    severity: z.enum(['blocking', 'alert']).optional(),
    threshold: z.number().min(0).optional(),
  }),
);
export type RuleSettings = z.output<typeof ruleSettings>;

/**
 * The rules with settings laid over them. A rule that was not there is added, with the severity and
 * threshold of its kind.
 * @throws Refusal 422 for a rule that does not exist, or a threshold where there is none
 */
export function withSettings(current: RuleSet, settings: RuleSettings): RuleSet {
  const changed: Partial<Record<RuleId, Rule>> = { ...current };
  for (const [id, setting] of Object.entries(settings)) {
    if (!isRuleId(id)) throw new Refusal(422, 'unknown_rule', `There is no rule ${id}.`);
    const { name, severity, threshold }: RuleTerms = rules[id];
    if (setting.threshold !== undefined && threshold === null) {
      throw new Refusal(422, 'no_threshold', `The rule ${id} has no threshold.`);
    }
    const before = changed[id] ?? { id, name, severity, threshold, enabled: true };
    changed[id] = {
      ...before,
      enabled: setting.enabled ?? before.enabled,
      severity: setting.severity ?? before.severity,
      threshold: setting.threshold ?? before.threshold,
    };
  }
  return changed;
}

function isRuleId(id: string): id is RuleId {
  return Object.hasOwn(rules, id);
}

/** What the rules say of it, as the service shows it; those that are off say nothing. */
export function issuesOf(set: RuleSet, subject: Subject, context: RuleContext) {
  return Object.values(set).flatMap(({ id, enabled, name, severity, threshold }) => {
    const { check }: RuleTerms = rules[id];
    const finding = enabled && check(subject, threshold ?? 0, context);
    if (!finding) return [];
    const [field, actual, expected, message] = finding;
    return {
      ruleId: id,
      ruleName: name,
      category: severity,
      status: severity === 'blocking' ? 'blocked' : 'alerted',
      message,
      detail: { field, actual, expected, threshold: threshold?.toString() ?? '' },
      dataSource: id === 'nfe_nao_encontrada' ? 'nfe_xml' : 'cnab',
    };
  });
}
