import { JsonLists } from '../../apis/credit/json-lists';
import {
  fieldsOf,
  findingSection,
  noFindings,
  readFindings,
  type Fields,
  type Findings,
} from '../../domain/core/findings';
import type { AnalysisOutcome } from '../../domain/credit/job';
import { findLarge, readLarge } from '../../store/core/large-objects';
import type { Store } from '../../store/store';

/** Of each list; all of them are in the files of the result folder. */
const mostRows = 1_000;
const payerList = 0;
const lists = [
  ['cedente', 'sacados'],
  ['cedente', 'sacados', '*', 'titulos'],
] as const;

/**
 * The rules that fired, and the first issues, payers and titulos, each with every field as it came: it is not read as
 * the report reads it, which drops what it does not know. `result` stays what the outcome has.
 */
export async function analysisFindings(
  { outcome }: { outcome: unknown },
  store: Store,
): Promise<Findings> {
  const { result } = outcome as AnalysisOutcome;
  if (result === null || (await findLarge(store, result.allKey)) === null) return noFindings;
  const payers = new Rows();
  const receivables = new Rows();
  const issues = new Issues();
  // Titulos come before the payer that they belong to.
  let open: Fields[] = [];
  let unshown = 0;
  const reader = new JsonLists(lists, (value, list) => {
    const { issues: own, ...fields } = fieldsOf(value);
    if (list !== payerList) {
      if (receivables.rows.length + open.length < mostRows) open.push(fields);
      else unshown += 1;
      issues.add('titulo', fields['numero'], own);
      return;
    }
    const { titulos: _, ...payer } = fields;
    const { cnpjCpf, razaoSocial } = payer;
    payers.add(payer);
    issues.add('sacado', razaoSocial, own);
    for (const one of open) receivables.add({ ...one, sacado: { razaoSocial, cnpjCpf } });
    open = [];
  });
  for await (const chunk of readLarge(store, result.allKey)) reader.write(chunk);
  const { cedente, summary, ...head } = fieldsOf(reader.end());
  const { issues: own, sacados: _, ...assignor } = fieldsOf(cedente);
  issues.add('cedente', assignor['razaoSocial'], own);
  const facts = { cedente: assignor, summary, ...head };
  const rest = readFindings(facts, { file: 'result.json' });
  return {
    result,
    facts: rest.facts,
    sections: [
      findingSection('rules', issues.rules(), { file: 'issues.csv' }),
      findingSection('sacados', payers.rows, {
        file: 'result.json',
        first: ['razaoSocial', 'status'],
        total: payers.total,
      }),
      findingSection('issues', issues.rows, {
        file: 'issues.csv',
        first: ['of', 'ruleName', 'message'],
        total: issues.total,
      }),
      findingSection('titulos', receivables.rows, {
        file: 'titulos.csv',
        first: ['numero', 'valor'],
        total: receivables.total + unshown,
      }),
      ...rest.sections,
    ],
  };
}

class Rows {
  readonly rows: Fields[] = [];
  total = 0;

  add(row: Fields): void {
    this.total += 1;
    if (this.rows.length < mostRows) this.rows.push(row);
  }
}

class Issues {
  readonly #shown = new Rows();
  readonly #rules = new Map<string, { ruleName: unknown; status: unknown; fired: number }>();

  get rows(): Fields[] {
    return this.#shown.rows;
  }

  get total(): number {
    return this.#shown.total;
  }

  add(level: string, of: unknown, issues: unknown): void {
    if (!Array.isArray(issues)) return;
    for (const one of issues) {
      const fields = fieldsOf(one);
      this.#shown.add({ level, of, ...fields });
      const { ruleId, ruleName, status } = fields;
      const key = JSON.stringify([ruleId, ruleName, status]);
      const rule = this.#rules.get(key) ?? { ruleName: ruleName ?? ruleId, status, fired: 0 };
      rule.fired += 1;
      this.#rules.set(key, rule);
    }
  }

  /** Each with how often it fired, the most frequent first. */
  rules(): Fields[] {
    return [...this.#rules.values()].toSorted((one, other) => other.fired - one.fired);
  }
}
