import { jobIdAt } from '../../domain/job';
import { analysisFolder, analysisWorkflowId, type AnalysisRecord } from '../../domain/credit/job';
import type { AuditTrail } from '../audit/trail';
import type { Asker } from '../core/asker';
import { AnalysisRepository } from './analyses';

/** Stores an analysis with its audit entry; afterwards it can be started. */
export async function putAnalysis(
  { audit, idKey, store, environment }: Asker & { audit: AuditTrail },
  request: Omit<AnalysisRecord, 'jobId' | 'createdAt' | 'createdBy'>,
  now = new Date(),
): Promise<AnalysisRecord> {
  const record: AnalysisRecord = {
    jobId: jobIdAt(analysisWorkflowId(request.name), now),
    ...request,
    createdAt: now.toISOString(),
    createdBy: environment.actor,
  };
  const { assignor, createdAt, createdBy, forced, receivables, jobId } = record;
  const folder = analysisFolder(jobId);
  if (assignor != null) await store.subjects.add(folder, [assignor]);
  const label = record.label == null ? null : idKey.nameOf('document', record.label);
  await new AnalysisRepository(store).putRecord(folder, record, label);
  await audit.appendAndAnchor([
    {
      kind: 'decision',
      id: `decision/${jobId}/start`,
      result: 'start',
      by: createdBy,
      happenedAt: createdAt,
      job: jobId,
      details: { receivables, forced: forced !== null },
    },
  ]);
  return record;
}
