import type { Analysis, AnalysisHead, AnalysedPayer, AnalysedReceivable } from './analysis';

interface Tally {
  count: number;
  cents: number;
}

const mostReported = 20;

/** Adds up a complete tree while it is read, and compares the sums with its summary. */
export class TreeCheck {
  readonly #byStatus = new Map<string, Tally>();
  readonly #statuses = new Map<string, string>();
  #payers = 0;

  receivable({ id, value, status: reported }: AnalysedReceivable): void {
    const status = reported.toLowerCase();
    const tally = this.#byStatus.get(status) ?? { count: 0, cents: 0 };
    tally.count += 1;
    tally.cents += Math.round((value ?? 0) * 100);
    this.#byStatus.set(status, tally);
    if (id !== null) this.#statuses.set(id, status);
  }

  payer(_payer: AnalysedPayer): void {
    this.#payers += 1;
  }

  /** @returns a sentence for each figure of the summary that differs from the sum of the leaves */
  contradictions({ summary }: Analysis): string[] {
    const all = [...this.#byStatus.values()].reduce(
      (sum, { count, cents }) => ({ count: sum.count + count, cents: sum.cents + cents }),
      { count: 0, cents: 0 },
    );
    const of = (status: string): Tally => this.#byStatus.get(status) ?? { count: 0, cents: 0 };
    const counts: [string, number | null, number][] = [
      ['totalTitulos', summary.receivables, all.count],
      ['approved', summary.approved, of('approved').count],
      ['blocked', summary.blocked, of('blocked').count],
      ['alerted', summary.alerted, of('alerted').count],
      ['sacados.total', summary.payers, this.#payers],
    ];
    const sums: [string, number | null, number][] = [
      ['totalValue', summary.totalValue, all.cents],
      ['approvedValue', summary.approvedValue, of('approved').cents],
      ['blockedValue', summary.blockedValue, of('blocked').cents],
      ['alertedValue', summary.alertedValue, of('alerted').cents],
    ];
    return [
      ...counts
        .filter(([, reported, found]) => reported !== null && reported !== found)
        .map(
          ([name, reported, found]) => `summary.${name} is ${reported}, the tree holds ${found}`,
        ),
      ...sums
        .filter(([, reported, cents]) => reported !== null && Math.round(reported * 100) !== cents)
        .map(
          ([name, reported, cents]) =>
            `summary.${name} is ${reported}, the tree adds up to ${cents / 100}`,
        ),
    ];
  }

  /** Status of a receivable in the complete tree, in lower case; undefined: not in it. */
  statusOf(id: string): string | undefined {
    return this.#statuses.get(id);
  }
}

export class SubsetCheck {
  readonly #all: TreeCheck;
  readonly #listed: string[] = [];
  #more = 0;

  constructor(all: TreeCheck) {
    this.#all = all;
  }

  receivable({ id, status: reported }: AnalysedReceivable): void {
    if (id === null) return;
    const status = reported.toLowerCase();
    const complete = this.#all.statusOf(id);
    if (complete === status) return;
    const sentence =
      complete === undefined
        ? `titulo ${id} stands among the issues and not in the complete tree`
        : `titulo ${id} is ${status} among the issues and ${complete} in the complete tree`;
    if (this.#listed.length < mostReported) this.#listed.push(sentence);
    else this.#more += 1;
  }

  contradictions(): string[] {
    return this.#more === 0 ? this.#listed : [...this.#listed, `and ${this.#more} more like these`];
  }
}

export function differingHeads(issues: AnalysisHead, all: AnalysisHead): string[] {
  const figures = Object.entries(issues.summary) as [keyof AnalysisHead['summary'], unknown][];
  const differs = (reported: unknown, other: unknown): boolean =>
    reported !== null && other !== null && reported !== other;
  return [
    ...(['operationId', 'engineId'] as const)
      .filter((name) => differs(issues[name], all[name]))
      .map((name) => `${name} is another one in the result of issues than in the complete one`),
    ...figures
      .filter(([name, reported]) => differs(reported, all.summary[name]))
      .map(
        ([name, reported]) =>
          `the summary says ${String(reported)} for ${name} beside the issues, and ${all.summary[name]} beside the complete tree`,
      ),
  ];
}

export function foreignResult(
  { operationId, engineId }: Pick<Analysis, 'operationId' | 'engineId'>,
  request: { operationId: string; engineId: string | null },
): string[] {
  const differs = (reported: string | null, wanted: string | null): boolean =>
    reported !== null && wanted !== null && reported.toLowerCase() !== wanted.toLowerCase();
  return [
    ...(differs(operationId, request.operationId)
      ? [`the result names operation ${operationId}, not ${request.operationId}`]
      : []),
    ...(differs(engineId, request.engineId)
      ? [`the result is of engine ${engineId}, ${request.engineId} was chosen`]
      : []),
  ];
}
