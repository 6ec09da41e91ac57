import { readAnalysis } from '../../apis/credit/result.wire';
import {
  fieldsOf,
  findingSection,
  noFindings,
  readFindings,
  type Fields,
  type Findings,
} from '../../domain/core/findings';
import type { Analysis, AnalysedPayer } from '../../domain/credit/analysis';
import type { AnalysisOutcome, AnalysisResultRef } from '../../domain/credit/job';
import { findLarge, readLarge } from '../../store/core/large-objects';
import type { Store } from '../../store/store';

/** Rows shown of each list; all of them are in the files of the result folder. */
const mostRows = 1_000;

export const resultCall = { method: 'GET', pathTemplate: '/v1/operations/{id}/result' } as const;

export interface FirstReading {
  analysis: Analysis;
  payers: AnalysedPayer[];
  findings: Findings;
}

const readings = new WeakMap<AnalysisResultRef, Promise<FirstReading>>();

/** One read for each job, shared by files and tables. */
export function firstReading(store: Store, result: AnalysisResultRef): Promise<FirstReading> {
  const reading = readings.get(result) ?? readOnce(store, result);
  readings.set(result, reading);
  return reading;
}

async function readOnce(store: Store, result: AnalysisResultRef): Promise<FirstReading> {
  const payers: AnalysedPayer[] = [];
  const fold = new FindingsFold();
  const analysis = await readAnalysis(resultCall, readLarge(store, result.allKey), {
    payer: (payer) => void payers.push(payer),
    asItCame: (value, of) => fold.add(fieldsOf(value), of),
  });
  return { analysis, payers, findings: fold.findings(result) };
}

/**
 * The rules that fired, and the first issues, payers and titulos, each with every field as received: the report's
 * reader drops unknown fields. `result` is unchanged from the outcome.
 */
export async function analysisFindings(
  { outcome }: { outcome: unknown },
  store: Store,
): Promise<Findings> {
  const { result } = outcome as AnalysisOutcome;
  if (result === null || (await findLarge(store, result.allKey)) === null) return noFindings;
  return (await firstReading(store, result)).findings;
}

class FirstRows {
  readonly rows: Fields[] = [];
  total = 0;

  add(row: Fields): void {
    this.total += 1;
    if (this.rows.length < mostRows) this.rows.push(row);
  }

  section(name: string, file: string, first: readonly string[]) {
    return findingSection(name, this.rows, { file, first, total: this.total });
  }
}

class FindingsFold {
  readonly #payers = new FirstRows();
  readonly #receivables = new FirstRows();
  readonly #issues = new FirstRows();
  /** Each with the number of times it fired. */
  readonly #rules = new Map<string, { ruleName: unknown; status: unknown; fired: number }>();
  /** Titulos come before their payer, which is added to them. */
  #open: Record<string, unknown>[] = [];
  #head: Fields = {};

  add(value: Fields, of: 'titulo' | 'sacado' | 'head'): void {
    const { issues, ...fields } = value;
    if (of === 'head') this.#head = value;
    else if (of === 'titulo') {
      const row = { ...fields };
      if (this.#receivables.total < mostRows) this.#open.push(row);
      this.#receivables.add(row);
      this.#addIssues('titulo', fields['numero'], issues);
    } else {
      const { titulos: _, ...payer } = fields;
      const { cnpjCpf, razaoSocial } = payer;
      this.#payers.add(payer);
      this.#addIssues('sacado', razaoSocial, issues);
      for (const row of this.#open) row['sacado'] = { razaoSocial, cnpjCpf };
      this.#open = [];
    }
  }

  /** After the head. */
  findings(result: AnalysisResultRef): Findings {
    const { cedente, summary, ...head } = this.#head;
    const { issues, sacados: _, ...assignor } = fieldsOf(cedente);
    this.#addIssues('cedente', assignor['razaoSocial'], issues);
    const rest = readFindings({ cedente: assignor, summary, ...head }, { file: 'result.json' });
    const rules = [...this.#rules.values()].toSorted((one, other) => other.fired - one.fired);
    return {
      result,
      facts: rest.facts,
      sections: [
        findingSection('rules', rules, { file: 'issues.csv' }),
        this.#payers.section('sacados', 'result.json', ['razaoSocial', 'status']),
        this.#issues.section('issues', 'issues.csv', ['of', 'ruleName', 'message']),
        this.#receivables.section('titulos', 'titulos.csv', ['numero', 'valor']),
        ...rest.sections,
      ],
    };
  }

  #addIssues(level: string, of: unknown, issues: unknown): void {
    for (const one of Array.isArray(issues) ? issues : []) {
      const fields = fieldsOf(one);
      this.#issues.add({ level, of, ...fields });
      const { ruleId, ruleName, status } = fields;
      const key = JSON.stringify([ruleId, ruleName, status]);
      const rule = this.#rules.get(key) ?? { ruleName: ruleName ?? ruleId, status, fired: 0 };
      rule.fired += 1;
      this.#rules.set(key, rule);
    }
  }
}
