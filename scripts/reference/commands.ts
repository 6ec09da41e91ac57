import type { Command, Option } from 'commander';
import { commandsFor } from '../../src/commands';
import { code, page, table } from './markdown';

/** A command that does something, with the words before it. */
export interface Leaf {
  path: string;
  command: Command;
}

/** Commands that act: those without others below them, and those that act by themselves too. */
export function leaves(commands = commandsFor(undefined), before = 'diligence'): Leaf[] {
  return commands.flatMap((command) => {
    const path = `${before} ${command.name()}`;
    const below = leaves([...command.commands], path);
    return below.length === 0 || actsItself(command) ? [{ path, command }, ...below] : below;
  });
}

/** `inbox` lists, and has `inbox show` below it. */
const actsItself = (command: Command): boolean => command.options.length > 0;

/** Options that so many commands have in the same words are explained once. */
const shared = 6;

export function commandsPage(): string {
  const all = leaves();
  const uses = new Map<string, { option: Option; count: number }>();
  for (const { command } of all) {
    for (const option of visible(command)) {
      const entry = uses.get(keyOf(option)) ?? { option, count: 0 };
      uses.set(keyOf(option), { option, count: entry.count + 1 });
    }
  }
  const common = [...uses.values()].filter(({ count }) => count >= shared);
  const isCommon = (option: Option) => (uses.get(keyOf(option))?.count ?? 0) >= shared;
  return page(
    'Commands',
    '`diligence COMMAND --help` prints the same. An option in bold has to be given. Durations are numbers with `s`, `m`, `h` or `d`. Exit codes: 0 done; 1 failed, refused or not found; 2 wrong usage or configuration, nothing was sent; 3 ended, but a person is needed; 130 interrupted, the work goes on.',
    [
      '## Options that many commands share',
      optionTable(common.map(({ option }) => option)),
      ...families(all).flatMap(([family, own]) => [
        `## ${family}`,
        ...own.flatMap((leaf) => section(leaf, isCommon)),
      ]),
    ],
  );
}

function section({ path, command }: Leaf, isCommon: (option: Option) => boolean): string[] {
  const own = visible(command).filter((option) => !isCommon(option));
  const others = visible(command)
    .filter(isCommon)
    .map((option) => code(option.long ?? option.flags));
  return [
    `### ${path}`,
    `${command.description()}${argumentsOf(command)}`,
    ...(own.length > 0 ? [optionTable(own)] : []),
    ...(others.length > 0 ? [`${own.length > 0 ? 'Also' : 'Takes'} ${others.join(', ')}.`] : []),
  ];
}

function argumentsOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const shown = argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
    return argument.description === '' ? code(shown) : `${code(shown)}: ${argument.description}`;
  });
  return words.length === 0 ? '' : ` Argument ${words.join(', ')}.`;
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['option', 'means', 'default'],
    options.map((option) => [
      option.mandatory ? `**${code(option.flags)}**` : code(option.flags),
      option.description,
      defaultOf(option),
    ]),
  );
}

/** An empty list is an option that may be repeated. */
function defaultOf({ defaultValue, defaultValueDescription }: Option): string {
  const text = defaultValueDescription ?? String(defaultValue ?? '');
  return text === '' ? '' : code(text);
}

function families(all: readonly Leaf[]): [string, Leaf[]][] {
  const found = new Map<string, Leaf[]>();
  for (const leaf of all) {
    const family = leaf.path.split(' ')[1] ?? '';
    found.set(family, [...(found.get(family) ?? []), leaf]);
  }
  return [...found];
}

const visible = (command: Command): Option[] => command.options.filter(({ hidden }) => !hidden);
const keyOf = (option: Option): string =>
  [option.flags, option.description, option.defaultValue, option.mandatory].join('\n');
