import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AnalysisRepository } from '../../store/credit/analyses';
import { attentionOf } from '../../domain/attention';
import {
  analysisFolder,
  analysisWorkflowId,
  type AnalysisOutcome,
  type AnalysisRecord,
} from '../../domain/credit/work';
import { cancelUpdate, resumeUpdate } from '../../workflows/messages';
import { writeAnalysisFolder } from './analysis-folder';
import { defaultFolder } from '../cli/flags';
import { jobLine } from '../cli/job-line';
import { CommandError } from '../jobs/errors';
import { print, printJson, tell } from '../cli/terminal';
import { isNotFound, withEngine, type CommandContext } from '../jobs/context';

export interface AnalysisOnFile {
  folder: string;
  record: AnalysisRecord;
  /** Null before the end. */
  outcome: AnalysisOutcome | null;
}

export function isAnalysisId(id: string): boolean {
  return id.startsWith('credit/');
}

/** By the id that its command printed, or, without its instant, the last one of that thing. */
export async function findAnalysis(
  place: CommandContext,
  id: string,
): Promise<AnalysisOnFile | null> {
  const [, name, instant] = /^credit\/([0-9a-f]{32})(?:\/(\d{8}T\d+Z))?$/.exec(id) ?? [];
  if (name === undefined) return null;
  const analyses = new AnalysisRepository(place.store);
  const folder = analysisFolder(id);
  const record = instant === undefined ? null : await analyses.record(folder);
  const found = instant === undefined ? await analyses.newest(name) : record && { folder, record };
  return found && { ...found, outcome: await analyses.outcome(found.folder) };
}

/** @throws CommandError when there is none */
export async function analysisOf(place: CommandContext, id: string): Promise<AnalysisOnFile> {
  const found = await findAnalysis(place, id);
  if (found === null) throw new CommandError(`no analysis ${id} in this store`);
  return found;
}

/** Writes the folder of a completed analysis and tells how it ended. Returns the exit code. */
export async function showAnalysis(
  place: CommandContext,
  { record, outcome }: AnalysisOnFile,
  { out, json }: { out?: string; json?: true },
): Promise<number> {
  const { workId } = record;
  if (outcome === null) {
    throw new CommandError(`${workId} has not ended: \`diligence status ${workId}\``);
  }
  const exitCode = attentionOf('credit-analysis', outcome.status).exitCode;
  const folder = await writeOutcome(place, record, outcome, out ?? defaultFolder(workId));
  if (json === true) {
    printJson({ id: workId, exitCode, folder, outcome });
    return exitCode;
  }
  for (const line of outcomeLines(outcome)) print(line);
  if (folder !== null) print(`result: ${folder} (an export, in the clear)`);
  return exitCode;
}

/** The answer to an upload in which no id was found: a person may find it, and adopt it. */
async function writeUnread(
  { store }: CommandContext,
  workId: string,
  folder: string,
): Promise<string | null> {
  const answer = await new AnalysisRepository(store).unreadable(analysisFolder(workId));
  if (answer === null) return null;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'upload-answer.txt'), answer);
  return folder;
}

/** @returns the folder, null when there is nothing to write */
export async function writeOutcome(
  place: CommandContext,
  { workId, cnab, xmls, filter }: AnalysisRecord,
  { result, operationId, settledAt: endedAt }: AnalysisOutcome,
  out: string,
): Promise<string | null> {
  const folder = resolve(out);
  if (result === null) return writeUnread(place, workId, folder);
  const files = xmls === null ? [cnab] : [cnab, xmls];
  const work = { workId, operationId, endedAt, files };
  await writeAnalysisFolder(place, result, { folder, filter, fileName: cnab.name, work });
  return folder;
}

function outcomeLines({ workId, status, operationId, error, result, ...rest }: AnalysisOutcome) {
  const lines: string[] = [status];
  if (rest.erased === true)
    lines.push('  erased     what the service reported is no longer stored');
  if (operationId !== null) lines.push(`  operation  ${operationId}`);
  if (error !== null) lines.push(`  error      ${error.code ?? '-'}: ${error.message}`);
  if (rest.possibleDoubleCharge) lines.push('  it may have been charged twice');
  if (result !== null) {
    const { summary, contradictions } = result;
    const line = (word: string, count: number | null, value: number | null): string =>
      `  ${String(count ?? '-').padStart(8)}  ${word.padEnd(10)} BRL ${value?.toFixed(2) ?? '-'}`;
    lines.push(
      line('titulos', summary.receivables, summary.totalValue),
      line('approved', summary.approved, summary.approvedValue),
      line('blocked', summary.blocked, summary.blockedValue),
      line('alerted', summary.alerted, summary.alertedValue),
    );
    for (const sentence of contradictions) lines.push(`  contradiction: ${sentence}`);
  }
  if (['unknown_outcome', 'expired', 'failed'].includes(status)) {
    lines.push(
      `  next       \`diligence credit resolve ${workId} --action reissue|abandon|watch|adopt --note "..."\``,
    );
  }
  return lines;
}

/** `status` of an analysis. */
export async function showAnalysisStatus(
  place: CommandContext,
  { record, outcome }: AnalysisOnFile,
  json: boolean,
): Promise<void> {
  const { workId, cnab, createdAt, createdBy } = record;
  const running =
    outcome === null
      ? await withEngine(place, (engine) => jobLine(engine, analysisWorkflowId(record.name)))
      : null;
  if (json) {
    const state = outcome === null ? (running === null ? 'broken off' : 'running') : 'ended';
    const about = { kind: 'credit-analysis', input: cnab.name, createdAt, createdBy };
    printJson({ id: workId, ...about, state, progress: running, outcome });
    return;
  }
  if (outcome !== null) {
    print(`${workId}: ended ${outcome.settledAt}`);
    for (const line of outcomeLines(outcome)) print(line);
  } else print(running ?? `${workId}: does not run: start the same command again to go on`);
}

/** `cancel`: what was not sent never is, what was stays at the service. `resume`: tries at once. */
export async function orderAnalysis(
  place: CommandContext,
  { record, outcome }: AnalysisOnFile,
  order: 'cancel' | 'resume',
): Promise<void> {
  const { workId } = record;
  if (outcome !== null)
    throw new CommandError(`${workId} has ended: \`diligence result ${workId}\``);
  const happenedAt = new Date().toISOString();
  const id = `decision/${workId}/${order}/${happenedAt}`;
  const by = place.environment.actor;
  const entry = { kind: 'decision', id, result: order, by, happenedAt, work: workId } as const;
  const folder = analysisFolder(workId);
  if (order === 'cancel') await place.store.jobs.stop(folder, 'cancelled', [entry]);
  else await place.audit.append([entry]);
  await place.audit.anchor();
  await withEngine(place, async (engine) => {
    const handle = engine.client.workflow.getHandle(analysisWorkflowId(record.name));
    try {
      print(
        order === 'cancel'
          ? await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] })
          : await handle.executeUpdate(resumeUpdate),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await place.store.jobs.release(folder);
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      tell(`${workId} does not run`);
    }
  });
}
