import { Command } from 'commander';
import { jobKinds, type JobKind } from '../domain/job';
import { normaliseDocument } from '../domain/core/documents';
import { kindOf } from './kind-of';
import type { JobFilter } from '../store/core/job-filter';
import type { JobPage, JobRow } from '../store/core/jobs';
import { CommandError } from './jobs/errors';
import { tableLines } from './cli/table';
import { oneOf, print, printJson, sinceOf, tell, wholeNumber } from './cli/terminal';
import { openContext, type CommandContext } from './jobs/context';

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
    .description('List jobs of every kind, newest first, without asking the engine.')
    .option('--kind <kind>', `one of ${jobKinds.join(', ')}`, oneOf(jobKinds))
    .option('--status <word>', 'how they ended, as the column says; `open`: they have not')
    .option('--since <when>', 'created since a date, an instant, or a time ago like 7d', sinceOf)
    .option('--subject <text>', 'that hold something about a document, an e-mail, a phone...')
    .option('--label <text>', 'with this label, the whole of it')
    .option('--sort <by>', 'created or ended; the newest first', oneOf(sorts), 'created')
    .option('--limit <n>', 'jobs on a page', wholeNumber(1, 10_000), 50)
    .option('--after <id>', 'the page after the one that ends with this job')
    .option('--json', 'one JSON document on standard output')
    .action(listJobs);
}

const sorts = ['created', 'ended'] as const;

async function listJobs(flags: ListFlags): Promise<void> {
  const place = await openContext(tell);
  const { sort, limit, after } = flags;
  if (after !== undefined && (await place.store.jobs.get(after)) === null) {
    throw new CommandError(`--after: no job ${after}`);
  }
  const page = { sort, limit: limit + 1, ...(after !== undefined && { after }) };
  const found = await place.store.jobs.list(filterOf(place, flags), page);
  const rows = found.slice(0, limit).map(listed);
  const next = found.length > limit ? (rows.at(-1)?.id ?? null) : null;
  if (flags.json) {
    printJson({ jobs: rows, next });
    return;
  }
  if (rows.length === 0) tell('no such jobs');
  else for (const line of table(rows)) print(line);
  if (next !== null) tell(`there are more: the same command with --after ${next}`);
}

function filterOf({ idKey }: CommandContext, flags: ListFlags): JobFilter {
  const { kind, status, since, subject, label } = flags;
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  return {
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { since: new Date(since.at).toISOString() }),
    ...(subject !== undefined && {
      subjects: [...new Set([subject.trim(), normaliseDocument(subject)])].map(nameOf),
    }),
    ...(label !== undefined && { label: nameOf(label) }),
  };
}

type Listed = Omit<JobRow, 'input' | 'output' | 'folder'> & { input: string; createdBy: string };

function listed({ folder: _folder, input, output: _output, ...row }: JobRow): Listed {
  const { createdBy, by } = input as { createdBy?: string; by?: string };
  return { ...row, input: describeInput(row.kind, input), createdBy: createdBy ?? by ?? '' };
}

/** What a job is about, masked. */
export function describeInput(kind: JobKind, input: unknown): string {
  return kindOf(kind).describe(input);
}

function table(rows: readonly Listed[]): string[] {
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
