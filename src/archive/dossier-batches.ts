import type { DossierBatchOutcome, DossierBatchRecord } from '../domain/dossiers/retry-batch';
import type { RetryPlan } from '../domain/dossiers/retry-plan';
import { dossierBatchEnd } from '../domain/job';
import { getJson, type Archive, type PutOptions } from './archive';

/** Retries of many dossiers on file: what was asked for, what was planned, and how it ended. */
export class DossierBatchFile {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  record(folder: string): Promise<DossierBatchRecord | null> {
    return getJson<DossierBatchRecord>(this.#archive, `${folder}/asked.json`);
  }

  /** Durable: the work can be started once it is there. */
  async putRecord(folder: string, record: DossierBatchRecord): Promise<void> {
    const { workId: id, createdAt } = record;
    const starts = { id, kind: 'dossier-batch', createdAt, label: null } as const;
    await this.#put(`${folder}/asked.json`, record, { starts });
  }

  plan(folder: string): Promise<RetryPlan | null> {
    return getJson<RetryPlan>(this.#archive, `${folder}/plan.json`);
  }

  /** The first one filed stays, and is returned. */
  async putPlan(folder: string, plan: RetryPlan): Promise<RetryPlan> {
    const put = await this.#put(`${folder}/plan.json`, plan);
    return put === 'stored' ? plan : ((await this.plan(folder)) ?? plan);
  }

  /** Null before the end. */
  outcome(folder: string): Promise<DossierBatchOutcome | null> {
    return getJson<DossierBatchOutcome>(this.#archive, `${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: DossierBatchOutcome): Promise<DossierBatchOutcome> {
    const { workId: id, settledAt: endedAt } = outcome;
    const ends = { id, endedAt, ...dossierBatchEnd(outcome) };
    const put = await this.#put(`${folder}/outcome.json`, outcome, { ends });
    return put === 'stored' ? outcome : ((await this.outcome(folder)) ?? outcome);
  }

  /** Newest first. */
  async all(): Promise<{ folder: string; record: DossierBatchRecord }[]> {
    const found: { folder: string; record: DossierBatchRecord }[] = [];
    for (const key of await this.#archive.list('dossier-batches/')) {
      if (!key.endsWith('/asked.json')) continue;
      const folder = key.slice(0, -'/asked.json'.length);
      const record = await this.record(folder);
      if (record !== null) found.push({ folder, record });
    }
    return found.sort((a, b) => b.record.createdAt.localeCompare(a.record.createdAt));
  }

  #put(key: string, value: object, options?: PutOptions) {
    return this.#archive.putIfAbsent(key, JSON.stringify(value, null, 2), options);
  }
}
