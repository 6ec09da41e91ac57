import type { AuditEntry } from '../core/audit';
import type { InvestigationOutcome } from './investigation';

export function investigationOutcomeEntry(
  { jobId, settledAt: happenedAt, status: result, steps }: InvestigationOutcome,
  by: string,
): AuditEntry {
  const answered = steps.filter((step) => step.status === 'answered').length;
  const details = { steps: steps.length, answered };
  return {
    kind: 'outcome',
    id: `outcome/${jobId}`,
    result,
    by,
    happenedAt,
    job: jobId,
    details,
  };
}
