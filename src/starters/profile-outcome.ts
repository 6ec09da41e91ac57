import { resolve } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ProfileFile } from '../archive/profiles';
import {
  profileFolder,
  profileWorkflowId,
  type ProfileOutcome,
  type ProfileRecord,
  type SectionCounts,
} from '../domain/profiles/lookup';
import { orderEntry } from '../domain/audit-entries';
import { maskDocument } from '../domain/documents';
import type { EngineClient } from '../temporal/connection';
import { cancelUpdate, profileProgressQuery } from '../workflows/messages';
import { defaultFolder } from './certificate-flags';
import { writeProfileFolder } from './profile-folder';
import { CommandError, exitCodes, print, printable, printJson, tell } from './terminal';
import { refuseAllButCancel, type ListedWork, type WorkFamily } from './work-family';
import { isNotFound, withEngine, type Workplace } from './workplace';

export interface ProfileOnFile {
  folder: string;
  record: ProfileRecord;
  /** Null before the end. */
  outcome: ProfileOutcome | null;
}

export interface ProfileOutput {
  out?: string;
  html?: true;
  excel?: true;
  json?: true;
}

function isProfileId(id: string): boolean {
  return id.startsWith('profile/');
}

/**
 * By the id that its command printed, or, without its instant, the last one about that CPF.
 *
 * @throws CommandError when there is none
 */
async function profileOf({ archive }: Workplace, id: string): Promise<ProfileOnFile> {
  const [, name, instant] = /^profile\/([0-9a-f]{32})(?:\/(\d{8}T\d+Z))?$/.exec(id) ?? [];
  const file = new ProfileFile(archive);
  const all = name === undefined ? [] : await file.all(name);
  const found = all.find(({ record }) => instant === undefined || record.workId === id);
  if (found === undefined) throw new CommandError(`no profile ${id} in this archive`);
  return { ...found, outcome: await file.outcome(found.folder) };
}

export function profileExitCode({ status }: ProfileOutcome): number {
  if (status === 'found' || status === 'cancelled') return exitCodes.done;
  return status === 'expired' ? exitCodes.needsAPerson : exitCodes.failed;
}

/** Writes the folder of a profile that was found and tells how the lookup ended. */
export async function showProfile(
  place: Workplace,
  { folder: filedIn, record, outcome }: ProfileOnFile,
  { out, html, excel, json }: ProfileOutput,
): Promise<number> {
  const { workId, cpf } = record;
  if (outcome === null) {
    throw new CommandError(`${workId} has not ended: \`diligence status ${workId}\``);
  }
  const exitCode = profileExitCode(outcome);
  const folder = outcome.status === 'found' ? resolve(out ?? defaultFolder(workId)) : null;
  if (folder !== null) {
    const how = { folder, html: html === true, excel: excel === true };
    await writeProfileFolder(place, { folder: filedIn, cpf }, outcome, how);
  }
  if (json === true) {
    printJson({ id: workId, exitCode, folder, outcome });
    return exitCode;
  }
  for (const line of outcomeLines(outcome)) print(line);
  if (folder !== null) print(`result: ${folder} (an export, in the clear)`);
  return exitCode;
}

const sectionWords: Record<keyof SectionCounts, string> = {
  vehicles: 'vehicles',
  properties: 'properties',
  planes: 'planes',
  drones: 'drones',
  patents: 'patents',
};

const sayings = {
  found: 'found',
  invalid: 'invalid: the service finds the CPF invalid',
  not_found: 'not found: the service knows nothing about the CPF',
  refused: 'refused by the service',
  expired: 'expired: the service had not answered at the deadline',
  cancelled: 'cancelled',
} as const;

const lockedOut = 'expired: the service refused our token until the deadline';

function outcomeLines({ status, counts, rural, answered, error }: ProfileOutcome): string[] {
  const isLockedOut = status === 'expired' && error?.code === 'credentials';
  const lines: string[] = [isLockedOut ? lockedOut : sayings[status]];
  for (const [section, count] of Object.entries(counts ?? {})) {
    const word = sectionWords[section as keyof SectionCounts];
    lines.push(`  ${word.padEnd(10)} ${count ?? 'not told'}`);
  }
  if (rural === 'told') lines.push('  rural      told');
  if (rural === 'failed') {
    const next = answered > 1 ? 'twice' : '`--retry-rural` asks once more, and may be charged for';
    lines.push(`  rural      timed out or failed (${next})`);
  }
  if (answered > 1) lines.push(`  it was answered ${answered} times, and may be charged as often`);
  if (error !== null) {
    lines.push(`  error      ${error.code ?? '-'}: ${printable(error.message)}`);
  }
  return lines;
}

