import { resolve } from 'node:path';
import { ProfileRepository } from '../../store/profiles/profiles';
import { attentionOf } from '../../domain/attention';
import {
  profileFolder,
  profileWorkflowId,
  type ProfileOutcome,
  type ProfileRecord,
  type SectionCounts,
} from '../../domain/profiles/lookup';
import { maskDocument } from '../../domain/core/documents';
import { defaultFolder } from '../cli/flags';
import { writeProfileFolder } from './folder';
import { erasedLine, singleWorks, type SingleKind, type SingleOnFile } from '../cli/single-work';
import { jobLine } from '../cli/job-line';
import { CommandError } from '../jobs/errors';
import { counted, printable } from '../jobs/text';
import { print, printJson } from '../cli/terminal';
import type { WorkFamily } from '../cli/work-family';
import type { CommandContext } from '../jobs/context';

export type ProfileOnFile = SingleOnFile<ProfileRecord, ProfileOutcome>;

export interface ProfileOutput {
  out?: string;
  html?: true;
  excel?: true;
  json?: true;
}

/** Writes the folder of a profile that was found and tells how the lookup ended. */
export async function showProfile(
  place: CommandContext,
  { folder: filedIn, record, outcome }: ProfileOnFile,
  { out, html, excel, json }: ProfileOutput,
): Promise<number> {
  const { workId, cpf } = record;
  if (outcome === null) {
    throw new CommandError(`${workId} has not ended: \`diligence status ${workId}\``);
  }
  const exitCode = attentionOf('profile', outcome.status).exitCode;
  const isOnFile = outcome.status === 'found' && outcome.erased !== true;
  const folder = isOnFile ? resolve(out ?? defaultFolder(workId)) : null;
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
  unreadable: 'unreadable: the service answered, and not with a profile',
  unknown_outcome: 'unknown: calls have left, and no answer could be put on file',
  expired: 'expired: the service had not answered at the deadline',
  cancelled: 'cancelled',
} as const;

const lockedOut = 'expired: the service refused our token until the deadline';

function outcomeLines(outcome: ProfileOutcome): string[] {
  const { status, counts, rural, call, answered, answersLost, error, erased } = outcome;
  const isLockedOut = status === 'expired' && error?.code === 'credentials';
  const lines: string[] = [isLockedOut ? lockedOut : sayings[status]];
  if (erased === true) lines.push(erasedLine);
  for (const [section, count] of Object.entries(counts ?? {})) {
    const word = sectionWords[section as keyof SectionCounts];
    lines.push(`  ${word.padEnd(10)} ${count ?? 'not told'}`);
  }
  if (rural === 'told') lines.push('  rural      told');
  if (rural === 'failed') {
    const again = '`--retry-rural` looks it up anew, twice at most: each answer may be charged for';
    const next = call === 2 ? 'twice' : again;
    lines.push(`  rural      timed out or failed (${next})`);
  }
  if (answered > 1) lines.push(`  it was answered ${answered} times, and may be charged as often`);
  if (answersLost > 0) {
    lines.push(`  ${counted(answersLost, 'call')} without a readable answer: perhaps charged, too`);
  }
  if (error !== null) {
    lines.push(`  error      ${error.code ?? '-'}: ${printable(error.message)}`);
  }
  return lines;
}

export const lookups: SingleKind<ProfileRecord, ProfileOutcome> = {
  kind: 'profile',
  what: 'a lookup',
  name: /^[0-9a-f]{32}$/,
  shelf: (store) => new ProfileRepository(store),
  workflowId: ({ name }) => profileWorkflowId(name),
  input: ({ cpf }) => maskDocument(cpf),
  terms: ({ retryRural }) => ({ retryRural }),
  line: jobLine,
  outcomeLines,
};

/** `result` writes all that there is. */
const profileSingles = singleWorks(lookups, (place, work, { out, json, excel }) =>
  showProfile(place, work, {
    html: true,
    ...(out !== undefined && { out }),
    ...(json === true && { json }),
    ...(excel === true && { excel }),
  }),
);

export const profileWorks: WorkFamily = { ...profileSingles, takesExcel: true };

/** Puts on file what is asked for: it can be started then. */
export async function putLookup(
  { store, environment }: CommandContext,
  { cpf, name, retryRural }: Pick<ProfileRecord, 'cpf' | 'name' | 'retryRural'>,
): Promise<ProfileRecord> {
  const createdAt = new Date().toISOString();
  const workId = `${profileWorkflowId(name)}/${createdAt.replace(/[-:.]/g, '')}`;
  const createdBy = environment.actor;
  const record = { workId, name, cpf, retryRural, createdAt, createdBy };
  const folder = profileFolder(workId);
  await store.subjects.add(folder, [name]);
  await new ProfileRepository(store).putRecord(folder, record);
  return record;
}
