import type { DossierBatchOutcome, DossierBatchRecord } from '../../domain/dossiers/retry-batch';
import type { RetryPlan } from '../../domain/dossiers/retry-plan';
import { dossierBatchEnd } from '../../domain/job';
import type { Store } from '../store';
import { newestFirst, type Asked } from '../core/asked';
import type { RecordRepository } from '../records';

/** Retries of many dossiers on file: what was asked for, what was planned, and how it ended. */
export class DossierBatchFile {
  readonly #records: RecordRepository;

  constructor({ records }: Store) {
    this.#records = records;
  }

  record(folder: string): Promise<DossierBatchRecord | null> {
    return this.#records.getJson<DossierBatchRecord>(`${folder}/asked.json`);
  }

  /** Durable: the work can be started once it is there. */
  async putRecord(folder: string, record: DossierBatchRecord): Promise<void> {
    const { workId: id, createdAt } = record;
    const starts = { id, kind: 'dossier-batch', createdAt, label: null } as const;
    await this.#records.putJson(`${folder}/asked.json`, record, { starts });
  }

  plan(folder: string): Promise<RetryPlan | null> {
    return this.#records.getJson<RetryPlan>(`${folder}/plan.json`);
  }

  /** The first one filed stays, and is returned. */
  async putPlan(folder: string, plan: RetryPlan): Promise<RetryPlan> {
    return this.#records.putFirst(`${folder}/plan.json`, plan);
  }

  /** Null before the end. */
  outcome(folder: string): Promise<DossierBatchOutcome | null> {
    return this.#records.getJson<DossierBatchOutcome>(`${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: DossierBatchOutcome): Promise<DossierBatchOutcome> {
    const { workId: id, settledAt: endedAt } = outcome;
    const ends = { id, endedAt, ...dossierBatchEnd(outcome) };
    return this.#records.putFirst(`${folder}/outcome.json`, outcome, { ends });
  }

  /** Newest first. */
  all(): Promise<Asked<DossierBatchRecord>[]> {
    return newestFirst(this.#records, 'dossier-batches/');
  }
}
