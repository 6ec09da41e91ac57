import type { EngineClient } from '../../temporal/connection';
import { jobProgressQuery, type JobProgress } from '../../workflows/messages';
import { printable } from '../jobs/text';

/**
 * How a single job stands, in a line; null when nobody can tell.
 *
 * @param more what its kind adds
 */
export async function jobLine(
  { client }: EngineClient,
  workflowId: string,
  more: (progress: JobProgress) => Promise<(string | null)[]> = async () => [],
): Promise<string | null> {
  const handle = client.workflow.getHandle(workflowId);
  const progress = await handle.query(jobProgressQuery).catch(() => null);
  if (progress === null) return null;
  const { stage, externalId, details, waiting } = progress;
  const inReview = stage === 'review';
  const uploads = details.replaced?.length ?? 0;
  const words = [
    inReview ? 'waits for a review (`diligence dossier decide`)' : stage,
    details.state ?? null,
    externalId,
    uploads === 0 ? null : `${uploads} uploads expired`,
    ...(await more(progress)),
  ];
  const held = waiting === null || inReview ? '' : ` (waiting: ${waiting.reason})`;
  const line = words.filter((word) => word !== null).join(', ');
  return printable(`${workflowId}: ${line}${held}`);
}
