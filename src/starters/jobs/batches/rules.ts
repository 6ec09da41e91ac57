import {
  type Billing,
  BillingTotals,
  type BillingTotal,
} from '../../../domain/core/service/billing-totals';
import type { JobBatchKind, Words } from '../../../domain/job';
import type { Reader } from '../../../report/reader';
import { stateWord } from '../../../report/words';
import type { Store } from '../../../store/store';
import type { EndedJob, Job, JobKind } from '../job-kind';
import { printable } from '../text';

type Cell = string | number | boolean | null;

/** Cells of one line, by column; null: the service reported none. */
export type ChildCells = Readonly<Record<string, Cell>>;

/** How a child job ended. */
export interface ChildEnd {
  cells: ChildCells;
  /** Needs attention, whatever the status. */
  isDoubted: boolean;
  /** As reported, one for each purchase that may have been charged; null: nothing was reported. */
  billing: readonly (Billing | null)[];
  /** The row's newest job: a resolution may have started another. */
  job: EndedJob<unknown, EndOfChild>;
}

/** Common to the outcomes of all child jobs. */
export interface EndOfChild {
  status: string;
  error: { code: string | null; message: string } | null;
  settledAt: string;
  /** The service's response was erased. */
  erased?: true;
}

/** An input line with its status. */
export interface ShownRow {
  line: number;
  requested: string;
  status: string;
  end: ChildEnd | null;
}

/** Written in two scans of the rows: the first one finds the columns. */
export interface BatchSheets {
  /** @returns what the batch page shows of the line besides its cells */
  learn(answer: Buffer): ChildCells;
  /** Writes lines that have their own response, after `learn` has seen all of them. */
  write(row: ShownRow, answer: Buffer): Promise<void>;
  close(): Promise<void>;
  abandon(): Promise<void>;
}

/** The part of a batch kind that differs from other kinds. */
export interface BatchRules<Input = unknown, Outcome extends EndOfChild = EndOfChild> {
  /** Default: that of its child jobs, with `-batch`. */
  kind?: JobBatchKind;
  /** Its child jobs, in messages. */
  noun: Words;
  /** Columns of `results.csv` between the status and what all kinds have. Add at the end only. */
  columns: Readonly<Record<string, (outcome: Outcome) => Cell>>;
  /** Those of them that report charges: written once for a job, on its first line. */
  chargeColumns?: readonly string[];
  /** Left out: the service reports no cost. */
  charges?: () => BatchCharges;
  /** Sheets besides `results.csv` and the responses. */
  sheets?(folder: string, how: { excel: boolean }): BatchSheets;
  child: JobKind<Input, Outcome>;
  /** Each child job gets its own page when pages are requested. */
  hasPages?: true;
  /** The files of a child job are written into a folder of its own, else its answer beside the rows. */
  hasFolders?: true;
  /** Default: that of the outcome. */
  error?(outcome: Outcome): EndOfChild['error'];
  /** A child job needs attention, whatever its status; default: none. */
  isDoubted?(outcome: Outcome): boolean;
  /** Id of the newest job of a row; left out: that of the batch. */
  newest?(store: Store, jobId: string): Promise<string>;
  /** Whether anything was sent for it, or may have been; left out: as its purchase subject says. */
  hasStarted?(store: Store, job: Job<Input, Outcome>): Promise<boolean> | boolean;
  /** Status of a row without a request, once the batch has ended; default: lost. */
  unstarted?: 'followed';
}

/** Sums the charges of child jobs, each once: the sum equals that of the sheet's rows. */
export interface BatchCharges {
  /** @param before the job had ended, and was charged, before the batch started */
  add(end: ChildEnd, before: boolean): void;
  /** For `summary.json`. */
  summary(): Record<string, unknown>;
  /** Left out: the service reports no billing. */
  billing?(): BillingTotal[];
  /** Lines for the terminal. */
  lines(reader: Reader): string[];
}

export function billedCharges(): BatchCharges {
  const all = new BillingTotals();
  const earlier = new BillingTotals();
  return {
    add: ({ billing }, before) => {
      for (const one of billing) {
        all.add(one);
        if (before) earlier.add(one);
      }
    },
    billing: () => all.all(),
    summary: () => ({
      billing: all.all(),
      billingUntold: all.untold,
      billingBefore: earlier.all(),
    }),
    lines: (reader) => {
      const { say } = reader;
      const before = say('of it before this batch', 'dos quais antes deste lote');
      return [
        ...all.all().map((total) => `${say('billing', 'cobrança')} ${totalWords(total, reader)}`),
        ...earlier.all().map((total) => `${before} ${totalWords(total, reader)}`),
        ...(all.untold > 0
          ? [`${all.untold} ${say('without billing', 'sem cobrança informada')}`]
          : []),
      ];
    },
  };
}

export function totalWords(
  { status, unit, count, amount }: BillingTotal,
  { language }: Reader,
): string {
  const word = status === null ? '-' : stateWord(status, language);
  return printable(`${count} ${word}: ${amount ?? '-'} ${unit ?? ''}`.trimEnd());
}

/** Profiles: the service reports no billing, so answered requests are counted. */
export function answeredCharges(): BatchCharges {
  let all = 0;
  let earlier = 0;
  let lost = 0;
  return {
    add: ({ cells }, before) => {
      lost += Number(cells['answers_lost'] ?? 0);
      const answered = Number(cells['answered'] ?? 0);
      all += answered;
      if (before) earlier += answered;
    },
    billing: () => (all === 0 ? [] : [{ status: null, unit: 'answer', count: all, amount: null }]),
    summary: () => ({ answered: all, answeredBefore: earlier, answersLost: lost }),
    lines: (reader) => {
      const { say } = reader;
      const words = say(
        `answered ${all} times, and may be charged as often`,
        `respondido ${all} vezes, e pode ser cobrado outras tantas`,
      );
      const before = say(`${earlier} of them before this batch`, `${earlier} antes deste lote`);
      return [
        earlier > 0 ? `${words}; ${before}` : words,
        ...(lost > 0 ? [lostCalls(lost, reader)] : []),
      ];
    },
  };
}

export function lostCalls(count: number, reader: Reader): string {
  const calls = reader.count(count, ['call', 'calls'], ['chamada', 'chamadas']);
  const words = reader.say(
    'without a readable answer: perhaps charged, too',
    'sem resposta legível: talvez também cobrada',
  );
  return `${calls} ${words}`;
}

export function batchKindOf({ child, kind }: BatchRules): JobBatchKind {
  return kind ?? (`${child.kind}-batch` as JobBatchKind);
}

const noCharges: BatchCharges = { add: () => undefined, summary: () => ({}), lines: () => [] };

export function chargesOf({ charges }: Pick<BatchRules, 'charges'>): BatchCharges {
  return charges?.() ?? noCharges;
}
