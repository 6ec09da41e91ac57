import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { creditApi } from '../../apis/credit/credit';
import type { EngineCreation } from '../../apis/credit/engines';
import { classifyFailure } from '../../apis/http/classify';
import { StatusError } from '../../apis/http/errors';
import { JsonText, stringifyWithTexts } from '../../domain/core/json-text';
import { isUuid } from '../../domain/core/documents/documents';
import { lengthFault, type EngineFields } from '../../domain/credit/engine';
import type { Engine } from '../../apis/credit/engines.wire';
import type { Words } from '../../domain/job';
import { stateWord } from '../../report/words';
import { print, printAs, printWords, say, screenReader } from '../cli/terminal';
import { withService } from '../jobs/begin/repeated-calls';
import { CommandError, UsageError, unreadableInput } from '../jobs/errors';
import { printable } from '../jobs/text';
import { engineCalls, type EngineCalls } from './engine-calls';

interface Flags {
  name?: string;
  description?: string;
  rules?: string;
  cloneFrom?: string;
  yes?: true;
  json?: true;
}

const texts: Readonly<Record<string, string>> = {
  '--json': 'one JSON document on standard output',
  '--name <text>': '1 to 100 characters',
  '--description <text>': 'at most 500 characters',
  '--rules <file>': 'a JSON file with the rule configuration, sent as it is',
  '--clone-from <engine>': 'id or name of an engine whose rules are copied',
  '--yes': 'it is really to be removed',
};
const changes = ['--name <text>', '--description <text>', '--rules <file>'];

export function engineCommand(): Command {
  const add = (name: string, about: string, options: string[], hasEngine = true): Command => {
    const command = engine.command(name).description(about);
    if (hasEngine)
      command.argument('<engine>', 'its id, or a name that only it has', (text) => text.trim());
    for (const option of [...options, '--json']) command.option(option, texts[option]);
    return command;
  };
  const engine = new Command('engine').description(
    'Rule engines of the credit service. One is chosen by its id, or by a name that only it has.',
  );
  add('list', 'All engines, templates among them.', [], false).action(async ({ json }: Flags) => {
    const engines = await withEngines((calls) => calls.list());
    printAs(json, { engines }, engines.map(lineOf));
  });
  add('get', 'One engine with its rules.', []).action(async (wanted: string, { json }: Flags) =>
    showEngine(await withEngines(async (calls) => calls.read(await idOf(calls, wanted))), json),
  );
  const newName = 'Create an engine whose name is new; the list is looked at first.';
  add('create', newName, [...changes.slice(1), '--clone-from <engine>'], false)
    .requiredOption('--name <text>', texts['--name <text>'])
    .action(async (flags: Flags & { name: string }) => showEngine(await create(flags), flags.json));
  add('update', 'Change what is given; everything else keeps its value.', changes).action(
    async (wanted: string, flags: Flags) => {
      const change = await fieldsOf(flags);
      if (Object.keys(change).length === 0)
        throw new UsageError([
          'nothing to change: --name, --description or --rules',
          'nada a alterar: informe --name, --description ou --rules',
        ]);
      showEngine(await withEngines((calls) => calls.update(wanted, change)), flags.json);
    },
  );
  add('delete', 'Remove an engine.', ['--yes']).action(
    async (wanted: string, { json, yes }: Flags) => {
      if (yes !== true)
        throw new UsageError([
          '`engine delete` needs --yes; nothing was sent',
          '`engine delete` exige --yes; nada foi enviado',
        ]);
      const deleted = await withEngines(async (calls) => {
        const id = await idOf(calls, wanted);
        await calls.remove(id);
        return id;
      });
      printAs(json, { deleted }, [`${say('deleted', 'apagado:')} ${deleted}`]);
    },
  );
  return engine;
}

async function idOf(calls: EngineCalls, wanted: string): Promise<string> {
  return isUuid(wanted) ? wanted : (await calls.find(wanted)).id;
}

