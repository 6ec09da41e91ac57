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
export class ProfileSheets implements BatchSheets {
  readonly #folder: string;
  readonly #how: { excel: boolean };
  /** Columns of each section that occurs. */
  readonly #columns = new Map<string, Set<string>>();
  readonly #open = new Map<string, CsvFile>();

  constructor(folder: string, how: { excel: boolean }) {
    this.#folder = folder;
    this.#how = how;
  }

  learn(answer: Buffer): { assessed_value: number | null } {
    const sections = sectionsOf(answer);
    for (const { name, columns } of sections) {
      const known = this.#columns.get(name) ?? new Set<string>();
      for (const column of columns) known.add(column);
      this.#columns.set(name, known);
    }
    const properties = sections.find(({ name }) => name === 'imoveis')?.rows ?? [];
    const values = properties
      .map((row) => row['valor_venal'])
      .filter((one) => typeof one === 'number');
    const cents = values.reduce((sum, one) => sum + Math.round(one * 100), 0);
    return { assessed_value: values.length === 0 ? null : cents / 100 };
  }

  async write(
    { line, requested }: Parameters<BatchSheets['write']>[0],
    answer: Buffer,
  ): Promise<void> {
    for (const { name, rows } of sectionsOf(answer)) {
      const columns = [...(this.#columns.get(name) ?? [])];
      const sheet = this.#sheet(name, columns);
      for (const row of rows) {
        const cells = columns.map((column) => row[column] ?? null);
        if (!sheet.write([line, requested, ...cells])) await sheet.drained();
      }
    }
  }

  /** Removes sheets of an earlier result, which may be about other people. */
  async close(): Promise<void> {
    for (const sheet of this.#open.values()) await sheet.close();
    const others = profileSectionNames.filter((name) => !this.#open.has(name));
    for (const name of others) await rm(join(this.#folder, `${name}.csv`), { force: true });
  }

  async abandon(): Promise<void> {
    for (const sheet of this.#open.values()) await sheet.abandon();
  }

  #sheet(name: string, columns: readonly string[]): CsvFile {
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    const { excel } = this.#how;
    const path = join(this.#folder, `${name}.csv`);
    const sheet = new CsvFile(path, ['line', 'requested', ...columns], { excel });
    this.#open.set(name, sheet);
    return sheet;
  }
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
