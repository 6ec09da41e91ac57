import { Command } from 'commander';
import type { ActionMeaning } from '../domain/attention';
import { jobKinds, type JobKind, type Language, type Say } from '../domain/job';
import type { Reader } from '../report/reader';
import { kindWord, stateWord } from '../report/words';
import { withLanguage } from './cli/flags';
import { oneOf, print, printJson, sinceOf, printNote, wholeNumber } from './cli/terminal';
import { inLanguage, openContext } from './jobs/context';
import { outputTerms } from './jobs/export-job';
import { namedJob } from './jobs/named-job';
import { inboxDetail, listInbox, type InboxItem } from './jobs/decide/inbox';
import { errorWords, printable } from './jobs/text';
import { describeInput, moreLine } from './list-jobs';

interface InboxFlags {
  kind?: JobKind;
  since?: { at: number };
  limit: number;
  after?: string;
  json?: true;
}

/** `inbox`, `inbox show ID`: jobs that need attention. */
export function inboxCommand(): Command {
  const command = withLanguage(new Command('inbox'))
    .description(
      'What needs a person, newest first: why, and what can be decided. Temporal need not run.',
    )
    .option('--kind <kind>', `one of ${jobKinds.join(', ')}`, oneOf(jobKinds))
    .option('--since <when>', 'needed since a date, an instant, or a time ago like 7d', sinceOf)
    .option('--limit <n>', 'jobs on a page', wholeNumber(1, 10_000), 50)
    .option('--after <id>', 'the page after the one that ends with this job')
    .option('--json', 'one JSON document on standard output')
    .action(list);
  withLanguage(command.command('show'))
    .description('One of them: what can be decided, by which command, and what it may cost.')
    .argument('<id>', 'the id of the job')
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string, _own: object, own: Command) =>
      show(id, own.optsWithGlobals<{ json?: true; lang?: Language }>()),
    );
  return command;
}

async function list({ kind, since, limit, after, json }: InboxFlags): Promise<void> {
  const opened = await openContext(printNote);
  const ctx = json === true ? inLanguage(opened, 'en') : opened;
  const { reader } = ctx;
  const { items, next } = await listInbox(
    ctx,
    {
      ...(kind !== undefined && { kind }),
      ...(since !== undefined && { waitingSince: new Date(since.at).toISOString() }),
    },
    { limit, ...(after !== undefined && { after }) },
  );
  if (json === true) {
    const jobs = items.map((item) => {
      return { ...item, input: describeInput(item.kind, item.input, reader.say) };
    });
    printJson({ jobs, next });
    return;
  }
  if (items.length === 0)
    printNote(reader.say('nothing needs a person', 'nada precisa de uma pessoa'));
  for (const item of items) for (const line of linesOf(item, reader)) print(printable(line));
  if (next !== null) printNote(moreLine(next, reader));
}

function linesOf(item: InboxItem, { formats, language, say }: Reader): string[] {
  const { id, kind, status, waitsFor, since, why, actions, input } = item;
  const state = stateWord(waitsFor ?? status, language);
  const word = waitsFor === null ? state : `${say('waiting', 'aguarda')}: ${state}`;
  const names = actions.map(({ action, mayCost }) => `${action}${mayCost ? costNote(say) : ''}`);
  const at = say(`since ${since.slice(0, 19)}Z`, `desde ${formats.instant(since)}`);
  return [
    id,
    `  ${kindWord(kind, language)}, ${word}, ${at}: ${describeInput(kind, input, say)}`,
    `  ${why}`,
    ...(names.length === 0 ? [] : [`  ${say('resolve', 'ações')}: ${names.join(', ')}`]),
  ];
}

async function show(
  name: string,
  { json = false, lang }: { json?: boolean; lang?: Language },
): Promise<void> {
  const ctx = await openContext(printNote);
  const { id, output } = await namedJob(ctx.store, name, 'waiting');
  const language = json ? 'en' : (lang ?? outputTerms(ctx, {}, output).lang);
  const own = inLanguage(ctx, language);
  const { formats, say } = own.reader;
  const detail = await inboxDetail(own, id);
  if (json) {
    printJson(detail);
    return;
  }
  const { kind, status, why, actions, decisions } = detail;
  print(`${id}: ${kindWord(kind, language)}, ${stateWord(status, language)}`);
  print(`  ${why ?? say('nobody is needed', 'ninguém é necessário')}`);
  const error = errorWords(detail.error, own.reader);
  if (error !== null) print(printable(`  ${say('error', 'erro')}: ${error}`));
  for (const { action, by, at, note } of decisions)
    print(
      printable(
        say(
          `  decided: ${action}, by ${by} at ${at}: ${note}`,
          `  decidido: ${stateWord(action, language)}, por ${by} em ${formats.instant(at)}: ${note}`,
        ),
      ),
    );
  for (const line of actionLines(id, actions, say)) print(line);
}

function costNote(say: Say): string {
  return say(' (may cost)', ' (pode custar)');
}

function actionLines(id: string, actions: readonly ActionMeaning[], say: Say): string[] {
  return actions.flatMap(({ action, does, mayCost }) => [
    `  ${action}: ${does}${mayCost ? costNote(say) : ''}`,
    `    diligence resolve ${id} --action ${action}${action === 'adopt' ? ' --external-id ID' : ''} --note "..."`,
  ]);
}
