import type { Analysis, AnalysisHead, AnalysedPayer, AnalysedReceivable } from './analysis';

interface Tally {
  count: number;
  cents: number;
}

/** A tree is told to contradict itself so many times, and then no more. */
const mostReported = 20;

/** Adds up a complete tree as it is read, and compares it with what its summary says. */
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

  /** @returns one sentence for each figure of the summary that its leaves do not add up to */
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
        .filter(([, told, found]) => told !== null && told !== found)
        .map(([name, told, found]) => `summary.${name} is ${told}, the tree holds ${found}`),
      ...sums
        .filter(([, told, cents]) => told !== null && Math.round(told * 100) !== cents)
        .map(
          ([name, told, cents]) => `summary.${name} is ${told}, the tree adds up to ${cents / 100}`,
        ),
    ];
  }

  /** The status of a receivable in the complete tree, in lower case; undefined when it is not in it. */
  statusOf(id: string): string | undefined {
    return this.#statuses.get(id);
  }
}

/** Compares the tree of issues alone, as it is read, with the complete one. */
export class SubsetCheck {
  readonly #all: TreeCheck;
  readonly #told: string[] = [];
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
    if (this.#told.length < mostReported) this.#told.push(sentence);
    else this.#more += 1;
  }

  contradictions(): string[] {
    return this.#more === 0 ? this.#told : [...this.#told, `and ${this.#more} more like these`];
  }
}

/** What the result of issues says of the whole analysis, and the complete one says otherwise. */
export function differingHeads(issues: AnalysisHead, all: AnalysisHead): string[] {
  const figures = Object.entries(issues.summary) as [keyof AnalysisHead['summary'], unknown][];
  const differs = (reported: unknown, other: unknown): boolean =>
    reported !== null && other !== null && reported !== other;
  return [
    ...(['operationId', 'engineId'] as const)
      .filter((name) => differs(issues[name], all[name]))
      .map((name) => `${name} is another one in the result of issues than in the complete one`),
    ...figures
      .filter(([name, told]) => differs(told, all.summary[name]))
      .map(
        ([name, told]) =>
          `the summary says ${String(told)} for ${name} beside the issues, and ${all.summary[name]} beside the complete tree`,
      ),
  ];
}

/** What of a result is not about what was asked for. */
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
