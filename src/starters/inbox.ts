import { Command } from 'commander';
import type { ActionMeaning } from '../domain/attention';
import { jobKinds, type JobKind } from '../domain/job';
import { oneOf, print, printJson, sinceOf, tell, wholeNumber } from './cli/terminal';
import { openContext } from './jobs/context';
import { inboxDetail, listInbox, type InboxItem } from './jobs/decide/inbox';
import { printable } from './jobs/text';
import { describeInput } from './list-jobs';

interface InboxFlags {
  kind?: JobKind;
  since?: { at: number };
  limit: number;
  after?: string;
  json?: true;
}

/** `inbox`, `inbox show ID`: what needs a person. */
export function inboxCommand(): Command {
  const command = new Command('inbox')
    .description(
      'What needs a person, newest first: why, and what can be decided. Temporal need not run.',
    )
    .option('--kind <kind>', `one of ${jobKinds.join(', ')}`, oneOf(jobKinds))
    .option('--since <when>', 'needed since a date, an instant, or a time ago like 7d', sinceOf)
    .option('--limit <n>', 'jobs on a page', wholeNumber(1, 10_000), 50)
    .option('--after <id>', 'the page after the one that ends with this job')
    .option('--json', 'one JSON document on standard output')
    .action(list);
  command
    .command('show')
    .description('One of them: what can be decided, by which command, and what it may cost.')
    .argument('<id>', 'the id of the job')
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string, _own: object, own: Command) =>
      show(id, own.optsWithGlobals<{ json?: true }>().json === true),
    );
  return command;
}

async function list({ kind, since, limit, after, json }: InboxFlags): Promise<void> {
  const ctx = await openContext(tell);
  const { items, next } = await listInbox(
    ctx,
    {
      ...(kind !== undefined && { kind }),
      ...(since !== undefined && { since: new Date(since.at).toISOString() }),
    },
    { limit, ...(after !== undefined && { after }) },
  );
  if (json === true) {
    const jobs = items.map((item) => ({ ...item, input: describeInput(item.kind, item.input) }));
    printJson({ jobs, next });
    return;
  }
  if (items.length === 0) tell('nothing needs a person');
  for (const item of items) for (const line of linesOf(item)) print(printable(line));
  if (next !== null) tell(`there are more: the same command with --after ${next}`);
}

function linesOf({ id, kind, status, waitsFor, since, why, actions, input }: InboxItem): string[] {
  const word = waitsFor === null ? status : `waiting: ${waitsFor}`;
  const names = actions.map(({ action, mayCost }) => `${action}${mayCost ? ' (may cost)' : ''}`);
  return [
    id,
    `  ${kind}, ${word}, since ${since.slice(0, 19)}Z: ${describeInput(kind, input)}`,
    `  ${why}`,
    ...(names.length === 0 ? [] : [`  resolve: ${names.join(', ')}`]),
  ];
}

async function show(id: string, json: boolean): Promise<void> {
  const detail = await inboxDetail(await openContext(tell), id);
  if (json) {
    printJson(detail);
    return;
  }
  const { kind, status, why, error, actions, decisions } = detail;
  print(`${id}: ${kind}, ${status}`);
  print(`  ${why ?? 'nobody is needed'}`);
  if (error !== null) print(printable(`  error: ${error.code ?? '-'}: ${error.message}`));
  for (const { action, by, at, note } of decisions)
    print(printable(`  decided: ${action}, by ${by} at ${at}: ${note}`));
  for (const line of actionLines(id, actions)) print(line);
}

function actionLines(id: string, actions: readonly ActionMeaning[]): string[] {
  return actions.flatMap(({ action, does, mayCost }) => [
    `  ${action}: ${does}${mayCost ? ' (may cost)' : ''}`,
    `    diligence resolve ${id} --action ${action} --note "..."`,
  ]);
}
