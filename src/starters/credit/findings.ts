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

/** What one read of a complete result gives. */
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

class FindingsFold {
  readonly #payers = new Rows();
  readonly #receivables = new Rows();
  readonly #issues = new Issues();
  /** Titulos come before their payer. */
  #open: Fields[] = [];
  #unshown = 0;
  #head: Fields = {};

  add(value: Fields, of: 'titulo' | 'sacado' | 'head'): void {
    const { issues, ...fields } = value;
    if (of === 'head') this.#head = value;
    else if (of === 'titulo') {
      if (this.#receivables.rows.length + this.#open.length < mostRows) this.#open.push(fields);
      else this.#unshown += 1;
      this.#issues.add('titulo', fields['numero'], issues);
    } else {
      const { titulos: _, ...payer } = fields;
      const { cnpjCpf, razaoSocial } = payer;
      this.#payers.add(payer);
      this.#issues.add('sacado', razaoSocial, issues);
      for (const one of this.#open)
        this.#receivables.add({ ...one, sacado: { razaoSocial, cnpjCpf } });
      this.#open = [];
    }
  }

  /** After the head. */
  findings(result: AnalysisResultRef): Findings {
    const [payers, receivables, issues] = [this.#payers, this.#receivables, this.#issues];
    const { cedente, summary, ...head } = this.#head;
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
          total: receivables.total + this.#unshown,
        }),
        ...rest.sections,
      ],
    };
  }
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

  /** Each with the number of times it fired, the most frequent first. */
  rules(): Fields[] {
    return [...this.#rules.values()].toSorted((one, other) => other.fired - one.fired);
  }
}
