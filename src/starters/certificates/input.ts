import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { flagProblem } from '../jobs/text';
import { foreseenIssuance, putCertificateJob } from '../../store/certificates/jobs';
import {
  documentTypesServed,
  type CertificateType,
  type ManifestRow,
} from '../../domain/certificates/certificates';
import { certificateSubject } from '../../domain/core/service/attempts';
import { readDocument } from '../../domain/core/documents/read-document';
import type { CertificateRecord, CertificateTerms } from '../../domain/certificates/job';
import type { IssuingTerms, OnUnknown } from '../../workflows/inputs';
import { manifestLine, planRows, type PlanCounts } from '../../sheets/read/plan-rows';
import { readSheet, type InputChoice } from '../../sheets/read/read-rows';
import { storeFile } from '../jobs/written-file';
import { UsageError } from '../jobs/errors';
import type { SheetTerms } from '../jobs/begin/request';
import { foreseeRows, problemOf, type Foreseen, type LineProblem } from '../jobs/begin/start-job';
import type { CommandContext } from '../jobs/context';

type BatchInput = SheetTerms & { type?: CertificateType | undefined };

/** A batch to request; its input was read to the end, before anything is written or sent. */
export interface PlannedBatch {
  /** Reads the input again on every call. */
  rows: () => AsyncIterable<ManifestRow> | Iterable<ManifestRow>;
  counts: PlanCounts;
  problems: readonly LineProblem[];
  manifest: string;
  /** Stored with the batch; null: the batch has no file. */
  file: string | null;
  type: CertificateType | null;
  /** Names of the user's other columns; left out where there is no sheet. */
  columns?: readonly string[];
}

/**
 * Reads the whole input once, so that an error of the file shows before anything happens. Prints what it contains:
 * which sheet of a workbook is read when the user named none, which lines are skipped.
 */
export async function planBatch(
  { log, reader }: Pick<CommandContext, 'log' | 'reader'>,
  request: BatchInput,
): Promise<PlannedBatch> {
  const { say } = reader;
  const hash = createHash('sha256');
  let columns: readonly string[] = [];
  const plan = openPlan(request, {
    onNotice: (words) => log(say(...words)),
    onHeader: (own) => (columns = own),
  });
  const problems: LineProblem[] = [];
  for await (const row of plan) {
    hash.update(manifestLine(row));
    if ('code' in row) problems.push(problemOf(row));
  }
  const { blank, duplicates, invalid, items, lines, unsupported } = plan.counts;
  log(
    say(
      `${lines} lines: ${items} to issue, ${duplicates} repeated, ${invalid} invalid, ${unsupported} unsupported, ${blank} blank`,
      `linhas: ${lines}; a emitir: ${items}, duplicadas: ${duplicates}, inválidas: ${invalid}, não atendidas: ${unsupported}, em branco: ${blank}`,
    ),
  );
  const { input: file, type = null } = request;
  return {
    rows: () => openPlan(request),
    counts: { ...plan.counts },
    problems,
    manifest: `${hash.digest('hex')}\n${type ?? ''}`,
    file,
    type,
    columns,
  };
}

/** The batch id: HMAC of its manifest (decision record 002). */
export function batchName(ctx: CommandContext, { manifest }: PlannedBatch): string {
  return ctx.idKey.nameOf('manifest', manifest);
}

/** Stores the input and its manifest under the id, in bounded memory. */
export async function fileBatch(
  ctx: CommandContext,
  { columns, counts, file, rows, type }: PlannedBatch,
  jobId: string,
  how: Pick<CertificateRecord, 'label' | 'rerun'>,
  terms: CertificateTerms,
): Promise<CertificateRecord> {
  const input =
    file === null ? null : { inputName: basename(file), ...(await storeFile(ctx.store, file)) };
  const blankLines = counts.blank;
  const own = columns !== undefined && { columns };
  const request = { jobId, type, ...how, ...own, rows: rows(), blankLines, input };
  return putCertificateJob(ctx, { ...request, kind: 'certificate-batch' }, terms);
}

/** @throws UsageError that explains what is wrong with the document, without quoting it */
export function readOneDocument(
  type: CertificateType,
  text: string,
): { document: string; note: string } {
  const serves = documentTypesServed[type];
  const only = serves.length === 1 ? serves[0] : undefined;
  const reading = readDocument(text, { serves, ...(only !== undefined && { length: only }) });
  if (reading.kind === 'document') return { document: reading.document, note: reading.note };
  throw new UsageError(flagProblem('--document', reading));
}

export function dryRun(
  { idKey, store }: CommandContext,
  { rows }: PlannedBatch,
  reuseSince: number,
): Promise<Foreseen> {
  const at = Date.now();
  return foreseeRows(rows(), async (row) => {
    if (row.kind !== 'item') return null;
    const subject = certificateSubject(row.type, idKey.nameOf('document', row.document));
    return foreseenIssuance(store, subject, { at, reuseSince });
  });
}

function openPlan(
  { input: file, type, column, reference, sheet }: BatchInput,
  notices: Pick<InputChoice, 'onHeader' | 'onNotice'> = {},
) {
  const rows = readSheet(file, { column, reference, sheet, ...notices });
  return planRows(rows, { file, ...(type !== undefined && { type }) });
}

export function issuingTerms(
  { queueSuffix }: CommandContext,
  flags: { deadline: number; maxAge: number; onUnknown: OnUnknown; rerun?: boolean | undefined },
  interactive: boolean,
): IssuingTerms {
  const now = Date.now();
  return {
    reuseSince: flags.rerun === true ? now : now - flags.maxAge,
    rowDeadlineMs: flags.deadline,
    requestUntil: now + flags.deadline,
    onUnknown: flags.onUnknown,
    interactive,
    queueSuffix,
  };
}
