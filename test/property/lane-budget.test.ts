import * as fc from 'fast-check';
import type { RowAnswer } from '../../src/domain/certificates/certificate-rows';
import {
  RequestBudget,
  type LaneGrant,
  type LaneReport,
} from '../../src/domain/certificates/request-budget';
import { RequestAllowance } from '../../src/workflows/certificates/rows/request-allowance';
import type { DrivenRows } from '../../src/workflows/certificates/rows/driven-rows';
import {
  firstRows,
  noAllowance,
  type CarriedRows,
} from '../../src/workflows/certificates/rows/row-state';
import { casesOf } from '../support/full-size';

/**
 * A batch and its lanes, whose reports and answers are lost, repeated and overtaken, while lanes continue as new:
 * never are more requests made than are allowed, and what is allowed is never lost.
 */

const size = 6;
type Post<T> = { from: number; execution: string; message: T }[];

class Lane {
  readonly number: number;
  readonly reports: Post<LaneReport>;
  #state: CarriedRows = { ...firstRows(0, 10), allowance: noAllowance() };
  #allowance: RequestAllowance;
  waiting: number;
  inFlight = 0;
  sent = 0;

  constructor(number: number, rows: number, reports: Post<LaneReport>) {
    this.number = number;
    this.waiting = rows;
    this.reports = reports;
    this.#allowance = this.#begin();
  }

  get most(): number {
    return this.sent + this.inFlight;
  }

  step(): void {
    const going = this.#allowance.limit(Math.min(2, this.waiting));
    this.waiting -= going;
    this.inFlight += going;
    this.#allowance.take(going);
    this.#allowance.giveBackOnce();
  }

  /** @param kind what comes of one in flight: sent, reused, or to go again */
  settle(kind: 'sent' | 'reused' | 'unsent'): void {
    if (this.inFlight === 0) return;
    this.inFlight -= 1;
    if (kind === 'sent') this.sent += 1;
    if (kind === 'unsent') this.waiting += 1;
    const answer = kind === 'unsent' ? 'unsent' : 'settled';
    const attempts = kind === 'sent' ? 1 : 0;
    this.#allowance.settle([{ attempts: 0 }] as never, [{ kind: answer, attempts } as RowAnswer]);
  }

  grant(grant: LaneGrant): void {
    this.#allowance.grant(grant);
  }

  continueAsNew(): void {
    while (this.inFlight > 0) this.settle('sent');
    this.#state = JSON.parse(JSON.stringify(this.#state)) as CarriedRows;
    this.#allowance = this.#begin();
  }

  #begin(): RequestAllowance {
    const of = (lane: Lane) => ({
      state: this.#state,
      waiting: {
        get unrequested() {
          return lane.waiting;
        },
      },
      chunks: {
        get size() {
          return lane.inFlight;
        },
      },
      wakes: { inBackground: () => undefined },
      options: {
        onNeed: (message: LaneReport) => {
          this.reports.push({ from: this.number, execution: 'e', message });
          return Promise.resolve();
        },
      },
    });
    return new RequestAllowance(of(this) as unknown as DrivenRows);
  }
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'step',
      'step',
      'sent',
      'sent',
      'reused',
      'unsent',
      'tell',
      'tell',
      'answer',
      'answer',
      'loseReport',
      'loseAnswer',
      'repeat',
      'continue',
      'more',
    ),
    at: fc.nat(1_000),
  }),
  { maxLength: 120 },
);

test('lanes never make more than is allowed, and all that is allowed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }), steps, (rowsOf, order) => {
      const reports: Post<LaneReport> = [];
      const answers: Post<LaneGrant> = [];
      const lanes = rowsOf.map((rows, number) => new Lane(number, rows, reports));
      const budget = new RequestBudget(size, lanes.length);
      let allowed = size;
      const check = (): void => {
        const most = lanes.reduce((sum, lane) => sum + lane.most, 0);
        if (most > allowed) throw new Error(`${most} requests of ${allowed}`);
      };
      const hand = (): void => {
        for (const [lane, message] of budget.grants())
          answers.push({ from: Number(lane), execution: '', message });
      };
      const tell = (at: number): void => {
        const [report] = reports.splice(at % reports.length, 1);
        if (report !== undefined)
          budget.report(String(report.from), report.execution, report.message);
        hand();
      };
      const answer = (at: number): void => {
        const [grant] = answers.splice(at % answers.length, 1);
        if (grant !== undefined) lanes[grant.from]?.grant(grant.message);
      };
      const actions: Record<string, (lane: Lane, at: number) => void> = {
        step: (lane) => lane.step(),
        sent: (lane) => lane.settle('sent'),
        reused: (lane) => lane.settle('reused'),
        unsent: (lane) => lane.settle('unsent'),
        tell: (_, at) => tell(at),
        answer: (_, at) => answer(at),
        loseReport: (_, at) => reports.splice(at % reports.length, 1),
        loseAnswer: (_, at) => answers.splice(at % answers.length, 1),
        repeat: (_, at) => reports.push(...reports.slice(at % reports.length, 1)),
        continue: (lane) => lane.continueAsNew(),
        more: () => {
          if (budget.reached === null) return;
          budget.allowMore();
          allowed += size;
          hand();
        },
      };
      for (const { kind, at } of order) {
        const lane = lanes[at % lanes.length];
        if (lane !== undefined) actions[kind]?.(lane, at);
        check();
      }
      // From here on nothing is lost but what was: each lane continues as new once, and then all goes well.
      for (const lane of lanes) lane.continueAsNew();
      for (let round = 0; round < 60; round += 1) {
        for (const lane of lanes) {
          lane.step();
          while (lane.inFlight > 0) lane.settle('sent');
          if (lane.waiting === 0) budget.end(String(lane.number), lane.sent);
        }
        hand();
        while (reports.length > 0) tell(0);
        while (answers.length > 0) answer(0);
        check();
      }
      const left = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
      expect(budget.reached?.rest ?? null).toBe(left === 0 ? null : left);
      const made = lanes.reduce((sum, lane) => sum + lane.sent, 0);
      if (left > 0) expect([made, budget.reached?.made]).toEqual([allowed, allowed]);
    }),
    { numRuns: casesOf(300, 20_000) },
  );
});
