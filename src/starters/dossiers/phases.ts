import type { DossierCoverage } from '../../domain/dossiers/dossier';
import type { Say } from '../../domain/job';
import type { Reader } from '../../report/reader';
import type { EngineClient } from '../../temporal/connection';

/** Phases from the worker's last heartbeat; null when there is none. */
export async function phasesLine(
  { client }: EngineClient,
  workflowId: string,
  { say }: Reader,
): Promise<string | null> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const payloads = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? null;
    if (payloads === null) return null;
    const { decodeArrayFromPayloads } =
      require('@temporalio/common/lib/internal-non-workflow') as typeof import('@temporalio/common/lib/internal-non-workflow');
    const [details] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
    return wordsOf(details as DossierCoverage | undefined, say);
  } catch {
    // Progress is optional: an error here does not fail the command.
    return null;
  }
}

function wordsOf(coverage: DossierCoverage | undefined, say: Say): string | null {
  if (coverage === undefined || !Array.isArray(coverage.phases)) return null;
  const { completed, eligible, phases } = coverage;
  const [done, all] = [completed ?? '?', eligible ?? phases.length];
  const sum = say(`${done} of ${all} phases`, `${done} de ${all} etapas`);
  const at = phases.find(({ status }) => status === 'running')?.phase;
  return at == null ? sum : `${sum}, ${say('at', 'em')} ${at}`;
}
