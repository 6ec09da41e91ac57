import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../apis/http/problem';
import {
  profileSectionNames,
  profileSections,
  type ProfileSection,
} from '../../domain/profiles/sections';
import { CsvFile, csvTable } from '../../sheets/write/csv-file';
import type { BatchSheets } from '../jobs/batches/rules';

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

export function tablesOf(answer: Buffer, how: { excel: boolean }): [name: string, string][] {
  return sectionsOf(answer).map((section) => [`${section.name}.csv`, csvTable(section, how)]);
}
