import { Context } from '@temporalio/activity';
import { AnalysisFile } from '../archive/analyses';
import { CreditBatchShelf } from '../archive/credit-batches';
import type { CreditBatchEnd } from '../domain/credit/batch';
import { analysisFolder, type AnalysisStatus } from '../domain/credit/work';
import type { CreditDependencies } from './dependencies';
import { archiveIncomplete, notSettledYet } from './failures';

const longestPauseMs = 30_000;

/** What a batch of analyses asks of the archive. */
export function createCreditBatchActivities({ archive, now }: CreditDependencies) {
  const analyses = new AnalysisFile(archive);
  const batches = new CreditBatchShelf(archive);

  /** Ids of the analyses of one part, and how those that have ended did. */
  async function readBatchPart({ folder, part }: { folder: string; part: number }) {
    const ids = await batches.part(folder, part);
    if (ids === null) throw archiveIncomplete(`part ${part} of ${folder}`);
    const open: string[] = [];
    const ended: AnalysisStatus[] = [];
    for (const id of ids) {
      const outcome = await analyses.outcome(analysisFolder(id));
      if (outcome === null) open.push(id);
      else ended.push(outcome.status);
    }
    return { open, ended };
  }

  /**
   * How an analysis ended that another run or another person has started.
   *
   * @param until epoch milliseconds
   * @returns null when it has not ended by then
   */
  async function awaitOutcome({ workId, until }: { workId: string; until: number }) {
    const outcome = await analyses.outcome(analysisFolder(workId));
    if (outcome !== null) return outcome.status;
    const leftMs = until - now();
    if (leftMs <= 2_000) return null;
    const pauseMs = Math.min(1_000 * Context.current().info.attempt, longestPauseMs);
    throw notSettledYet(Math.min(pauseMs, leftMs - 1_000));
  }

  async function concludeBatch({
    folder,
    ...end
  }: Omit<CreditBatchEnd, 'endedAt'> & { folder: string }): Promise<void> {
    await batches.putEnd(folder, { endedAt: new Date(now()).toISOString(), ...end });
  }

  return { readBatchPart, awaitOutcome, concludeBatch };
}
