import type { Billing } from '../../../domain/core/service/billing';
import { BillingTotals, type BillingTotal } from '../../../domain/core/service/billing-totals';
import type { JobBatchKind, Words } from '../../../domain/job';
import type { Reader } from '../../../report/reader';
import { stateWord } from '../../../report/words';
import type { queuesOf } from '../../../domain/core/queues';
import type { CommandContext } from '../context';
import type { ExportOptions, JobKind } from '../job-kind';
import { printable } from '../text';

/** Cells of one line, by column; null: nothing was reported. */
export type ChildCells = Readonly<Record<string, string | number | boolean | null>>;

/** How a child job ended. */
export interface ChildEnd {
  /** Of the job that stands for the row: a person may have asked for it again. */
  jobId: string;
  status: string;
  /** A person is needed, whatever the status. */
  isDoubted?: true;
  cells: ChildCells;
  error: { code: string | null; message: string } | null;
  settledAt: string;
  /** What the service reported is stored no more. */
  isErased: boolean;
  /** As reported, one for each thing that may have been charged; null: nothing was reported. */
  billing: readonly (Billing | null)[];
  /** What the service answered, as it came; null when there is none. */
  answer(): Promise<Buffer | null>;
  /** Writes its files into a folder of its own; returns their names. */
  exportTo?(folder: string, options: ExportOptions): Promise<string[]>;
}

/** An input line, as it stands. */
export interface ShownRow {
  line: number;
  requested: string;
  status: string;
  end: ChildEnd | null;
}

/** Written in two walks over the rows: what columns there are is known after the first one. */
export interface BatchSheets {
  /** @returns what the page of the batch shows of the line beside its cells */
  learn(answer: Buffer): ChildCells;
  /** Of the lines with an answer of their own, once all are learnt. */
  write(row: ShownRow, answer: Buffer): Promise<void>;
  close(): Promise<void>;
  abandon(): Promise<void>;
}

/** What tells batches of one kind from those of another. */
export interface BatchRules {
  kind: JobBatchKind;
  service: keyof typeof queuesOf;
  /** Its child jobs, for people. */
  noun: Words;
  /** Columns of `results.csv` between the status and what all kinds have. Add at the end only. */
  columns: readonly string[];
  /** Those of them that tell what was charged: once for a job, on its first line. */
  chargeColumns: readonly string[];
  charges(): BatchCharges;
  /** What it writes beside `results.csv` and the answers. */
  sheets?(folder: string, how: { excel: boolean }): BatchSheets;
  /** Of its child jobs. */
  child: JobKind;
  /** Each child job gets a page of its own, where pages are asked for. */
  hasPages?: true;
  /** How a child job ended; null before its end. */
  ending(ctx: CommandContext, jobId: string): Promise<ChildEnd | null>;
  /** Whether anything was sent for it, or may have been. */
  hasStarted(ctx: CommandContext, jobId: string): Promise<boolean>;
  /** What became of a row that nothing was sent for in a batch that has ended. */
  unstarted: 'lost' | 'followed';
}

/** Adds up what child jobs were charged, each once: the rows of the sheet add up to it. */
export interface BatchCharges {
  /** @param before it had ended, and was charged, before the batch was asked for */
  add(end: ChildEnd, before: boolean): void;
  /** Of `summary.json`. */
  summary(): Record<string, unknown>;
  /** Left out: nothing is reported. */
  billing?(): BillingTotal[];
  /** For people. */
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

/** The service reports no billing of a profile: what may be charged for is that it was answered. */
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

/** The service reports nothing of the cost. */
export function noCharges(): BatchCharges {
  return { add: () => undefined, summary: () => ({}), lines: () => [] };
}