/** How a lookup stands, in a line; null when nobody can tell. */
export async function profileLine(
  engine: EngineClient,
  workflowId: string,
): Promise<string | null> {
  const handle = engine.client.workflow.getHandle(workflowId);
  const progress = await handle.query(profileProgressQuery).catch(() => null);
  if (progress === null) return null;
  const { stage, waiting } = progress;
  return `${workflowId}: ${stage}${waiting === null ? '' : ` (${waiting})`}`;
}

/** Every lookup on file, newest first, as `list` shows it. */
async function profilesOnFile({ archive }: Workplace): Promise<ListedWork[]> {
  const file = new ProfileFile(archive);
  return Promise.all(
    (await file.all()).map(async ({ folder, record }) => {
      const { workId: id, cpf, createdAt, createdBy } = record;
      const status = (await file.outcome(folder))?.status ?? null;
      return { id, kind: 'profile', input: maskDocument(cpf), createdAt, createdBy, status };
    }),
  );
}

/** `status` of a lookup. */
async function showProfileStatus(
  place: Workplace,
  { record, outcome }: ProfileOnFile,
  json: boolean,
): Promise<void> {
  const { workId, name, cpf, createdAt, createdBy } = record;
  const running =
    outcome === null
      ? await withEngine(place, (engine) => profileLine(engine, profileWorkflowId(name)))
      : null;
  if (json) {
    const state = outcome !== null ? 'ended' : running === null ? 'broken off' : 'running';
    const about = { kind: 'profile', input: maskDocument(cpf), createdAt, createdBy };
    printJson({ id: workId, ...about, state, progress: running, outcome });
    return;
  }
  if (outcome !== null) {
    print(`${workId}: ended ${outcome.settledAt}`);
    for (const line of outcomeLines(outcome)) print(line);
  } else print(running ?? `${workId}: does not run: start the same command again to go on`);
}

/** `cancel`: what was not answered is not asked again. */
async function cancelProfile(place: Workplace, { record, outcome }: ProfileOnFile): Promise<void> {
  const { workId, name } = record;
  if (outcome !== null) {
    throw new CommandError(`${workId} has ended: \`diligence result ${workId}\``);
  }
  const entry = orderEntry('cancel', { workId, by: place.environment.actor }, Date.now());
  await place.audit.appendAndAnchor([entry]);
  await withEngine(place, async (engine) => {
    const handle = engine.client.workflow.getHandle(profileWorkflowId(name));
    try {
      print(await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] }));
    } catch (error) {
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !isNotFound(error)) throw error;
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      if (isRefused) throw new CommandError(`${workId}: ${error.cause?.message ?? 'refused'}`);
      tell(`${workId} does not run`);
    }
  });
}

export const profileWorks: WorkFamily = {
  listed: 'profiles',
  owns: isProfileId,
  onFile: profilesOnFile,
  status: async (place, id, json) => showProfileStatus(place, await profileOf(place, id), json),
  /** It writes all that there is. */
  result: async (place, id, { out, json, excel }) =>
    showProfile(place, await profileOf(place, id), {
      html: true,
      ...(out !== undefined && { out }),
      ...(json === true && { json }),
      ...(excel === true && { excel }),
    }),
  order: async (place, id, name) => {
    refuseAllButCancel(id, name, 'a lookup');
    await cancelProfile(place, await profileOf(place, id));
  },
};

/** Puts on file what is asked for: it can be started then. */
export async function putLookup(
  { archive, environment }: Workplace,
  { cpf, name, retryRural }: Pick<ProfileRecord, 'cpf' | 'name' | 'retryRural'>,
): Promise<ProfileRecord> {
  const createdAt = new Date().toISOString();
  const workId = `${profileWorkflowId(name)}/${createdAt.replace(/[-:.]/g, '')}`;
  const createdBy = environment.actor;
  const record = { workId, name, cpf, retryRural, createdAt, createdBy };
  await new ProfileFile(archive).putRecord(profileFolder(workId), record);
  return record;
}
