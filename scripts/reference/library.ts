import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startables } from '../../src/starters/library/requests';
import { code, page, table } from './markdown';

interface Field {
  type?: string;
  enum?: string[];
  items?: Field;
  default?: string | number | boolean;
  description?: string;
}

/** The surface for programs: a change of it is seen here, in review. */
export function libraryPage(root: string): string {
  const source = readFileSync(join(root, 'src', 'starters', 'library', 'api.ts'), 'utf8');
  const start = source.indexOf('export interface ConnectOptions');
  if (start < 0)
    throw new Error('api.ts has no ConnectOptions: where do the types of the page begin?');
  const types = source.slice(start);
  return page(
    'Library',
    `\`import { connect } from 'diligence'\`: jobs of every kind from a program, by the code that the command line calls. It prints nothing, ends no process and sets no signal handler. [examples/investigate.ts](../../examples/investigate.ts) is one that is tested.`,
    [
      '## What `connect` gives',
      'Beside `connect(options?: ConnectOptions): Promise<Diligence>`: the classes of its errors, `UsageError`, `CommandError` and `ConfigError`, and the sandbox, `startSandbox` and `parseScenario`.',
      `\`\`\`ts\n${types.trim()}\n\`\`\``,
      '## What is asked for, by kind',
      'Durations are `90s`, `15m`, `24h` or `7d`. All but those of monitors take `label`, a word of yours to find the job by, and `rerun: true`, which orders anew although there is a result: it may be charged again.',
      ...Object.entries(startables).flatMap(([kind, { schema }]) => [
        `### ${kind}`,
        fieldsOf(schema),
      ]),
    ],
  );
}

const ofAll = { label: '', rerun: '' };

function fieldsOf(schema: z.ZodObject): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as {
    properties?: Record<string, Field>;
    required?: string[];
  };
  const own = Object.entries(properties).filter(([name]) => !(name in ofAll));
  const rows = own.map(([name, field]) => [
    code(name),
    typeOf(field),
    required.includes(name)
      ? 'must be given'
      : field.default === undefined
        ? 'optional'
        : code(String(field.default)),
    field.description ?? '',
  ]);
  return table(['field', 'type', 'default', 'meaning'], rows);
}

function typeOf({ enum: words, items, type = '' }: Field): string {
  if (words !== undefined) return words.map(code).join(' or ');
  return items === undefined ? type : `${typeOf(items)}, any number of them`;
}
