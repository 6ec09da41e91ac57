import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../apis/http/problem';
import { profileFromWire } from '../../apis/investigation/wire/profile.wire';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import {
  profileSectionNames,
  profileSections,
  type ProfileSection,
} from '../../domain/profiles/sections';
import { CsvFile, csvTable } from '../../sheets/write/csv-file';
import { ProfileRepository } from '../../store/profiles/profiles';
import type { BatchSheets } from '../jobs/batches/rules';
import type { CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import { writeFolder } from '../jobs/single-kind';

/** Sheets of a batch of lookups besides `results.csv`: one for each section over all people. */
export function profileSheets(folder: string, how: { excel: boolean }): BatchSheets {
  /** Of each section that occurs. */
  const columnsOf = new Map<string, Set<string>>();
  const open = new Map<string, CsvFile>();
  return {
    learn(answer) {
      const sections = sectionsOf(answer);
      for (const { name, columns } of sections)
        columnsOf.set(name, new Set([...(columnsOf.get(name) ?? []), ...columns]));
      const properties = sections.find(({ name }) => name === 'imoveis')?.rows ?? [];
      const values = properties
        .map((row) => row['valor_venal'])
        .filter((one) => typeof one === 'number');
      const cents = values.reduce((sum, one) => sum + Math.round(one * 100), 0);
      return { assessed_value: values.length === 0 ? null : cents / 100 };
    },

    async write({ line, requested }, answer) {
      for (const { name, rows } of sectionsOf(answer)) {
        const columns = [...(columnsOf.get(name) ?? [])];
        const path = join(folder, `${name}.csv`);
        const sheet = open.get(name) ?? new CsvFile(path, ['line', 'requested', ...columns], how);
        open.set(name, sheet);
        for (const row of rows) {
          const cells = columns.map((column) => row[column] ?? null);
          if (!sheet.write([line, requested, ...cells])) await sheet.drained();
        }
      }
    },

    /** Removes sheets of an earlier result, which may be about other people. */
    async close() {
      for (const sheet of open.values()) await sheet.close();
      const others = profileSectionNames.filter((name) => !open.has(name));
      for (const name of others) await rm(join(folder, `${name}.csv`), { force: true });
    },

    async abandon() {
      for (const sheet of open.values()) await sheet.abandon();
    },
  };
}

/** Empty when an erasure has left no profile. */
function sectionsOf(answer: Buffer): ProfileSection[] {
  return profileSections(parseJson(answer) as object);
}

const lookupCall = { method: 'GET', pathTemplate: '/perfil/patrimonial/cpf/{cpf}' } as const;

/** All files that a folder of a profile may have. */
const ours = new RegExp(
  `^(?:profile\\.json|report\\.html|(?:${profileSectionNames.join('|')})\\.csv)$`,
);

/**
 * Writes `profile.json` and a CSV for each reported section from the store: an unencrypted export. Removes other
 * files of an earlier result: they may be about another person.
 * @returns file names
 */
export async function writeProfileFolder(
  { store }: CommandContext,
  outcomesIn: string,
  outcome: ProfileOutcome,
  { folder, excel }: { folder: string; excel: boolean },
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
  return writeFolder({ store, id: jobId, folder, ours }, files);
}
