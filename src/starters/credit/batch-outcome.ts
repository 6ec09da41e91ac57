import { mkdir } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { needsAttention } from '../../domain/attention';
import { AnalysisRepository } from '../../store/credit/analyses';
import { CreditBatchRepository } from '../../store/credit/credit-batches';
import {
  creditBatchFolder,
  creditBatchWorkflowId,
  thingOfAnalysis,
  type CreditBatchEnd,
  type CreditBatchFile,
  type CreditBatchRecord,
} from '../../domain/credit/batch';
import { analysisFolder, type AnalysisOutcome } from '../../domain/credit/work';
import { AnalysisSheet } from '../../sheets/analysis-sheet';
import { cancelUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages';
import { defaultFolder } from '../cli/flags';
import { writeOutcome, type AnalysisOnFile } from './outcome';
import { creditBatchLine } from '../cli/follow';
import { CommandError } from '../jobs/errors';
import { exitCodes, print, printJson } from '../cli/terminal';
import { isNotFound, isRunning, withEngine, type CommandContext } from '../jobs/context';

export interface CreditBatchOnFile {
  folder: string;
  record: CreditBatchRecord;
  /** Null before the end. */
  end: CreditBatchEnd | null;
}

export function isCreditBatchId(id: string): boolean {
  return id.startsWith('credit-batch/');
}

/**
 * By the id that its command printed, or, without its instant, the last one of those files.
 *
 * @throws CommandError when there is none
 */
export async function creditBatchOf(
  { store }: CommandContext,
  id: string,
): Promise<CreditBatchOnFile> {
  const [, name, instant] = /^credit-batch\/([0-9a-f]{32})(?:\/(\d{8}T\d+Z))?$/.exec(id) ?? [];
  const shelf = new CreditBatchRepository(store);
  const folder = creditBatchFolder(id);
  const record = instant === undefined ? null : await shelf.record(folder);
  const found =
    name !== undefined && instant === undefined
      ? await shelf.newest(name)
      : record && { folder, record };
  if (found === null) throw new CommandError(`no batch ${id} in this store`);
  return { ...found, end: await shelf.outcome(found.folder) };
}

/** `status` of a batch. */
export async function showCreditBatchStatus(
  place: CommandContext,
  { folder, record, end }: CreditBatchOnFile,
  json: boolean,
): Promise<void> {
  const { batchId: id, name, directory: input, files, createdAt, createdBy } = record;
  const workflowId = creditBatchWorkflowId(name);
  const running =
    end !== null
      ? null
      : await withEngine(place, async (engine) =>
          (await isRunning(engine, workflowId))
            ? ((await creditBatchLine(engine, workflowId)) ?? 'runs; no worker tells how far')
            : null,
        );
  const state = end !== null ? 'ended' : running === null ? 'broken off' : 'running';
  const lines = await linesOf(place, await filesOf(place, folder), end);
  const counts: Record<string, number> = {};
  for (const { status } of lines) counts[status] = (counts[status] ?? 0) + 1;
  if (json) {
    const about = { kind: 'credit-batch', input, files, createdAt, createdBy };
    printJson({ id, ...about, state, progress: running, counts });
    return;
  }
  print(`${id}: ${state}${end === null ? '' : ` ${end.endedAt}`}`);
  if (running !== null) print(`  ${running}`);
  for (const [status, count] of Object.entries(counts)) {
    print(`  ${String(count).padStart(8)}  ${status}`);
  }
  if (state === 'broken off') print('  the same `credit batch` command goes on with it');
}

/** `result` of a batch. */
export async function showCreditBatch(
  place: CommandContext,
  { folder, record, end }: CreditBatchOnFile,
  { out, json }: { out?: string; json?: true },
): Promise<number> {
  const { batchId: id } = record;
  if (end === null) throw new CommandError(`${id} has not ended: \`diligence status ${id}\``);
  const files = await filesOf(place, folder);
  const shown = { out: out ?? defaultFolder(id), ...(json && { json }) };
  return showBatchFiles(place, { id, files, end }, shown);
}

/** One line a file, the folder of each that has a result, and `files.csv`. Returns the exit code. */
export async function showBatchFiles(
  place: CommandContext,
  { id, files, end }: { id: string | null; files: CreditBatchFile[]; end: CreditBatchEnd | null },
  { out, json }: { out: string; json?: true },
): Promise<number> {
  const lines = await linesOf(place, files, end);
  const target = resolve(out);
  await mkdir(target, { recursive: true });
  const sheet = new AnalysisSheet(join(target, 'files.csv'), fileColumns);
  const shown = [];
  try {
    for (const { analysis, ...line } of lines) {
      const { file, status, id: of, operation, reason, before } = line;
      const folder =
        analysis?.outcome == null
          ? null
          : await writeOutcome(place, analysis.record, analysis.outcome, folderOf(target, file));
      sheet.write([file, status, of, operation, reason]);
      shown.push({ file, status, id: of, operation, reason, before, folder });
    }
    await sheet.close();
  } catch (error) {
    await sheet.abandon();
    throw error;
  }
  const exitCode = exitCodeOf(lines);
  if (json === true) {
    printJson({ id, exitCode, folder: target, files: shown });
    return exitCode;
  }
  for (const { file, status, id: of, reason } of shown) {
    print([file, status, of ?? '-', reason ?? ''].join('  ').trimEnd());
  }
  print(`result: ${target} (an export, in the clear)`);
  return exitCode;
}

function exitCodeOf(lines: readonly FileLine[]): number {
  if (lines.every(({ status }) => status === notSent)) return exitCodes.usage;
  return lines.every(({ isDone }) => isDone) ? exitCodes.done : exitCodes.needsAttention;
}

/** A published format: add at the end only. */
const fileColumns = ['file', 'status', 'id', 'operation_id', 'reason'] as const;

const notSent = 'not sent';

interface FileLine {
  file: string;
  status: string;
  id: string | null;
  operation: string | null;
  reason: string | null;
  /** It had ended before the batch was asked for. */
  before: boolean;
  isDone: boolean;
  analysis: AnalysisOnFile | null;
}

/** How each file stands now: a decision about one since the batch is in it. */
async function linesOf(
  { store }: CommandContext,
  files: readonly CreditBatchFile[],
  end: CreditBatchEnd | null,
): Promise<FileLine[]> {
  const analyses = new AnalysisRepository(store);
  const lines: FileLine[] = [];
  for (const { file, workId, refused, before, sameAs } of files) {
    const analysis =
      workId === null
        ? null
        : await analyses.lastEnded(thingOfAnalysis(workId), analysisFolder(workId));
    const outcome = analysis?.outcome ?? null;
    lines.push({
      file,
      ...standing(outcome, refused, end),
      id: analysis?.record.workId ?? workId,
      operation: outcome?.operationId ?? null,
      reason: [reasonOf(outcome, refused), sameAs && `the same as ${sameAs}`]
        .filter((part) => part !== null)
        .join('; '),
      before,
      analysis,
    });
  }
  return lines.map((line) => ({ ...line, reason: line.reason === '' ? null : line.reason }));
}

function standing(
  outcome: AnalysisOutcome | null,
  refused: string | null,
  end: CreditBatchEnd | null,
): Pick<FileLine, 'status' | 'isDone'> {
  if (refused !== null) return { status: notSent, isDone: false };
  if (outcome !== null) {
    return { status: outcome.status, isDone: !needsAttention('credit-batch', outcome.status) };
  }
  if (end?.cancelled === true) return { status: 'not begun', isDone: true };
  return { status: end === null ? 'not ended' : 'lost', isDone: false };
}

function reasonOf(outcome: AnalysisOutcome | null, refused: string | null): string | null {
  if (outcome === null) return refused;
  const { error, result, possibleDoubleCharge } = outcome;
  const parts: string[] = [];
  if (result !== null) {
    const { receivables, blocked, alerted } = result.summary;
    const counts = [`${receivables ?? '-'} titulos`, `${blocked ?? '-'} blocked`];
    parts.push([...counts, `${alerted ?? '-'} alerted`].join(', '), ...result.contradictions);
  }
  if (error !== null) parts.push(error.message);
  if (possibleDoubleCharge) parts.push('it may have been charged twice');
  return parts.join('; ');
}

/** Files that differ in their ending alone have folders of their own. */
function folderOf(out: string, file: string): string {
  const ending = extname(file);
  return join(out, ending === '.rem' ? basename(file, ending) : file);
}

/** `cancel`, `pause`, `resume` of a batch. */
export async function orderCreditBatch(
  place: CommandContext,
  { record, end }: CreditBatchOnFile,
  order: 'cancel' | 'cancel_now' | 'pause' | 'resume',
): Promise<void> {
  const { batchId, name } = record;
  if (end !== null) throw new CommandError(`${batchId} has ended: \`diligence result ${batchId}\``);
  const happenedAt = new Date().toISOString();
  const by = place.environment.actor;
  const id = `decision/${batchId}/${order}/${happenedAt}`;
  const entry = { kind: 'decision', id, result: order, by, happenedAt, work: batchId } as const;
  await withEngine(place, async (engine) => {
    const handle = engine.client.workflow.getHandle(creditBatchWorkflowId(name));
    await place.audit.appendAndAnchor([entry]);
    try {
      if (order === 'pause') print(await handle.executeUpdate(pauseUpdate));
      else if (order === 'resume') print(await handle.executeUpdate(resumeUpdate));
      else {
        const now = order === 'cancel_now';
        print(await handle.executeUpdate(cancelUpdate, { args: [{ now }] }));
      }
    } catch (error) {
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !isNotFound(error)) throw error;
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      throw new CommandError(
        isRefused
          ? `${batchId}: ${error.cause?.message ?? 'refused'}`
          : `${batchId} does not run: the same \`credit batch\` command goes on with it`,
      );
    }
  });
}

async function filesOf({ store }: CommandContext, folder: string): Promise<CreditBatchFile[]> {
  return (await new CreditBatchRepository(store).members(folder)) ?? [];
}
