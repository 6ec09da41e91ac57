/**
 * `npm run coverage-table`: counts what is covered of the specification and fails on a hole: an item
 * without a row or an empty column, a test or a declaration that does not exist, an assumption that
 * no row names.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assumptionTable, type Assumption } from '../src/apis/assumption-table';
import type {
  Checklist,
  CoverageRow,
  CoverageTable,
  EndpointCommands,
} from '../test/contract/coverage-table/row';
import {
  investigationChecklist,
  investigationCommands,
  investigationTable,
} from '../test/contract/coverage-table/investigation';
import { creditChecklist, creditTable } from '../test/contract/coverage-table/credit';
import { dossierChecklist, dossierTable } from '../test/contract/coverage-table/dossiers';
import { lensChecklist, lensTable } from '../test/contract/coverage-table/lens';
import { monitorChecklist, monitorTable } from '../test/contract/coverage-table/monitors';
import { profileChecklist, profileTable } from '../test/contract/coverage-table/profile';
import { traceChecklist, traceTable } from '../test/contract/coverage-table/traces';
import { declares } from '../test/contract/coverage-table/symbols';
import { testTitles } from '../test/contract/coverage-table/test-titles';

export interface Coverage {
  /** Every item of the specification that is to be covered, by section. */
  checklist: Checklist;
  table: CoverageTable;
  /** Those that must each have a row. */
  assumptions: readonly Pick<Assumption, 'matter'>[];
  /** Folder of the project. */
  root: string;
}

/** One line a hole, in the order of the table; empty when there is none. */
export function coverageHoles({ checklist, table, assumptions, root }: Coverage): string[] {
  const sources = new Map<string, string | null>();
  const sourceOf = (file: string): string | null => {
    const known = sources.get(file);
    if (known !== undefined) return known;
    const path = join(root, file);
    const source = existsSync(path) ? readFileSync(path, 'utf8') : null;
    sources.set(file, source);
    return source;
  };
  const titles = new Map<string, Set<string>>();
  const holes: string[] = [];
  const named = new Set<string>();

  function clientHole(client: string): string | null {
    const [, kind, rest = ''] =
      /^(assumption: |not read: |planned: |src\/)(.*)$/s.exec(client) ?? [];
    switch (kind) {
      case 'assumption: ':
        named.add(rest);
        return assumptions.some(({ matter }) => matter === rest)
          ? null
          : `no assumption has the matter "${rest}"`;
      case 'not read: ':
        return rest.trim() === '' ? 'no reason why the client does not read it' : null;
      case 'planned: ':
        return rest.trim() === '' ? 'no word on what is to hold it' : null;
      case 'src/': {
        const [file = '', symbol = ''] = client.split('#');
        const source = sourceOf(file);
        if (source === null) return `no such file: ${file}`;
        return symbol !== '' && declares(source, symbol) ? null : `${file} declares no ${symbol}`;
      }
      default:
        return `client: expected src/path#Symbol.field, "assumption: ...", "not read: ..." or "planned: ..."`;
    }
  }

  function testHole(test: string): string | null {
    const [name = '', ...rest] = test.split(' › ');
    const file = `test/${name}`;
    const source = sourceOf(file);
    if (source === null) return `no such file: ${file}`;
    if (!titles.has(file)) titles.set(file, testTitles(source));
    const title = rest.join(' › ');
    return titles.get(file)?.has(title) === true ? null : `${file} has no test "${title}"`;
  }

  for (const [section, items] of Object.entries(checklist)) {
    for (const item of items) {
      const place = `${section} | ${item}`;
      const row = table[section]?.[item] as Partial<CoverageRow> | undefined;
      if (row === undefined) {
        holes.push(`${place}: no row`);
        continue;
      }
      for (const column of ['sandbox', 'client', 'test'] as const) {
        if ((row[column] ?? '').trim() === '') holes.push(`${place}: no ${column}`);
      }
      const faults = [row.client && clientHole(row.client), row.test && testHole(row.test)];
      for (const fault of faults) if (fault) holes.push(`${place}: ${fault}`);
    }
  }
  for (const [section, rows] of Object.entries(table)) {
    const listed = new Set(checklist[section]);
    for (const item of Object.keys(rows)) {
      if (!listed.has(item)) {
        holes.push(`${section} | ${item}: a row for nothing on the checklist`);
      }
    }
  }
  for (const { matter } of assumptions) {
    if (!named.has(matter)) holes.push(`assumption "${matter}": no row names it`);
  }
  return holes;
}

