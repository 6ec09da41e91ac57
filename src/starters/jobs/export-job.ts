import { extname, join } from 'node:path';
import { noFindings } from '../../domain/core/findings';
import type { FindingsReport } from '../../report/findings/report';
import type { OutputTerms } from '../../domain/job';
import type { ReportLanguage } from '../../report/formats';
import { readerOf } from '../../report/reader';
import type { EvidenceFile } from '../../report/sections';
import type { CommandContext } from './context';
import type { EndedJob, ExportOptions, JobKind } from './job-kind';
import { sumOf, writeWhole } from './written-file';

const mediaTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
};

interface FindingInput {
  label?: string | null;
  createdBy: string;
  createdAt: string;
}
type FindingOutcome = Pick<FindingsReport, 'error' | 'settledAt' | 'status'>;

/** Writes the result folder with its report. @returns file names; empty: there is nothing to write */
export async function exportJob<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: EndedJob<Input, Outcome>,
  { folder, ...options }: ExportOptions & { folder: string },
): Promise<string[]> {
  const files = (await kind.export?.(ctx, job, folder, options)) ?? [];
  if (files.length === 0 || kind.findings === undefined) return files;
  // Kinds with their own page.
  if (files.includes('report.html')) return files;
  const page = await findingsPage(ctx, kind, job, { files, folder, lang: options.lang });
  await writeWhole(folder, 'report.html', page);
  return [...files, 'report.html'];
}

/** Terms of the command, else those with which the job was started. */
export function outputTerms(
  { environment }: Pick<CommandContext, 'environment'>,
  { excel, html, lang, pdfNames }: Partial<OutputTerms>,
  before: OutputTerms | null = null,
): OutputTerms {
  return {
    lang: lang ?? before?.lang ?? environment.language,
    excel: excel ?? before?.excel ?? false,
    html: html ?? before?.html ?? false,
    pdfNames: pdfNames ?? before?.pdfNames ?? 'id',
  };
}

/** The page of a job with findings. @param target with the files of the folder that it names */
export async function findingsPage<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: EndedJob<Input, Outcome>,
  { files, folder, lang }: { files: readonly string[]; folder: string; lang: ReportLanguage },
): Promise<string> {
  const findings = (await kind.findings?.(job, ctx.store)) ?? noFindings;
  const { id, needsAttention, outcome } = job;
  const { createdAt, createdBy, label = null } = job.input as FindingInput;
  const { error, settledAt, status } = outcome as FindingOutcome;
  // Loaded on demand: most commands write no page.
  const { findingsHtml } =
    require('../../report/findings/page') as typeof import('../../report/findings/page');
  return findingsHtml(
    {
      kind: kind.kind,
      id,
      subject: kind.describe(job.input, readerOf(lang).say),
      status,
      needsAttention,
      label,
      createdBy,
      createdAt,
      settledAt,
      findings,
      outcome,
      error,
      cost: (await kind.cost?.(job, ctx)) ?? [],
      files: await evidenceOf(folder, files),
      picture: (await kind.picture?.(ctx, job)) ?? null,
      writtenAt: Date.now(),
    },
    lang,
  );
}

export function evidenceOf(folder: string, files: readonly string[]): Promise<EvidenceFile[]> {
  return Promise.all(
    files.map(async (name) => {
      const mediaType = mediaTypes[extname(name)] ?? null;
      return { name, mediaType, ...(await sumOf(join(folder, name))) };
    }),
  );
}
