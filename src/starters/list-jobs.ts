import { Command } from 'commander';
import { jobKinds, type JobKind } from '../domain/job';
import { kindOf } from './kind-of';
import type { JobPage } from '../store/core/jobs/job-rows';
import { tableLines } from './cli/table';
import { oneOf, print, printJson, sinceOf, tell, wholeNumber } from './cli/terminal';
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

/** `list`: jobs of every kind, as the store knows them. */
export function listCommand(): Command {
  return new Command('list')
    .description('List jobs of every kind, newest first, from the store: Temporal need not run.')
    .option('--kind <kind>', `one of ${jobKinds.join(', ')}`, oneOf(jobKinds))
    .option('--status <word>', 'how they ended, as the column says; `open`: they have not')
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
  const ctx = await openContext(tell);
  const asked = { ...query, since: since && new Date(since.at) };
  const found = await listJobs(ctx, asked, ({ kind, input }) => describeInput(kind, input));
  if (json) {
    printJson(found);
    return;
  }
  const { jobs, next } = found;
  if (jobs.length === 0) tell('no such jobs');
  else for (const line of table(jobs)) print(line);
  if (next !== null) tell(`there are more: the same command with --after ${next}`);
}

/** What a job is about, masked. */
export function describeInput(kind: JobKind, input: unknown): string {
  return kindOf(kind).describe(input);
}

function table(rows: readonly ListedJob[]): string[] {
  return tableLines(
    ['created', 'kind', 'status', 'input', 'id'],
    rows.map(({ createdAt, kind, status, needsAttention, waitsFor, input, id }) => [
      `${createdAt.slice(0, 19)}Z`,
      kind,
      `${status ?? 'open'}${needsAttention ? ` (needs a person${waitsFor === null ? '' : `: ${waitsFor}`})` : ''}`,
      input,
      id,
    ]),
  );
}
