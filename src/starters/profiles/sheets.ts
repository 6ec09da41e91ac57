import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../apis/http/problem';
import { profileFromWire } from '../../apis/investigation/profile.wire';
import type { RuralTold, SectionCounts } from '../../domain/profiles/lookup';
import type { Profile } from '../../domain/profiles/profile';
import {
  profileSectionNames,
  profileSections,
  type ProfileSection,
} from '../../domain/profiles/sections';
import {
  profileBatchHtml,
  type ProfileTotals,
  type ReportedPerson,
} from '../../report/profile-batch-html';
import { profileHtml } from '../../report/profile-html';
import { AnalysisSheet } from '../../sheets/analysis-sheet';
import type { BatchSheets, ShownRow } from '../jobs/batches/rules';
import { removeOthers, writeWhole } from '../jobs/written-file';

const lookupCall = { method: 'GET', pathTemplate: '/perfil/patrimonial/cpf/{cpf}' } as const;
/** A browser shows no more than this with ease. */
const mostPeople = 2_000;
const pages = 'pages';

/**
 * What a batch of lookups leaves beside `results.csv`: a sheet for each section over all people, and
 * with `html` a page for each of them and one that leads there. One answer at a time is in memory.
 */
export class ProfileSheets implements BatchSheets {
  readonly #folder: string;
  readonly #how: { excel: boolean; html: boolean };
  /** Columns of each section that somebody has. */
  readonly #columns = new Map<string, Set<string>>();
  readonly #open = new Map<string, AnalysisSheet>();
  readonly #pages = new Set<string>();
  readonly #people: ReportedPerson[] = [];
  readonly #totals: ProfileTotals = {
    people: 0,
    counts: { vehicles: 0, properties: 0, planes: 0, drones: 0, patents: 0 },
    assessedValue: 0,
    ruralFailed: 0,
    answered: 0,
  };
  #more = 0;

  constructor(folder: string, how: { excel: boolean; html: boolean }) {
    this.#folder = folder;
    this.#how = how;
  }

  async learn(row: ShownRow, answer: Buffer | null): Promise<void> {
    for (const { name, columns } of answer === null ? [] : sectionsOf(answer)) {
      const known = this.#columns.get(name) ?? new Set<string>();
      for (const column of columns) known.add(column);
      this.#columns.set(name, known);
    }
    if (!this.#how.html) return;
    const read = profileOf(answer);
    const page = read === null ? null : await this.#writePage(row, read);
    this.#tell(row, read?.profile ?? null, page);
  }

  async write({ line, asked }: ShownRow, answer: Buffer): Promise<void> {
    for (const { name, rows } of sectionsOf(answer)) {
      const columns = [...(this.#columns.get(name) ?? [])];
      const sheet = this.#sheet(name, columns);
      for (const row of rows) {
        const cells = columns.map((column) => row[column] ?? null);
        if (!sheet.write([line, asked, ...cells])) await sheet.drained();
      }
    }
  }

  async close(batch: Parameters<BatchSheets['close']>[0]): Promise<void> {
    for (const sheet of this.#open.values()) await sheet.close();
    await this.#removeEarlier();
    if (!this.#how.html) return;
    const { record, counts, endedAt } = batch;
    const { batchId, inputName, lines } = record;
    const about = { batchId, inputName, lines, counts, endedAt, writtenAt: Date.now() };
    const found = { totals: this.#totals, people: this.#people, more: this.#more };
    await writeWhole(this.#folder, 'report.html', profileBatchHtml({ ...about, ...found }));
  }

  async abandon(): Promise<void> {
    for (const sheet of this.#open.values()) await sheet.abandon();
  }

  /** An earlier result that stood here may be about other people. */
  async #removeEarlier(): Promise<void> {
    const { html } = this.#how;
    const sheets = profileSectionNames.filter((name) => !this.#open.has(name));
    const names = [...sheets.map((name) => `${name}.csv`), ...(html ? [] : ['report.html'])];
    for (const name of names) await rm(join(this.#folder, name), { force: true });
    await removeOthers(join(this.#folder, pages), /^\d+\.html$/, this.#pages);
  }

  #sheet(name: string, columns: readonly string[]): AnalysisSheet {
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    const { excel } = this.#how;
    const path = join(this.#folder, `${name}.csv`);
    const sheet = new AnalysisSheet(path, ['line', 'asked', ...columns], {
      excel,
      decimalComma: true,
    });
    this.#open.set(name, sheet);
    return sheet;
  }

  async #writePage({ line, asked, end }: ShownRow, read: ReadProfile): Promise<string> {
    const outcome = {
      call: Number(end?.cells['call'] ?? 1),
      sha256: textOrNull(end?.cells['sha256']),
      settledAt: end?.settledAt ?? '',
    };
    const page = profileHtml({
      cpf: asked,
      ...read,
      outcome,
      writtenAt: Date.now(),
      sheets: 'of the batch',
    });
    const name = `${line}.html`;
    await mkdir(join(this.#folder, pages), { recursive: true });
    await writeWhole(join(this.#folder, pages), name, page);
    this.#pages.add(name);
    return `${pages}/${name}`;
  }

  #tell({ line, asked, status, end }: ShownRow, profile: Profile | null, page: string | null) {
    const counts = end === null || status !== 'found' ? null : countsOf(end.cells);
    const rural = status === 'found' ? (end?.cells['rural'] as RuralTold) : null;
    const assessedValue = profile === null ? null : valueOf(profile);
    if (status === 'found') this.#add(counts, rural, assessedValue);
    if (status !== 'duplicate') this.#totals.answered += Number(end?.cells['answered'] ?? 0);
    if (this.#people.length >= mostPeople) this.#more += 1;
    else this.#people.push({ line, asked, status, counts, assessedValue, rural, page });
  }

  #add(counts: SectionCounts | null, rural: RuralTold | null, value: number | null): void {
    const totals = this.#totals;
    totals.people += 1;
    if (rural === 'failed') totals.ruralFailed += 1;
    totals.assessedValue = (Math.round(totals.assessedValue * 100) + cents(value ?? 0)) / 100;
    for (const [section, count] of Object.entries(counts ?? {})) {
      totals.counts[section as keyof SectionCounts] += count ?? 0;
    }
  }
}

interface ReadProfile {
  profile: Profile;
  sections: ProfileSection[];
}

/** Null when there is none, or what is left of it after an erasure is none. */
function profileOf(answer: Buffer | null): ReadProfile | null {
  if (answer === null) return null;
  const read = profileFromWire(lookupCall, answer);
  if (read.kind !== 'profile') return null;
  return { profile: read.profile, sections: profileSections(read.answer) };
}

/** None when what is left of it after an erasure is no profile. */
function sectionsOf(answer: Buffer): ProfileSection[] {
  return profileSections(parseJson(answer) as object);
}

function countsOf(cells: Readonly<Record<string, unknown>>): SectionCounts {
  const count = (name: keyof SectionCounts): number | null =>
    (cells[name] ?? null) as number | null;
  return {
    vehicles: count('vehicles'),
    properties: count('properties'),
    planes: count('planes'),
    drones: count('drones'),
    patents: count('patents'),
  };
}

function valueOf({ properties }: Profile): number | null {
  const values = (properties ?? []).map((one) => one.valor_venal).filter((one) => one !== null);
  return values.length === 0 ? null : values.reduce((sum, one) => sum + cents(one), 0) / 100;
}

function cents(value: number): number {
  return Math.round(value * 100);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
