import { Command } from 'commander';
import type { ResolveAction } from '../domain/core/kind';
import { jobKinds, jobStatuses, type JobKind, type Language } from '../domain/job';
import type { Reader } from '../report/reader';
import { kindWord, resolveLine, stateWord } from '../report/words';
import { withLanguage } from './cli/flags';
import { tableLines } from './cli/table';
import { oneOf, onScreen, printAs, printNote, sinceOf, wholeNumber } from './cli/terminal';
import { openContext } from './jobs/context';
import {
  inboxDetail,
  listInbox,
  listJobs,
  type InboxItem,
  type ListQuery,
  type ListedJob,
} from './jobs/listed-jobs';
import { namedJob } from './jobs/named-job';
import { errorWords, printable } from './jobs/text';
import { kindOf } from './kinds';

interface PageFlags extends Omit<ListQuery, 'since'> {
  since?: { at: number };
  json?: true;
}

export function listCommand(): Command {
  const command = new Command('list')
    .description('List jobs of every kind, newest first, from the store: Temporal need not run.')
    .option(
      '--status <word>',
      'how they ended, as `--json` says; `open`: they have not',
      oneOf(['open', ...jobStatuses]),
    )
    .option('--subject <text>', 'that hold something about a document, an e-mail, a phone...')
    .option('--label <text>', 'with this label, the whole of it')
    .option(
      '--sort <by>',
      'created or ended; the newest first',
      oneOf(['created', 'ended']),
      'created',
    );
  return withPages(command, 'created since').action((flags: PageFlags) =>
    printPage(flags, listJobs, tableOf, ['no such jobs', 'nenhum trabalho assim']),
  );
}

export function inboxCommand(): Command {
  const command = new Command('inbox').description(
    'What needs a person, newest first: why, and what can be decided. Temporal need not run.',
  );
  withPages(command, 'needed since').action((flags: PageFlags) =>
    printPage(flags, listInbox, inboxLines, [
      'nothing needs a person',
      'nada precisa de uma pessoa',
    ]),
  );
  withLanguage(command.command('show'))
    .description('One of them: what can be decided, by which command, and what it may cost.')
    .argument('<id>', 'the id of the job')
    .option('--json', 'one JSON document on standard output')
    .action((id: string, _own: object, own: Command) => showInboxOf(id, own.optsWithGlobals()));
  return command;
}

function withPages(command: Command, since: string): Command {
  return withLanguage(command)
    .option('--kind <kind>', `one of ${jobKinds.join(', ')}`, oneOf(jobKinds))
    .option('--since <when>', `${since} a date, an instant, or a time ago like 7d`, sinceOf)
    .option('--limit <n>', 'jobs on a page', wholeNumber(1, 10_000), 50)
    .option('--after <id>', 'the page after the one that ends with this job')
    .option('--json', 'one JSON document on standard output');
}

async function printPage<T>(
  { json, since, ...query }: PageFlags,
  read: (...of: Parameters<typeof listJobs>) => Promise<{ jobs: T[]; next: string | null }>,
  linesOf: (jobs: readonly T[], reader: Reader) => string[],
  none: readonly [en: string, pt: string],
): Promise<void> {
  const ctx = onScreen(await openContext(printNote), { json }, null);
  const { reader } = ctx;
  const { say } = reader;
  const request = { ...query, since: since && new Date(since.at) };
  const page = await read(ctx, request, ({ kind, input }) => kindOf(kind).describe(input, say));
  const { jobs, next } = page;
  printAs(json, page, jobs.length === 0 ? [] : linesOf(jobs, reader));
  if (json === true) return;
  if (jobs.length === 0) printNote(say(...none));
  if (next !== null)
    printNote(
      say(
        `there are more: the same command with --after ${next}`,
        `há mais: o mesmo comando com --after ${next}`,
      ),
    );
}

function tableOf(rows: readonly ListedJob[], { formats, language, say }: Reader): string[] {
  const person = say('needs a person', 'precisa de uma pessoa');
  return tableLines(
    [
      say('created', 'criado'),
      say('kind', 'espécie'),
      say('status', 'situação'),
      say('input', 'entrada'),
      'id',
    ],
    rows.map(({ createdAt, kind, status, needsAttention, waitsFor, input, id }) => {
      const reason = waitsFor === null ? '' : `: ${stateWord(waitsFor, language)}`;
      return [
        say(`${createdAt.slice(0, 19)}Z`, formats.instant(createdAt)),
        kindWord(kind, language),
        `${stateWord(status ?? 'open', language)}${needsAttention ? ` (${person}${reason})` : ''}`,
        input,
        id,
      ];
    }),
  );
}

function inboxLines(items: readonly InboxItem[], { formats, language, say }: Reader): string[] {
  const cost = say(' (may cost)', ' (pode custar)');
  const lines = items.flatMap(({ id, kind, status, waitsFor, since, why, actions, input }) => {
    const state = stateWord(waitsFor ?? status, language);
    const word = waitsFor === null ? state : `${say('waiting', 'aguarda')}: ${state}`;
    const names = actions.map(({ action, mayCost }) => `${action}${mayCost ? cost : ''}`);
    const at = say(`since ${since.slice(0, 19)}Z`, `desde ${formats.instant(since)}`);
    return [
      id,
      `  ${kindWord(kind, language)}, ${word}, ${at}: ${input}`,
      `  ${why}`,
      ...(names.length === 0 ? [] : [`  ${say('resolve', 'ações')}: ${names.join(', ')}`]),
    ];
  });
  return lines.map(printable);
}

async function showInboxOf(name: string, flags: { json?: true; lang?: Language }): Promise<void> {
  const opened = await openContext(printNote);
  const job = await namedJob(opened.store, name, 'waiting');
  const ctx = onScreen(opened, flags, job.output);
  const { reader } = ctx;
  const { formats, language, say } = reader;
  const detail = await inboxDetail(ctx, job);
  const { actions, decisions, id, kind, status, why } = detail;
  const error = errorWords(detail.error, reader);
  const lines = [
    `${id}: ${kindWord(kind, language)}, ${stateWord(status, language)}`,
    `  ${why ?? say('nobody is needed', 'ninguém é necessário')}`,
    ...(error === null ? [] : [`  ${say('error', 'erro')}: ${error}`]),
    ...decisions.map(({ action, by, at, note }) =>
      say(
        `  decided: ${action}, by ${by} at ${at}: ${note}`,
        `  decidido: ${stateWord(action, language)}, por ${by} em ${formats.instant(at)}: ${note}`,
      ),
    ),
    ...actions.flatMap(({ action, does, mayCost }) => [
      `  ${action}: ${does}${mayCost ? say(' (may cost)', ' (pode custar)') : ''}`,
      `    ${resolveLine(id, { action, which: rowsOf(kind, action, status) }, reader)}`,
    ]),
  ];
  printAs(flags.json, detail, lines.map(printable));
}

/** Rows of a batch of certificates are chosen. */
function rowsOf(kind: JobKind, action: ResolveAction, status: string): string {
  if (kind !== 'certificate-batch' || action === 'acknowledge') return '';
  return action === 'adopt' ? '--line N' : `--status ${status}`;
}
