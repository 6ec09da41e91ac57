/** The rules an engine can have, and what `rules` of a request may say of them. */

import { z } from 'zod';
import { Refusal } from '../http/refusal';

export type Severity = 'blocking' | 'alert';

export interface Rule {
  id: RuleId;
  name: string;
  severity: Severity;
  enabled: boolean;
  /** What the rule measures against; null when there is nothing to set. */
  threshold: number | null;
}

export type EntityStatus = 'approved' | 'alerted' | 'blocked';

/** What a rule says, as the service shows it; all of `detail` is text. */
export interface Issue {
  ruleId: string;
  ruleName: string;
  category: string;
  status: 'blocked' | 'alerted';
  message: string;
  detail: { field: string; actual: string; expected: string; threshold: string };
  dataSource: string;
}

type RuleTerms = Omit<Rule, 'id'>;

function rule(name: string, severity: Severity, threshold: number | null = null): RuleTerms {
  return { name, severity, enabled: true, threshold };
}

const ruleTerms = {
  titulo_vencido: rule('Titulo vencido', 'blocking'),
  vencimento_proximo: rule('Vencimento proximo (dias)', 'alert', 3),
  vencimento_ilegivel: rule('Vencimento ilegivel', 'blocking'),
  valor_minimo: rule('Valor minimo', 'blocking', 10),
  valor_maximo: rule('Valor maximo', 'blocking', 1_000_000),
  concentracao_sacado: rule('Concentracao por sacado (%)', 'alert', 60),
  nfe_ausente: rule('Chave da NF-e ausente', 'alert'),
  nfe_chave_invalida: rule('Chave da NF-e invalida', 'blocking'),
  nfe_nao_encontrada: rule('NF-e sem XML', 'blocking'),
  nfe_valor_divergente: rule('Valor acima da NF-e (tolerancia)', 'blocking', 0.01),
  nfe_emitente_divergente: rule('Emitente da NF-e diverge do cedente', 'blocking'),
  nfe_destinatario_divergente: rule('Destinatario da NF-e diverge do sacado', 'blocking'),
  titulo_duplicado: rule('Titulo duplicado', 'blocking'),
  documento_invalido: rule('Digitos do documento invalidos', 'alert'),
} as const satisfies Record<string, RuleTerms>;

export type RuleId = keyof typeof ruleTerms;
/** The rules of an engine: only those it names, in the order they came. */
export type RuleSet = Readonly<Partial<Record<RuleId, Rule>>>;

export const ruleIds = Object.keys(ruleTerms) as RuleId[];

const setting = z.strictObject({
  enabled: z.boolean().optional(),
  severity: z.enum(['blocking', 'alert']).optional(),
  threshold: z.number().min(0).optional(),
});

/** `rules` of a request: settings by the id of a rule. An array is no such object. */
export const ruleSettings = z.record(z.string(), setting);
export type RuleSettings = z.output<typeof ruleSettings>;

/**
 * The rules with settings laid over them. A rule that was not there is added, with the severity and
 * threshold of its kind.
 * @throws Refusal 422 for a rule that does not exist, or a threshold where there is none
 */
export function withSettings(rules: RuleSet, settings: RuleSettings): RuleSet {
  const changed: Partial<Record<RuleId, Rule>> = { ...rules };
  for (const [id, { enabled, severity, threshold }] of Object.entries(settings)) {
    if (!isRuleId(id)) throw new Refusal(422, 'unknown_rule', `There is no rule ${id}.`);
    const current = changed[id] ?? { id, ...ruleTerms[id] };
    if (threshold !== undefined && current.threshold === null) {
      throw new Refusal(422, 'no_threshold', `The rule ${id} has no threshold.`);
    }
    changed[id] = {
      ...current,
      enabled: enabled ?? current.enabled,
      severity: severity ?? current.severity,
      threshold: threshold ?? current.threshold,
    };
  }
  return changed;
}

function isRuleId(id: string): id is RuleId {
  return Object.hasOwn(ruleTerms, id);
}

/** All rules on, each with the severity and threshold of its kind. */
export const standardRules = withSettings({}, Object.fromEntries(ruleIds.map((id) => [id, {}])));
