import { Command } from 'commander';
import { jobKinds, type JobKind, type Say } from '../domain/job';
import { readerOf, type Reader } from '../report/reader';
import { kindWord, stateWord } from '../report/words';
import { kindOf } from './kind-of';
import type { JobPage } from '../store/core/jobs/job-filter';
import { withLanguage } from './cli/flags';
import { tableLines } from './cli/table';
import { oneOf, print, printJson, sinceOf, printNote, wholeNumber } from './cli/terminal';
import { openContext } from './jobs/context';
import { listJobs, type ListedJob } from './jobs/listed-jobs';

interface ListFlags {
  kind?: JobKind;
  status?: string;
  since?: { at: number };
  subject?: string;
  label?: string;
  sort: JobPage['sort'];
  limit: number;
  after?: string;
  json?: true;
}

/** `list`: jobs of every kind, from the store. */
export function listCommand(): Command {
  return withLanguage(new Command('list'))
    .description('List jobs of every kind, newest first, from the store: Temporal need not run.')
    .option('--kind <kind>', `one of ${jobKinds.join(', ')}`, oneOf(jobKinds))
    .option('--status <word>', 'how they ended, as `--json` says; `open`: they have not')
    .option('--since <when>', 'created since a date, an instant, or a time ago like 7d', sinceOf)
    .option('--subject <text>', 'that hold something about a document, an e-mail, a phone...')
    .option('--label <text>', 'with this label, the whole of it')
    .option('--sort <by>', 'created or ended; the newest first', oneOf(sorts), 'created')
    .option('--limit <n>', 'jobs on a page', wholeNumber(1, 10_000), 50)
    .option('--after <id>', 'the page after the one that ends with this job')
    .option('--json', 'one JSON document on standard output')
    .action(list);
}

const sorts = ['created', 'ended'] as const;

async function list(flags: ListFlags): Promise<void> {
  const { json, since, ...query } = flags;
  const ctx = await openContext(printNote);
  const request = { ...query, since: since && new Date(since.at) };
  const reader = json === true ? readerOf('en') : ctx.reader;
  const { say } = reader;
  const found = await listJobs(ctx, request, ({ kind, input }) => describeInput(kind, input, say));
  if (json) {
    printJson(found);
    return;
  }
  const { jobs, next } = found;
  if (jobs.length === 0) printNote(say('no such jobs', 'nenhum trabalho assim'));
  else for (const line of table(jobs, reader)) print(line);
  if (next !== null) printNote(moreLine(next, reader));
}

export function moreLine(next: string, { say }: Reader): string {
  return say(
    `there are more: the same command with --after ${next}`,
    `há mais: o mesmo comando com --after ${next}`,
  );
}

/** The job's subject, masked. */
export function describeInput(kind: JobKind, input: unknown, say: Say): string {
  return kindOf(kind).describe(input, say);
}

function table(rows: readonly ListedJob[], reader: Reader): string[] {
  const { formats, language, say } = reader;
  return tableLines(
    [
      say('created', 'criado'),
      say('kind', 'espécie'),
      say('status', 'situação'),
      say('input', 'entrada'),
      'id',
    ],
    rows.map(({ createdAt, kind, status, needsAttention, waitsFor, input, id }) => [
      say(`${createdAt.slice(0, 19)}Z`, formats.instant(createdAt)),
      kindWord(kind, language),
      `${stateWord(status ?? 'open', language)}${needsAttention ? ` (${person(waitsFor, reader)})` : ''}`,
      input,
      id,
    ]),
  );
}

function person(waitsFor: string | null, { language, say }: Reader): string {
  const words = say('needs a person', 'precisa de uma pessoa');
  return waitsFor === null ? words : `${words}: ${stateWord(waitsFor, language)}`;
}