/** Endpoints of a checklist that no command asks, and commands of what is no endpoint of it. */
export function endpointHoles(checklist: Checklist, commands: EndpointCommands): string[] {
  const items = Object.values(checklist).flat();
  const endpoints = items.flatMap((item) => /^(?:GET|POST|PATCH) \/[^:\s]*/.exec(item) ?? []);
  return [
    ...[...new Set(endpoints)]
      .filter((endpoint) => !Object.hasOwn(commands, endpoint))
      .map((endpoint) => `${endpoint}: no command asks it`),
    ...Object.keys(commands)
      .filter((endpoint) => !endpoints.includes(endpoint))
      .map((endpoint) => `${endpoint}: no endpoint of the specification`),
  ];
}

/** Rows per section, how the client holds them, and what asks each endpoint. */
export function coverageSummary(table: CoverageTable, commands: EndpointCommands): string[] {
  const kinds = ['src/', 'assumption: ', 'not read: ', 'planned: '] as const;
  const counts = Object.entries(table).map(([section, rows]) => {
    const clients = Object.values(rows).map(({ client }) => client);
    const held = kinds.map((kind) => clients.filter((client) => client.startsWith(kind)).length);
    return { section, held };
  });
  const line = (name: string, rows: string | number, held: readonly (string | number)[]): string =>
    `${name.padEnd(30)}${[rows, ...held].map((cell) => String(cell).padStart(10)).join('')}`;
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const total = kinds.map((_, kind) => sum(counts.map(({ held }) => held[kind] ?? 0)));
  return [
    line('section', 'rows', ['in src', 'assumed', 'not read', 'planned']),
    ...counts.map(({ section, held }) => line(section, sum(held), held)),
    line('all', sum(total), total),
    ...Object.entries(commands).map(([endpoint, command]) => `${endpoint.padEnd(54)}${command}`),
  ];
}

/** The tables, each with the areas of its assumptions. */
const services = [
  {
    name: 'investigation',
    checklist: {
      ...investigationChecklist,
      ...monitorChecklist,
      ...profileChecklist,
      ...lensChecklist,
      ...traceChecklist,
      ...dossierChecklist,
    },
    table: {
      ...investigationTable,
      ...monitorTable,
      ...profileTable,
      ...lensTable,
      ...traceTable,
      ...dossierTable,
    },
    commands: investigationCommands,
    areas: ['Both services', 'Lists', 'Certificates', 'Lens', 'Monitors', 'Trace', 'Dossiers'],
  },
  {
    name: 'credit',
    checklist: creditChecklist,
    table: creditTable,
    commands: null,
    areas: ['Both services', 'Credit'],
  },
];

function main(): void {
  const holes: string[] = [];
  for (const { name, checklist, table, commands, areas } of services) {
    const assumptions = assumptionTable.filter(({ area }) => areas.includes(area));
    holes.push(...coverageHoles({ checklist, table, assumptions, root: join(__dirname, '..') }));
    if (commands !== null) holes.push(...endpointHoles(checklist, commands));
    process.stdout.write(`${[name, ...coverageSummary(table, commands ?? {}), ''].join('\n')}\n`);
  }
  for (const hole of holes) process.stderr.write(`hole: ${hole}\n`);
  process.exitCode = holes.length === 0 ? 0 : 1;
}

if (require.main === module) main();
