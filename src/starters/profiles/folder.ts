import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { profileFromWire } from '../../apis/investigation/wire/profile.wire';
import { ProfileRepository } from '../../store/profiles/profiles';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import { profileSectionNames, profileSections } from '../../domain/profiles/sections';
import { csvTable } from '../../sheets/write/csv-file';
import { CommandError } from '../jobs/errors';
import type { CommandContext } from '../jobs/context';
import { writeWhole } from '../jobs/written-file';

const lookupCall = { method: 'GET', pathTemplate: '/perfil/patrimonial/cpf/{cpf}' } as const;

/** All files that a folder of a profile may have. */
const ours = ['profile.json', 'report.html', ...profileSectionNames.map((name) => `${name}.csv`)];

export interface ProfileFolderOptions {
  folder: string;
  excel: boolean;
}

/**
 * Writes `profile.json` and a CSV for each reported section from the store: an unencrypted
 * export. Removes other files of an earlier result: they may be about another person.
 *
 * @returns file names
 * @throws CommandError when the response was erased
 */
export async function writeProfileFolder(
  { store }: CommandContext,
  outcomesIn: string,
  outcome: ProfileOutcome,
  { folder, excel }: ProfileFolderOptions,
): Promise<string[]> {
  const { call, jobId } = outcome;
  const body = call === null ? null : await new ProfileRepository(store).answer(outcomesIn, call);
  const read = body === null ? null : profileFromWire(lookupCall, body);
  if (read?.kind !== 'profile') {
    throw new CommandError([
      `${jobId}: its answer is not in the store any more`,
      `${jobId}: a sua resposta não está mais armazenada`,
    ]);
  }
  const sections = profileSections(read.answer);
  const files = new Map([['profile.json', `${JSON.stringify(read.answer, null, 2)}\n`]]);
  for (const section of sections) files.set(`${section.name}.csv`, csvTable(section, { excel }));
  await mkdir(folder, { recursive: true });
  for (const name of ours) if (!files.has(name)) await rm(join(folder, name), { force: true });
  for (const [name, text] of files) await writeWhole(folder, name, text);
  return [...files.keys()];
}
