import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { isUuid } from '../../domain/core/documents/documents';
import { analysisSubject } from '../../domain/core/service/attempts';
import { engineKey } from '../../domain/credit/engine';
import {
  analysisText,
  type AnalysisOutcome,
  type AnalysisRecord,
  type ChosenEngine,
  type ResultFilter,
} from '../../domain/credit/job';
import { endOf } from '../../domain/attention';
import { jobIdAt } from '../../domain/job';
import type { AuditTrail } from '../audit/trail';
import { JobsOfKind, type Asker, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';
import { keySegment } from '../records';

export const analysisJobs: JobFolders & JobShape<AnalysisOutcome> = {
  kind: 'credit-analysis',
  root: 'analyses',
  word: 'analysis',
  fence: 'credit',
  end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('credit-analysis', status) }),
};

export class AnalysisRepository extends JobsOfKind<AnalysisRecord, AnalysisOutcome> {
  protected override readonly shape = analysisJobs;

  /** Stores an analysis with its audit entry; afterwards it can be started. */
  async put(
    asker: Asker & { audit: AuditTrail },
    request: Omit<AnalysisRecord, 'jobId' | 'createdAt' | 'createdBy'>,
    at = new Date(),
  ): Promise<AnalysisRecord> {
    const { assignor, forced, name, receivables } = request;
    const jobId = jobIdAt(`credit/${name}`, at);
    const held = assignor == null ? [] : [assignor];
    const record = await this.request(asker, { jobId, ...request }, held, at);
    await asker.audit.appendAndAnchor([
      {
        kind: 'decision',
        id: `decision/${jobId}/start`,
        result: 'start',
        by: record.createdBy,
        happenedAt: record.createdAt,
        job: jobId,
        details: { receivables, forced: forced !== null },
      },
    ]);
    return record;
  }

  /** With the rule engine chosen for a name. */
  override async record(folder: string): Promise<AnalysisRecord | null> {
    const record = await super.record(folder);
    if (record === null || record.fence !== null) return record;
    return { ...record, ...(await this.store.records.getJson<ChosenEngine>(chosenKey(folder))) };
  }

  /** The first one stays. The subject index links jobs of the same purchase. */
  async putEngine(folder: string, chosen: ChosenEngine): Promise<void> {
    await this.store.subjects.add(folder, [analysisSubject(chosen.fence)]);
    await this.store.records.putJson(chosenKey(folder), chosen);
  }

  /** The subject index links analyses of an operation. */
  override async putOutcome(
    folder: string,
    outcome: AnalysisOutcome,
    entries: readonly AuditEntry[] = [],
  ): Promise<AnalysisOutcome> {
    const { operationId } = outcome;
    if (operationId !== null) await this.store.subjects.add(folder, [operationFolder(operationId)]);
    return super.putOutcome(folder, outcome, entries);
  }

  /** The last ended job of a purchase, or else the last. @param since the first folder that counts */
  async lastEnded(
    name: string,
    since: string,
  ): Promise<{ folder: string; record: AnalysisRecord; outcome: AnalysisOutcome | null } | null> {
    const found =
      (await this.store.jobs.last<AnalysisRecord>(`analyses/${name}/`, since)) ??
      (await this.newest(name));
    return found && { ...found, outcome: await this.outcome(found.folder) };
  }
}

function chosenKey(folder: string): string {
  return `${folder}/engine.json`;
}

/** Keyed names of a request. @param engine id or name; null: the service chooses */
export function analysisNames(
  { idKey }: Pick<Asker, 'idKey'>,
  input: Parameters<typeof analysisText>[0],
  engine: string | null,
): Pick<AnalysisRecord, 'engine' | 'engineId' | 'fence' | 'name'> {
  const key = engine === null ? '' : engineKey(engine);
  const name = idKey.nameOf('manifest', analysisText(input, key));
  const isNamed = engine !== null && !isUuid(engine);
  return {
    engine,
    engineId: engine === null || isNamed ? null : key,
    fence: isNamed ? null : name,
    name,
  };
}

/** Key of an input as a large object: by the hash of its bytes, for all jobs. */
export function inputKey(sha256: string): string {
  return `inputs/credit/${sha256.slice(0, 2)}/${sha256}`;
}

/** Key of a result as a large object: by operation, for all jobs. */
export function resultKey(operationId: string, filter: ResultFilter): string {
  return `${operationFolder(operationId)}/${filter}`;
}

export function operationFolder(operationId: string): string {
  const shelf = createHash('sha256').update(operationId).digest('hex').slice(0, 2);
  return `operations/${shelf}/${keySegment(operationId)}`;
}
