import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { readEnvironment } from '../../environment';
import { readerOf } from '../../report/reader';
import { UsageError } from '../jobs/errors';
import { readRequest, type Startable } from '../jobs/begin/startable';
import { withActor, withDetach, withLanguage, withSheets } from './flags';
import { start } from './start-command';
import { durationMs, oneOf, printNote, sinceOf, wholeNumber } from './terminal';

/** A job of one subject, a batch, or both: then `--input` starts the batch. */
interface Forms {
  one?: Startable;
  many?: Startable;
  /** The field of `one` that is the argument of the command. */
  argument?: string;
  /** Default: where `--input` is given. */
  isMany?: (flags: Flags) => Promise<boolean>;
}

type Flags = Record<string, unknown>;

interface Field {
  type?: string;
  enum?: string[];
  default?: string | number;
  description?: string;
  minimum?: number;
  maximum?: number;
  items?: Field;
  /** What the flag calls its value. */
  value?: string;
}

interface Fields {
  properties: Record<string, Field>;
  required?: string[];
}

/** Gives a command a flag for each field of its requests, and those of every start. */
export function withFlags(command: Command, forms: Forms): Command {
  const { argument, many, one } = forms;
  const both = [one, many].filter((form) => form !== undefined);
  const read = both.map(({ schema }) => z.toJSONSchema(schema, { io: 'input' }) as Fields);
  const all = Object.assign(
    {},
    ...read.map(({ properties }) => properties),
  ) as Fields['properties'];
  if (argument !== undefined) command.argument(`[${argument}]`, all[argument]?.description);
  for (const [name, field] of Object.entries(all)) {
    if (name === argument) continue;
    const isOfAll = read.every(({ properties }) => name in properties);
    const isOfMany =
      !isOfAll && one !== undefined && many !== undefined && name in many.schema.shape;
    const option = optionOf(name, field, isOfMany && name !== 'input' ? 'of a batch: ' : '');
    const isNeeded = read.every(({ required = [] }) => required.includes(name));
    // A required option would be asked for by subcommands too.
    command.addOption(option.makeOptionMandatory(isNeeded && command.commands.length === 0));
  }
  const heeded = new Set(both.flatMap(({ kind }) => kind.heeds));
  withSheets(withLanguage(withDetach(withActor(command))), heeded)
    .option('--dry-run', 'show what would be requested, send nothing')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output');
  return command;
}

/** `withFlags`, for a command that starts what it is asked for. */
export function withStart(command: Command, forms: Forms): Command {
  const { argument, many, one } = forms;
  return withFlags(command, forms).action(async (...words: unknown[]) => {
    const flags: Flags = command.opts();
    if (argument !== undefined) flags[argument] = words[0];
    const isMany = await (forms.isMany?.(flags) ?? flags['input'] !== undefined);
    const form = one === undefined || (isMany && many !== undefined) ? many : one;
    const both = [one, many].filter((each) => each !== undefined);
    if (form !== undefined) await startForm(command, form, both, flags);
  });
}

async function startForm(
  command: Command,
  form: Startable,
  both: readonly Startable[],
  flags: Flags,
): Promise<void> {
  refuseForeign(command, form, both, flags);
  const own = Object.entries(flags).filter(([name]) => name in form.schema.shape);
  const begin = async (more: object): Promise<void> => {
    const request = readRequest(form, { ...Object.fromEntries(own), ...more });
    const reader = readerOf(readEnvironment().language);
    const read = await form.read?.({ log: printNote, reader }, request);
    await start(command, form.kind, read ?? ((ctx) => form.plan(ctx, request)), request);
  };
  // Read more than once: standard input is copied to a file.
  if (flags['input'] === '-' && 'column' in form.schema.shape) await withStandardInput(begin);
  else await begin({});
}

function refuseForeign(
  command: Command,
  { kind: { heeds }, schema }: Startable,
  both: readonly Startable[],
  flags: Flags,
): void {
  const isBatch = both.length > 1 && schema === both[1]?.schema;
  for (const [name, value] of Object.entries(flags)) {
    const source = command.getOptionValueSource(name);
    if (value === undefined || source === 'default') continue;
    const isUnheeded =
      ['excel', 'html', 'pdfNames'].includes(name) && !heeds.some((one) => one === name);
    const isForeign = !(name in schema.shape) && both.some((form) => name in form.schema.shape);
    if (!isUnheeded && !isForeign) continue;
    const written = source === undefined ? name : flagOf(name);
    const [en, pt] = isBatch ? ['a batch', 'um lote'] : ['a single job', 'um só trabalho'];
    throw new UsageError([
      `${written} does not go with ${en}`,
      `${written} não vale junto com ${pt}`,
    ]);
  }
  const { required = [] } = z.toJSONSchema(schema, { io: 'input' }) as unknown as Fields;
  for (const name of required) {
    if (flags[name] !== undefined) continue;
    const isOption = command.options.some((option) => option.attributeName() === name);
    const written = isOption ? flagOf(name) : name;
    throw new UsageError(
      both.every((form) => name in form.schema.shape)
        ? [`${written}: is missing`, `${written}: não foi informado`]
        : [
            `${written} or --input: expected one of them`,
            `${written} ou --input: informe um deles`,
          ],
    );
  }
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function optionOf(name: string, field: Field, before: string): Option {
  const { default: fallback, description = '', enum: words, items, type } = field;
  const { maximum = 1_000_000, minimum = 0 } = field;
  const value = items?.value ?? field.value ?? (type === 'integer' ? 'n' : name);
  const placeholder = type === 'boolean' ? '' : ` <${value}${items === undefined ? '' : '...'}>`;
  const isTold = words?.every((word) => description.includes(word)) ?? true;
  const choice = isTold ? [] : [words?.join(' or ')];
  const text = [...choice, description].filter(Boolean).join('; ');
  const option = new Option(`${flagOf(name)}${placeholder}`, `${before}${text}`);
  if (words !== undefined) option.argParser(oneOf(words));
  else if (type === 'integer') option.argParser(wholeNumber(minimum, maximum));
  else if (value === 'duration' || value === 'when') option.argParser(asWritten(value));
  return fallback === undefined ? option : option.default(fallback);
}

/** Refused here, where the flag is named; read by the request's schema. */
function asWritten(value: 'duration' | 'when'): (text: string) => string {
  return (text) => {
    if (value === 'duration') durationMs(text);
    else sinceOf(text);
    return text;
  };
}

async function withStandardInput(use: (input: { input: string }) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'diligence-input-'));
  try {
    const input = join(folder, 'standard input');
    await pipeline(process.stdin, createWriteStream(input, { mode: 0o600 }));
    await use({ input });
  } finally {
    await rm(folder, { recursive: true });
  }
}
