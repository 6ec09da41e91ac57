import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { exitCodeOf } from '../../domain/attention';
import { dossierEnd } from '../../domain/job-ends';
import { BillingTotals } from '../../domain/core/billing-totals';
import { dossierDecisionEntry } from '../../domain/dossiers/audit';
import {
  dossierFolder,
  dossierWorkflowId,
  type AttemptSeen,
  type DossierOutcome,
  type DossierRecord,
  type DossierStatus,
} from '../../domain/dossiers/follow';
import type { EngineClient } from '../../temporal/connection';
import { cancelUpdate } from '../../workflows/messages';
import { writeDossierFolder } from './folder';
import { phasesLine } from './phases';
import {
  erasedLine,
  showSingleStatus,
  singleOf,
  type SingleKind,
  type SingleOnFile,
} from '../cli/single-work';
import { jobLine } from '../cli/job-line';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { print, printJson, tell } from '../cli/terminal';
import { refuseAllButCancel, type WorkFamily } from '../cli/work-family';
import { isNotFound, runningUnder, withEngine, type CommandContext } from '../jobs/context';

export type DossierOnFile = SingleOnFile<DossierRecord, DossierOutcome>;

export interface DossierOutput {
  out?: string;
  json?: true;
}

/** @throws CommandError when there is none */
export function dossierOf(place: CommandContext, id: string): Promise<DossierOnFile> {
  return singleOf(place, dossiers, id);
}

/** @throws CommandError before its end */
async function endOf(place: CommandContext, id: string): Promise<DossierOutcome> {
  const { outcome, record } = await dossierOf(place, id);
  if (outcome !== null) return outcome;
  throw new CommandError(`${record.workId} has not ended: \`diligence status ${record.workId}\``);
}

/** Writes the folder of a dossier whose report is on file, and tells how it ended. */
export async function showDossier(
  place: CommandContext,
  outcome: DossierOutcome,
  { json, out }: DossierOutput,
): Promise<number> {
  const { workId } = outcome;
  const filedIn = dossierFolder(workId);
  const exitCode = exitCodeOf('dossier', dossierEnd(outcome));
  const answers = await new DossierRepository(place.store).answers(filedIn);
  const folder = answers === null ? null : resolve(out ?? `out/${workId.replaceAll('/', '-')}`);
  const files = folder === null ? [] : await writeDossierFolder(place, filedIn, outcome, folder);
  if (json === true) {
    const totals = new BillingTotals();
    for (const { billing } of outcome.attempts) totals.add(billing);
    printJson({ id: workId, exitCode, folder, files, billing: totals.all(), outcome });
    return exitCode;
  }
  for (const line of outcomeLines(outcome)) print(line);
  if (folder !== null) print(`result: ${folder} (an export, in the clear): ${files.join(', ')}`);
  return exitCode;
}

const sayings: Record<DossierStatus, string> = {
  completed: 'completed',
  needs_review: 'needs a review: nobody has decided',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired: it had not settled in time',
  refused: 'refused by the service',
};

export function outcomeLines(outcome: DossierOutcome): string[] {
  const { attempts, caused, coverage, error, note, possibleAttempt, remote, risk } = outcome;
  const lines: string[] = [sayings[outcome.status]];
  if (outcome.erased === true) lines.push(erasedLine);
  if (remote !== null && remote !== outcome.status) lines.push(`  the service says ${remote}`);
  for (const attempt of attempts) lines.push(`  ${attemptLine(attempt)}`);
  if (caused > 0) lines.push(`  attempts caused by this work: ${caused}`);
  if (possibleAttempt) {
    lines.push(
      '  one more attempt may have been begun: its answer was lost, and it may be charged',
    );
  }
  if (coverage !== null) {
    const { completed, eligible, status } = coverage;
    lines.push(`  coverage   ${completed ?? '?'} of ${eligible ?? '?'} (${status ?? 'not told'})`);
  }
  if (outcome.stale === true)
    lines.push('  stale      the service holds data newer than the report');
  if (risk !== null) lines.push(`  risk       ${riskLine(risk)}`);
  if (outcome.review !== null) {
    const { action, by, note: why } = outcome.review;
    lines.push(`  review     ${action}, by ${by}: ${why}`);
  }
  for (const { bytes, sha256, type } of outcome.filed) {
    lines.push(`  filed      ${type ?? 'file'}, ${bytes} bytes, sha256 ${sha256}`);
  }
  for (const { type, why } of outcome.unfiled) {
    lines.push(`  not filed  ${type ?? 'file'}: ${why}`);
  }
  if (note !== null) lines.push(`  note       ${note}`);
  if (error !== null) lines.push(`  error      ${error.code ?? '-'}: ${error.message}`);
  return lines.map(printable);
}

