import { numberOfChunk } from '../../domain/core/service/attempts';
import type { DossierOutcome, DossierRecord } from '../../domain/dossiers/follow';
import type { Retry } from '../../domain/dossiers/retry';
import { dossierEnd } from '../../domain/job-ends';
import type { StoredJob } from '../core/jobs/job-rows';
import { removeArtifacts } from '../core/artifacts';
import { JobsOfKind, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';
import { keySegment } from '../records';

export const dossierJobs: JobFolders & JobShape<DossierOutcome> = {
  kind: 'dossier',
  root: 'dossiers',
  word: 'dossier',
  goesWhole: true,
  end: (outcome) => ({ endedAt: outcome.settledAt, ...dossierEnd(outcome) }),
};

export interface DossierAnswers {
  status: object;
  /** From the list or `dossiers.readPath`; null when the status was complete. */
  whole: object | null;
}

export class DossierRepository extends JobsOfKind<DossierRecord, DossierOutcome> {
  protected override readonly shape = dossierJobs;

  override all(dossierId?: string): Promise<StoredJob<DossierRecord>[]> {
    return super.all(dossierId === undefined ? undefined : keySegment(dossierId));
  }

  answers(folder: string): Promise<DossierAnswers | null> {
    return this.store.records.getJson<DossierAnswers>(`${folder}/answers.json`);
  }

  async putAnswers(folder: string, answers: DossierAnswers): Promise<void> {
    await this.store.records.replace(`${folder}/answers.json`, JSON.stringify(answers, null, 2));
  }

  /** For an attempt that another one followed. */
  async takeArtifactsBack(folder: string): Promise<void> {
    await removeArtifacts(this.store, folder);
    await this.takeBack(folder, ['fetch']);
  }

  /**
   * The current request for another attempt, or the next one if that was refused. Shared by all jobs: a later job
   * continues with the key of a lost one.
   */
  async retry({ dossierId, from, jobId, requested }: WantedRetry): Promise<Retry> {
    const last = (await this.retries(dossierId, from)).at(-1);
    const { claim, receipt } = last?.attempt ?? {};
    const isOurs =
      claim?.owner.workflowId === jobId && numberOfChunk(claim.owner.chunk) === requested;
    if (last !== undefined && (receipt?.kind !== 'refused' || isOurs)) return last;
    const number = (last?.number ?? 0) + 1;
    const subject = `${retriesOf(dossierId)}${from}/${number}`;
    return { dossierId, from, number, subject, attempt: null };
  }

  /** All that may have been sent, in order; default: after any attempt. */
  async retries(dossierId: string, from?: number): Promise<Retry[]> {
    const prefix = retriesOf(dossierId);
    const found: Retry[] = [];
    for (const subject of await this.store.attempts.subjects(prefix)) {
      const [its = 0, number = 0] = subject.slice(prefix.length).split('/').map(Number);
      if (from !== undefined && its !== from) continue;
      const all = await this.store.attempts.of(subject);
      const attempt = all.findLast(({ receipt }) => receipt?.kind !== 'not_sent');
      if (attempt !== undefined) found.push({ dossierId, from: its, number, subject, attempt });
    }
    return found.sort((a, b) => a.from - b.from || a.number - b.number);
  }
}

interface WantedRetry {
  dossierId: string;
  from: number;
  jobId: string;
  /** Number of the retry within its job, from 1. */
  requested: number;
}

function retriesOf(dossierId: string): string {
  return `dossier/${keySegment(dossierId)}/`;
}
