import { assumptionTable } from '../../src/apis/assumption-table';
import { settingsTable } from '../../src/environment/variables';
import { code, page, table } from './markdown';

/** Variables, keys of the configuration file, and the assumptions by what they are about. */
export function settingsPage(): string {
  const areas = [...new Set(assumptionTable.map(({ area }) => area))];
  return page(
    'Settings',
    'Variables are read from the environment, then from `.env` in the working directory (`.env.example` is one to copy). A name that begins like ours and is none of these is an error, since a misspelling can cost money. An empty value counts as not set.',
    [
      '## Variables',
      settingsFrom('environment', 'variable'),
      '`TEMPORAL_*`: all names of `@temporalio/envconfig`; without an address, there or in a profile, the embedded engine is used. `TEMPORAL_CLI_PATH`: the Temporal CLI, when it is not to be looked for.',
      '## diligence.config.json',
      'What is seldom set stands in one JSON file: in the working directory, or where `DILIGENCE_CONFIG` names it. `lens.readPath` is the key `readPath` of the section `lens`. Every process reads it at its start; an unknown key is an error. `"$schema": "./node_modules/diligence/dist/schemas/config.json"` lets an editor complete it. No secret belongs there.',
      settingsFrom('file', 'key'),
      '## Assumptions',
      'What the specifications of the services do not show, what is assumed instead, and why. `diligence doctor --assumptions` prints the same, with the values in force.',
      ...areas.flatMap((area) => [
        `### ${area}`,
        table(
          ['matter', 'what is assumed', 'overridden by', 'because'],
          assumptionTable
            .filter((row) => row.area === area)
            .map((row) => [row.matter, row.value, row.keys.map(code).join(', '), row.reason]),
        ),
      ]),
    ],
  );
}

function settingsFrom(from: 'environment' | 'file', heading: string): string {
  const rows = settingsTable
    .filter((setting) => setting.from === from)
    .map(({ name, default: value, meaning }) => [
      code(name),
      value === null || value === 'null' || value === '' ? '' : code(value),
      meaning,
    ]);
  return table([heading, 'default', 'meaning'], rows);
}
