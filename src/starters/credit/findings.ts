import { JsonLists } from '../../apis/credit/json-lists';
import {
  fieldsOf,
  findingSection,
  noFindings,
  readFindings,
  type Fields,
  type Findings,
} from '../../domain/core/findings';
import type { AnalysisOutcome } from '../../domain/credit/work';
import { findLarge, readLarge } from '../../store/core/large-objects';
import type { Store } from '../../store/store';

const payerList = 0;
const lists = [
  ['cedente', 'sacados'],
  ['cedente', 'sacados', '*', 'titulos'],
] as const;

/**
 * The rules that fired, issues, payers and titulos, each with every field as it came: it is not read as the report
 * reads it, which drops what it does not know. `result` stays what the outcome has.
 */
export async function analysisFindings(
  { outcome }: { outcome: unknown },
  store: Store,
): Promise<Findings> {
  const { result } = outcome as AnalysisOutcome;
  if (result === null || (await findLarge(store, result.allKey)) === null) return noFindings;
  const payers: Fields[] = [];
  const receivables: Fields[] = [];
  const issues: Fields[] = [];
  // Titulos come before the payer that they belong to.
  let open: Fields[] = [];
  const reader = new JsonLists(lists, (value, list) => {
    const { issues: own, ...fields } = fieldsOf(value);
    if (list !== payerList) {
      open.push(fields);
      issues.push(...issuesOf('titulo', fields['numero'], own));
      return;
    }
    const { titulos: _, ...payer } = fields;
    const { cnpjCpf, razaoSocial } = payer;
    payers.push(payer);
    issues.push(...issuesOf('sacado', razaoSocial, own));
    for (const one of open) receivables.push({ ...one, sacado: { razaoSocial, cnpjCpf } });
    open = [];
  });
  for await (const chunk of readLarge(store, result.allKey)) reader.write(chunk);
  const { cedente, summary, ...head } = fieldsOf(reader.end());
  const { issues: own, sacados: _, ...assignor } = fieldsOf(cedente);
  issues.unshift(...issuesOf('cedente', assignor['razaoSocial'], own));
  const facts = { cedente: assignor, summary, ...head };
  const rest = readFindings(facts, { file: 'result.json' });
  return {
    result,
    facts: rest.facts,
    sections: [
      findingSection('rules', rulesIn(issues), { file: 'issues.csv' }),
      findingSection('sacados', payers, { file: 'result.json', first: ['razaoSocial', 'status'] }),
      findingSection('issues', issues, {
        file: 'issues.csv',
        first: ['of', 'ruleName', 'message'],
      }),
      findingSection('titulos', receivables, { file: 'titulos.csv', first: ['numero', 'valor'] }),
      ...rest.sections,
    ],
  };
}

function issuesOf(level: string, of: unknown, issues: unknown): Fields[] {
  return Array.isArray(issues) ? issues.map((one) => ({ level, of, ...fieldsOf(one) })) : [];
}

/** Each rule with how often it fired, the most frequent first. */
function rulesIn(issues: readonly Fields[]): Fields[] {
  const rules = new Map<string, { ruleName: unknown; status: unknown; fired: number }>();
  for (const { ruleId, ruleName, status } of issues) {
    const key = JSON.stringify([ruleId, ruleName, status]);
    const rule = rules.get(key) ?? { ruleName: ruleName ?? ruleId, status, fired: 0 };
    rule.fired += 1;
    rules.set(key, rule);
  }
  return [...rules.values()].sort((a, b) => b.fired - a.fired);
}
