import { documentsIn } from '../../domain/core/documents/held-documents';
import { jobIdAt } from '../../domain/job';
import {
  lensFolder,
  lensManifest,
  lensWorkflowId,
  type LensInput,
  type LensOutcome,
  type LensRecord,
} from '../../domain/lens/analyze';
import type { LensMode } from '../../domain/lens/lens-analysis';
import type { Asker } from '../core/asker';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { indexDocuments } from '../core/subject-index';
import { LensRepository, lensIndexes } from './lens';

export type LensJob = JobWithOutcome & { input: LensRecord; outcome: LensOutcome | null };

/** Keyed name of file and mode. @param order another paid order; null: the first */
export function lensName(
  { idKey }: Pick<Asker, 'idKey'>,
  { sha256, mode }: { sha256: string; mode: LensMode | null },
  order: string | null,
): string {
  return idKey.nameOf('manifest', lensManifest(sha256, mode, order));
}

/** The newest analysis of the same file and mode, of any order. */
export async function newestLens(
  asker: Pick<Asker, 'store' | 'idKey'>,
  what: { sha256: string; mode: LensMode | null },
): Promise<LensJob | null> {
  const [newest] = await asker.store.jobs.about('lens', lensName(asker, what, null));
  return (newest as LensJob | undefined) ?? null;
}

/** Stores the request, whose file is stored; afterwards it can be started. */
export async function putLens(
  asker: Asker,
  request: { file: LensInput } & Pick<
    LensRecord,
    'name' | 'mode' | 'label' | 'forced' | 'deadlineMs' | 'rerun'
  >,
  now = new Date(),
): Promise<LensRecord> {
  const { environment, idKey, store } = asker;
  const { file, forced, label, mode, name } = request;
  const jobId = jobIdAt(lensWorkflowId(name), now);
  const folder = lensFolder(jobId);
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const record: LensRecord = {
    jobId,
    ...request,
    createdAt: now.toISOString(),
    createdBy: environment.actor,
  };
  const held = documentsIn(`${file.fileName} ${label ?? ''} ${forced ?? ''}`);
  await indexDocuments(store, lensIndexes(folder).requested, nameOf, held);
  await store.subjects.add(folder, [lensName(asker, { sha256: file.sha256, mode }, null)]);
  await new LensRepository(store).putRecord(folder, record, label && nameOf(label));
  return record;
}