function riskLine({
  form,
  level,
  matchedRules,
  missingFields,
  score,
  status,
}: NonNullable<DossierOutcome['risk']>): string {
  if (form === 'omitted') return 'none: no matrix was supplied, or it was not evaluated';
  if (form === 'insufficient_data') return `insufficient data (${missingFields} fields missing)`;
  const level_ = level ?? 'no level';
  if (form === 'classified')
    return `${level_}, score ${score ?? '-'}, ${matchedRules} rules matched`;
  return `${status ?? 'not told'}: ${level_}`;
}

export function attemptLine({ billing, number, status }: AttemptSeen): string {
  const cost =
    billing === null
      ? 'billing not told'
      : `${billing.status ?? 'not told'} ${billing.amount ?? '-'} ${billing.unit ?? ''}`.trimEnd();
  return `attempt ${number}  ${(status ?? 'not told').padEnd(12)} ${cost}`;
}

/** How a dossier stands, in a line; null when nobody can tell. */
export function dossierLine(engine: EngineClient, workflowId: string): Promise<string | null> {
  return jobLine(engine, workflowId, async ({ details: { attempts }, stage }) => {
    const last = attempts?.at(-1);
    return [
      stage === 'following' ? await phasesLine(engine, workflowId) : null,
      last?.billing == null ? null : attemptLine(last).replace(/ +/g, ' '),
    ];
  });
}

const dossiers: SingleKind<DossierRecord, DossierOutcome> = {
  kind: 'dossier',
  what: 'a dossier',
  name: /^[\w.-]+$/,
  shelf: (store) => new DossierRepository(store),
  workflowId: ({ dossierId }) => dossierWorkflowId(dossierId),
  input: ({ dossierId }) => dossierId,
  terms: ({ maxAttempts, onReview, toCancel }) => ({ maxAttempts, onReview, toCancel }),
  line: dossierLine,
  outcomeLines,
};

/** The work that follows a dossier now: all works about it go by one workflow id. Null when none does. */
export async function followerOf(engine: EngineClient, dossierId: string): Promise<string | null> {
  const workflowId = dossierWorkflowId(dossierId);
  const running = await runningUnder(engine, workflowId);
  return running && (running.startedFor ?? workflowId);
}

/** `remote`: the dossier too, at the service; else it is followed no longer, and goes on there. */
export async function cancelFollowing(
  place: CommandContext,
  { folder, outcome, record }: DossierOnFile,
  { remote }: { remote: boolean },
): Promise<void> {
  const { dossierId, workId } = record;
  if (outcome !== null) {
    throw new CommandError(`${workId} has ended: \`diligence result ${workId}\``);
  }
  const by = place.environment.actor;
  const entry = dossierDecisionEntry(
    remote ? 'cancel_remote' : 'cancel',
    { workId, by },
    Date.now(),
  );
  await place.store.jobs.stop(folder, 'cancelled', [entry]);
  await place.audit.anchor();
  await withEngine(place, async (engine) => {
    const handle = engine.client.workflow.getHandle(dossierWorkflowId(dossierId));
    try {
      const runs = await followerOf(engine, dossierId);
      if (runs !== null && runs !== workId) {
        throw new CommandError(`${workId} does not run: the dossier is followed by ${runs}`);
      }
      print(await handle.executeUpdate(cancelUpdate, { args: [{ now: true, remote }] }));
    } catch (error) {
      await place.store.jobs.release(folder);
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      if (isNotFound(error)) {
        throw new CommandError(`${workId} does not run: the same command goes on with it`);
      }
      throw refusalOf(workId, error);
    }
  });
  if (!remote) tell('the dossier goes on at the service (`--cancel-remote` cancels it there too)');
}

/** A refused update says why. */
export function refusalOf(workId: string, error: unknown): unknown {
  if (!(error instanceof WorkflowUpdateFailedError)) return error;
  return new CommandError(`${workId}: ${error.cause?.message ?? 'refused'}`);
}

export const dossierWorks: WorkFamily = {
  ordersTheService: true,
  owns: (id) => id.startsWith('dossier/'),
  status: async (place, id, json) =>
    showSingleStatus(place, dossiers, await dossierOf(place, id), json),
  result: async (place, id, { json, out }) =>
    showDossier(place, await endOf(place, id), {
      ...(out !== undefined && { out }),
      ...(json === true && { json }),
    }),
  order: async (place, id, name, { cancelRemote }) => {
    refuseAllButCancel(id, name, 'a dossier');
    const work = await dossierOf(place, id);
    const remote = cancelRemote === true || (await asksForRemote(work.record.dossierId));
    await cancelFollowing(place, work, { remote });
  },
};

/** Asked on a terminal; elsewhere the dossier is left alone. */
async function asksForRemote(dossierId: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`cancel dossier ${dossierId} at the service too? [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    asking.close();
  }
}
