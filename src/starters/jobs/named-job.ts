import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindFacts, workflowIdOf } from '../../domain/job';
import type { JobWithOutcome, Meant } from '../../store/core/jobs/job-rows';
import type { Store } from '../../store/store';
import { writeWhole } from './written-file';
import { CommandError, noJob } from './errors';

/** File in a result folder that holds the job id. */
export const jobFile = '.job';
const mostNamed = 10;
const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function markFolder(folder: string, id: string): Promise<void> {
  return writeWhole(folder, jobFile, `${id}\n`);
}

/**
 * Finds a job by its id, a prefix of it (with or without the kind), an id of the service, or its result folder.
 * @param name empty: the newest job
 * @param meant selects among jobs of the same request
 */
export async function namedJob(
  store: Store,
  name: string,
  meant: Meant = 'newest',
): Promise<JobWithOutcome> {
  if (name === '') {
    const [last] = await store.jobs.list({}, { sort: 'created', limit: 1 });
    if (last === undefined)
      throw new CommandError(['there is no job in this store', 'ainda não há nenhum trabalho']);
    return whole(store, last.id);
  }
  const isId = /^[\w./-]+$/.test(name);
  const found = isId ? await store.jobs.find(name, meant) : null;
  if (found !== null) return found;
  const id = (await jobOfFolder(name)) ?? (isId ? await searched(store, name, meant) : null);
  if (id === null) throw new CommandError(noJob(name));
  return whole(store, id);
}

async function whole(store: Store, id: string): Promise<JobWithOutcome> {
  const job = await store.jobs.find(id);
  if (job === null) throw new CommandError(noJob(id));
  return job;
}

async function jobOfFolder(path: string): Promise<string | null> {
  const text = await readFile(join(path, jobFile), 'utf8').catch(() => null);
  return text?.trim() ?? null;
}

async function searched(store: Store, name: string, meant: Meant): Promise<string | null> {
  const kinds = Object.entries(kindFacts).map(([kind, { prefix = kind }]) => prefix);
  const below = ['certificate/cnpj', 'certificate/trabalhista', ...new Set(kinds)];
  const prefixes = [name, ...below.map((prefix) => `${prefix}/${name}`)];
  const ids = await store.jobs.beginning(prefixes, meant, 1_000);
  const requested = [...new Map(ids.toReversed().map((id) => [workflowIdOf(id), id])).values()];
  const [only, another] = requested;
  if (only !== undefined && another === undefined) return only;
  if (another !== undefined) {
    const shown = requested.toReversed().slice(0, mostNamed);
    const list = shown.map((id) => `\n  ${id}`).join('');
    const more = requested.length - shown.length;
    const [en, pt] = more > 0 ? [`\n  and ${more} more`, `\n  e mais ${more}`] : ['', ''];
    throw new CommandError([
      `${name} is the beginning of ${requested.length} ids: give more of it${list}${en}`,
      `${name} é o começo de ${requested.length} ids: informe mais caracteres${list}${pt}`,
    ]);
  }
  if (!isUuid.test(name)) return null;
  const sent = await store.spending.answeredWith(name);
  if (sent === null) return null;
  const id = jobOfSender(sent.workflowId);
  if ((await store.jobs.get(id)) !== null) return id;
  return (await store.jobs.under(id, new Date(sent.claimedAt).toISOString()))?.id ?? null;
}

/** Lanes of a batch send under their own workflow ids. */
export function jobOfSender(workflowId: string): string {
  return workflowId.replace(/\/(?:decision-\d+-)?lane-[^/]*$/, '');
}