async function create(flags: Flags & { name: string }): Promise<Engine> {
  const { cloneFrom: source, name, rules } = flags;
  if (rules === undefined && source === undefined)
    throw new UsageError([
      'an engine needs rules: --rules FILE, or --clone-from ENGINE',
      'um motor precisa de regras: --rules ARQUIVO ou --clone-from MOTOR',
    ]);
  const creation: EngineCreation = { ...(await fieldsOf(flags)), name };
  return withEngines(async (calls) => {
    if (source !== undefined) creation.cloneFrom = (await calls.find(source)).id;
    return calls.create(creation);
  });
}

async function fieldsOf({ name, description, rules }: Flags): Promise<EngineFields> {
  const fields: EngineFields = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
  const fault = lengthFault(fields);
  if (fault !== null)
    throw new UsageError([`${fault[0]}; nothing was sent`, `${fault[1]}; nada foi enviado`]);
  if (rules !== undefined) fields.rules = await rulesFrom(rules);
  return fields;
}

async function rulesFrom(file: string): Promise<JsonText> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreadableInput('--rules', file, error));
  });
  const text = textOf(bytes);
  if (text?.startsWith('[') === true)
    throw new UsageError([
      `--rules: ${file} holds an array: what \`engine get\` prints is not what the service takes; expected an object`,
      `--rules: ${file} contém uma lista: o que \`engine get\` mostra não é o que o serviço aceita; espera-se um objeto`,
    ]);
  if (text?.startsWith('{') === true) return new JsonText(text);
  throw new UsageError([
    `--rules: ${file}: expected a JSON object`,
    `--rules: ${file}: espera-se um objeto JSON`,
  ]);
}

/** Null when it is no JSON in UTF-8: it could not be sent unchanged. Removes a byte order mark. */
function textOf(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
}

async function withEngines<T>(work: (calls: EngineCalls) => Promise<T>): Promise<T> {
  return withService('credit', (service, { creditNames }, timeoutMs) => {
    const { engines } = creditApi(service, creditNames, timeoutMs);
    return work(engineCalls(engines, { print: printWords })).catch((error: unknown) => {
      throw error instanceof StatusError ? new CommandError(refusalWords(error)) : error;
    });
  });
}

function refusalWords(error: StatusError): Words {
  const { status, code, detail } = error;
  const word = code === null ? '' : ` ${code}`;
  const words = `${status}${word}${detail === null ? '' : `: ${printable(detail)}`}`;
  const [en, pt] =
    classifyFailure(error) === 'credentials'
      ? ['refused the token', 'recusou a credencial']
      : status < 500
        ? ['refused', 'recusou']
        : ['failed', 'falhou'];
  return [`the service ${en}: it answered ${words}`, `o serviço ${pt}: respondeu ${words}`];
}

export function showEngine(engine: Engine, json: true | undefined): void {
  if (json === true) {
    const { rulesText, ...rest } = engine;
    print(stringifyWithTexts({ engine: { ...rest, rules: rulesText ?? rest.rules } }, 2));
    return;
  }
  print(lineOf(engine));
  if (engine.description !== null) print(`  ${printable(engine.description)}`);
  for (const { id, name, severity, enabled } of engine.rules ?? []) {
    const state = enabled === null ? '' : enabled ? say('on', 'ativa') : say('off', 'inativa');
    const level = severity === null ? '' : stateWord(severity, screenReader().language);
    const words = [
      state.padEnd(say('off', 'inativa').length),
      level.padEnd(8),
      id ?? '',
      name ?? '',
    ];
    print(`  ${words.map(printable).join('  ')}`.trimEnd());
  }
}

function lineOf({ id, name, isTemplate, ruleCount }: Engine): string {
  const { count } = screenReader();
  const rules =
    ruleCount === null ? '' : `, ${count(ruleCount, ['rule', 'rules'], ['regra', 'regras'])}`;
  return printable(
    `${id}  ${name}${isTemplate === true ? say(' (template)', ' (modelo)') : ''}${rules}`,
  );
}
