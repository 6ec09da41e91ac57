import type { ExtractOutcome, ExtractRecord } from '../../domain/extracts/extract';
import { jobFolder, jobIdAt } from '../../domain/job';
import { indexDocuments } from '../../store/core/subject-index';
import { ExtractRepository } from '../../store/extracts/extracts';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';

export type ExtractJob = Job<ExtractRecord, ExtractOutcome>;

/** @param order names another order of the same; null: the first */
export function nameOf({ idKey }: CommandContext, document: string, order: string | null): string {
  return idKey.nameOf('manifest', JSON.stringify(['extract', document, order]));
}

export async function newest(ctx: CommandContext, document: string): Promise<ExtractJob | null> {
  const [job] = await ctx.store.jobs.about('extract', ctx.idKey.nameOf('document', document));
  return (job as ExtractJob | undefined) ?? null;
}

export async function putExtract(
  ctx: CommandContext,
  document: string,
  terms: { name: string; label: string | null; deadlineMs?: number },
): Promise<ExtractRecord> {
  const { environment, idKey, store } = ctx;
  const { deadlineMs, label, name } = terms;
  const now = new Date();
  const keyed = (text: string): string => idKey.nameOf('document', text);
  const jobId = jobIdAt(`extract/${name}`, now);
  const record = {
    jobId,
    name,
    documentName: keyed(document),
    document,
    label,
    ...(deadlineMs !== undefined && { deadlineMs }),
    createdAt: now.toISOString(),
    createdBy: environment.actor,
  };
  const folder = jobFolder(jobId);
  await indexDocuments(store, folder, keyed, [document]);
  await new ExtractRepository(store).putRecord(folder, record, label && keyed(label));
  return record;
}
