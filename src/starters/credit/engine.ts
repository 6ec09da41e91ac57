import type { Words } from '../../domain/job';
import { creditApi, type CreditApi } from '../../apis/credit/credit';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { EngineCreation } from '../../apis/credit/engines';
import { classifyFailure } from '../../apis/http/classify';
import { StatusError } from '../../apis/http/errors';
import { isUuid } from '../../domain/core/uuid';
import { lengthFault, type Engine, type EngineFields } from '../../domain/credit/engine';
import { JsonText, stringifyWithTexts } from '../../domain/core/json-text';
import { withService } from '../jobs/begin/repeated-calls';
import { EngineCalls } from './engine-calls';
import { CommandError, UsageError, unreadableInput } from '../jobs/errors';
import { printable } from '../jobs/text';
import { stateWord } from '../../report/words';
import { print, printJson, printWords, say, screenReader } from '../cli/terminal';

interface ChangeFlags {
  name?: string;
  description?: string;
  rules?: string;
  json?: true;
}

/** `diligence engine`: the rule engines that evaluate receivables. */
export function engineCommand(): Command {
  const command = new Command('engine').description(
    'Rule engines of the credit service. One is chosen by its id, or by a name that only it has.',
  );
  for (const made of [list(), get(), create(), update(), remove()]) {
    command.addCommand(made);
  }
  return command;
}

function list(): Command {
  return new Command('list')
    .description('All engines, templates among them.')
    .option('--json', 'one JSON document on standard output')
    .action(async ({ json }: { json?: true }) => {
      const engines = await withEngines((calls) => calls.list());
      if (json === true) printJson({ engines });
      else for (const engine of engines) print(lineOf(engine));
    });
}

function get(): Command {
  return choosing('get')
    .option('--json', 'one JSON document on standard output')
    .description('One engine with its rules.')
    .action(async (wanted: string, flags: { json?: true }) => {
      const engine = await withEngines(async (calls) =>
        calls.read(isUuid(wanted) ? wanted : (await calls.find(wanted)).id),
      );
      showEngine(engine, flags.json);
    });
}

function create(): Command {
  return changing(new Command('create').requiredOption('--name <text>', nameText))
    .description('Create an engine whose name is new; the list is looked at first.')
    .option('--clone-from <engine>', 'id or name of an engine whose rules are copied')
    .action(async (flags: ChangeFlags & { name: string; cloneFrom?: string }) => {
      const { cloneFrom: source, json, name, rules } = flags;
      if (rules === undefined && source === undefined) {
        throw new UsageError([
          'an engine needs rules: --rules FILE, or --clone-from ENGINE',
          'um motor precisa de regras: --rules ARQUIVO ou --clone-from MOTOR',
        ]);
      }
      const creation: EngineCreation = { ...(await fieldsOf(flags)), name };
      const engine = await withEngines(async (calls) => {
        if (source !== undefined) creation.cloneFrom = (await calls.find(source)).id;
        return calls.create(creation);
      });
      showEngine(engine, json);
    });
}

function update(): Command {
  return changing(choosing('update'))
    .option('--name <text>', nameText)
    .description('Change what is given; everything else keeps its value.')
    .action(async (wanted: string, flags: ChangeFlags) => {
      const change = await fieldsOf(flags);
      if (Object.keys(change).length === 0) {
        throw new UsageError([
          'nothing to change: --name, --description or --rules',
          'nada a alterar: informe --name, --description ou --rules',
        ]);
      }
      showEngine(await withEngines((calls) => calls.update(wanted, change)), flags.json);
    });
}

function remove(): Command {
  return choosing('delete')
    .option('--json', 'one JSON document on standard output')
    .description('Remove an engine.')
    .option('--yes', 'it is really to be removed')
    .action(async (wanted: string, flags: { json?: true; yes?: true }) => {
      if (flags.yes !== true) {
        throw new UsageError([
          '`engine delete` needs --yes; nothing was sent',
          '`engine delete` exige --yes; nada foi enviado',
        ]);
      }
      const id = await withEngines(async (calls) => {
        const found = isUuid(wanted) ? wanted : (await calls.find(wanted)).id;
        await calls.remove(found);
        return found;
      });
      if (flags.json === true) printJson({ deleted: id });
      else print(`${say('deleted', 'apagado:')} ${id}`);
    });
}

function choosing(name: string): Command {
  return new Command(name).argument('<engine>', 'its id, or a name that only it has', (text) =>
    text.trim(),
  );
}

const nameText = '1 to 100 characters';

function changing(command: Command): Command {
  return command
    .option('--description <text>', 'at most 500 characters')
    .option('--rules <file>', 'a JSON file with the rule configuration, sent as it is')
    .option('--json', 'one JSON document on standard output');
}

/** Only the given fields. Validated before anything is sent. */
async function fieldsOf({ name, description, rules }: ChangeFlags): Promise<EngineFields> {
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

/** @throws UsageError when the file cannot be read, or is no JSON object */
async function rulesFrom(file: string): Promise<JsonText> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreadableInput('--rules', file, error));
  });
  const text = textOf(bytes);
  const rules = text === null ? undefined : parsed(text);
  if (Array.isArray(rules)) {
    throw new UsageError([
      `--rules: ${file} holds an array: what \`engine get\` prints is not what the service takes; expected an object`,
      `--rules: ${file} contém uma lista: o que \`engine get\` mostra não é o que o serviço aceita; espera-se um objeto`,
    ]);
  }
  if (text !== null && typeof rules === 'object' && rules !== null) return new JsonText(text);
  throw new UsageError([
    `--rules: ${file}: expected a JSON object`,
    `--rules: ${file}: espera-se um objeto JSON`,
  ]);
}

/** Null when it is not UTF-8: it could not be sent unchanged. Removes a byte order mark. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function withEngines<T>(work: (calls: EngineCalls) => Promise<T>): Promise<T> {
  return withCredit(async ({ engines }) => {
    try {
      return await work(new EngineCalls(engines, { print: printWords }));
    } catch (error) {
      throw error instanceof StatusError ? new CommandError(refusalWords(error)) : error;
    }
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

function withCredit<T>(work: (credit: CreditApi) => Promise<T>): Promise<T> {
  return withService('credit', (service, { creditNames }, timeoutMs) =>
    work(creditApi(service, creditNames, timeoutMs)),
  );
}
