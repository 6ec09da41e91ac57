import { condition, sleep } from '@temporalio/workflow';
import type { LaneReport } from '../../../domain/certificates/request-budget';
import type { RowListRef } from '../../../domain/certificates/job';
import type { IssuingTerms } from '../../inputs';
import type { CertificateActivities } from '../activities';
import type { OutstandingRows } from './outstanding-rows';
import type { RequestChunks } from './request-chunks';
import type { CarriedRows } from './row-state';
import type { ServiceBreaker } from './service-breaker';
import type { WaitingRows } from './waiting-rows';

export interface DriveOptions {
  list: RowListRef;
  /** Row indexes [from, to) of the job's list belong to this driver. */
  from: number;
  to: number;
  terms: IssuingTerms;
  activities: CertificateActivities;
  /** Name of this driver within the job: `lane-0000`. Outcomes are stored under it. */
  name: string;
  carried: CarriedRows;
  /** Events after which to continue as new; null: never. */
  eventsLimit: number | null;
  /** Called when rows become unknown, with their number. */
  onLost?: (rows: number) => Promise<void>;
  /** Called with the requests that rows need beyond their allowance, or do not need. */
  onNeed?: (report: LaneReport) => Promise<void>;
}

/** State that the parts of a driver share. */
export interface DrivenRows {
  readonly options: DriveOptions;
  readonly state: CarriedRows;
  readonly waiting: WaitingRows;
  readonly outstanding: OutstandingRows;
  readonly chunks: RequestChunks;
  readonly breaker: ServiceBreaker;
  readonly wakes: Wakes;
}

/** What a driver waits for: the next instant, or the end of a concurrent activity. */
export class Wakes {
  #timerAt = Infinity;
  #stirred = true;
  #failed: { error: unknown } | null = null;

  /** @throws an error of ours from a concurrent activity */
  begin(): void {
    this.#stirred = false;
    if (this.#failed !== null) throw this.#failed.error;
  }

  next(): Promise<boolean | void> {
    return condition(() => this.#stirred);
  }

  stir(): void {
    this.#stirred = true;
  }

  /** One timer serves all waits: a later one starts only when none fires before it. */
  at(instant: number): void {
    if (this.#timerAt <= instant || !Number.isFinite(instant)) return;
    this.#timerAt = instant;
    const delay = Math.max(1, instant - Date.now());
    void sleep(delay).then(() => {
      if (this.#timerAt === instant) this.#timerAt = Infinity;
      this.stir();
    });
  }

  inBackground(work: Promise<void>): void {
    void work
      .catch((error: unknown) => {
        this.#failed = { error };
      })
      .finally(() => this.stir());
  }
}
