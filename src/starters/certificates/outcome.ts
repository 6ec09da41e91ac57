import { join, resolve } from 'node:path';
import { workFolder } from '../../store/certificates/works';
import {
  rowStatuses,
  type BatchSummary,
  type FiledRow,
  type RowStatus,
} from '../../domain/certificates/certificates';
import { endOf, exitCodeOf } from '../../domain/attention';
import { batchEnd } from '../../domain/job-ends';
import { mostWorkbookRows } from '../../sheets/result-workbook';
import { summaryDocument, writeResultFolder, type ResultFolderOptions } from '../cli/result-folder';
import { exitCodes, print, printJson, tell } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';

/** What is left to do about rows of a status; nothing for those that are done. */
const nextSteps: Partial<Record<RowStatus, string>> = {
  unknown_outcome:
    'may have been accepted, and the id is lost: `certificate resolve` decides (reissue may be charged twice)',
  failed:
    'refused or failed: see error_message; `certificate resolve --status failed --action reissue`',
  expired: 'not settled in time: `certificate resolve --status expired --action watch` looks again',
  invalid: 'mend the line in the input and run the file again: only what is new is bought',
  unsupported: 'valid, but the service does not take it yet',
  cancelled:
    'never sent, or given up: `certificate resolve --status cancelled --action reissue` asks for it',
};

export interface ShowOptions extends ResultFolderOptions {
  workflowId: string;
  json: boolean;
}

/** Writes the folder and tells how the batch ended. Returns the exit code. */
export async function showBatch(
  place: CommandContext,
  summary: BatchSummary,
  { json, workflowId, ...folderOptions }: ShowOptions,
): Promise<number> {
  const folder = resolve(folderOptions.folder);
  await writeResultFolder(place, workFolder(summary.batchId), summary, {
    ...folderOptions,
    folder,
  });
  const exitCode = exitCodeOf('certificate-batch', batchEnd('certificate-batch', summary.counts));
  if (json) {
    printJson({ id: workflowId, exitCode, folder, summary: summaryDocument(summary) });
    return exitCode;
  }
  print(
    `${summary.total} lines${summary.blankLines > 0 ? ` (and ${summary.blankLines} blank)` : ''}`,
  );
  for (const status of rowStatuses) {
    const count = summary.counts[status];
    if (count === 0) continue;
    const next = nextSteps[status];
    print(
      `  ${String(count).padStart(6)}  ${status.padEnd(16)}${next === undefined ? '' : ` ${next}`}`,
    );
  }
  if (summary.possibleDoubleCharges > 0) {
    print(
      `  ${summary.possibleDoubleCharges} may have been charged twice (possible_double_charge)`,
    );
  }
  print(`report:  ${join(folder, 'report.html')}`);
  print(`results: ${folder}`);
  print('         results.csv, results.xlsx, summary.json and pdf/ are an export, in the clear');
  if (summary.total > mostWorkbookRows) {
    print(
      `         results.xlsx is left out above ${mostWorkbookRows} lines: results.csv has them all`,
    );
  }
  const { failed, unknown_outcome: unknown, expired } = summary.counts;
  if (exitCode === exitCodes.needsAttention && failed + unknown + expired > 0) {
    tell('some rows need a person (exit code 3); what can be decided is decided by');
    tell(
      `  diligence certificate resolve --batch ${summary.batchId} --status S --action A --note "..."`,
    );
  }
  return exitCode;
}

/** Tells how a single issuance ended. Returns the exit code. */
export async function showSingle(
  place: CommandContext,
  summary: BatchSummary,
  { json, workflowId, ...folderOptions }: ShowOptions,
): Promise<number> {
  const folder = resolve(folderOptions.folder);
  const from = workFolder(summary.batchId);
  let row: FiledRow | undefined;
  for await (const found of place.works.rows(from)) row ??= found;
  if (row === undefined) throw new Error('the store does not hold the result');
  await writeResultFolder(place, from, summary, { ...folderOptions, folder });
  const exitCode = exitCodeOf('certificate', endOf('certificate', row.status));
  if (json) {
    const { pdfKey: _, ...shown } = row;
    const { auditHead = null } = summary;
    printJson({ id: workflowId, exitCode, folder, outcome: shown, auditHead });
    return exitCode;
  }
  print(`${row.status}${row.note === '' ? '' : ` (${row.note})`}`);
  const told: [string, string | null][] = [
    ['certidao_id', row.certidaoId],
    ['official name', row.officialName],
    ['classification', row.classification],
    ['captured at', row.capturedAt],
    ['sha256', row.sha256],
    ['error', row.errorCode === null ? null : `${row.errorCode}: ${row.errorMessage ?? ''}`],
  ];
  for (const [name, value] of told) if (value !== null) print(`  ${name.padEnd(15)} ${value}`);
  const next = nextSteps[row.status];
  if (next !== undefined) {
    const named = next.replace('certificate resolve', `certificate resolve --batch ${workflowId}`);
    print(`  next            ${named}`);
  }
  print(`report: ${join(folder, 'report.html')}`);
  print(`result: ${folder}`);
  print('        an export, in the clear');
  return exitCode;
}
