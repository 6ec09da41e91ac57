import { jobIdAt } from '../../domain/job';
import { analysisFolder, analysisWorkflowId, type AnalysisRecord } from '../../domain/credit/work';
import type { AuditTrail } from '../audit/trail';
import type { Asker } from '../core/asker';
import { AnalysisRepository } from './analyses';

/** Records an analysis that is asked for, with its line on the audit trail: it can be started then. */
export async function putAnalysis(
  { audit, idKey, store, environment }: Asker & { audit: AuditTrail },
  asked: Omit<AnalysisRecord, 'workId' | 'createdAt' | 'createdBy'>,
  now = new Date(),
): Promise<AnalysisRecord> {
  const record: AnalysisRecord = {
    workId: jobIdAt(analysisWorkflowId(asked.name), now),
    ...asked,
    createdAt: now.toISOString(),
    createdBy: environment.actor,
  };
  const { assignor, createdAt, createdBy, forced, receivables, workId } = record;
  const folder = analysisFolder(workId);
  if (assignor != null) await store.subjects.add(folder, [assignor]);
  const label = record.label == null ? null : idKey.nameOf('document', record.label);
  await new AnalysisRepository(store).putRecord(folder, record, label);
  await audit.appendAndAnchor([
    {
      kind: 'decision',
      id: `decision/${workId}/start`,
      result: 'start',
      by: createdBy,
      happenedAt: createdAt,
      work: workId,
      details: { receivables, forced: forced !== null },
    },
  ]);
  return record;
}
