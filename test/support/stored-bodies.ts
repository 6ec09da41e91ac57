import type { JobKind } from '../../src/domain/job';
import { Sealed, rowName } from '../../src/store/sealed/seal';
import { statement } from '../../src/store/statement';
import type { Store } from '../../src/store/store';

/** Jobs by their folders: what begins their ids. */
const kinds: Record<string, [kind: JobKind, id: string]> = {
  works: ['certificate-batch', ''],
  inquiries: ['trace-batch', ''],
  analyses: ['credit-analysis', 'credit/'],
  'credit-batches': ['credit-batch', 'credit-batch/'],
  profiles: ['profile', 'profile/'],
  traces: ['trace', 'trace/'],
  lens: ['lens', 'lens/'],
  dossiers: ['dossier', 'dossier/'],
};

interface Ended {
  settledAt?: string;
  endedAt?: string;
  summary?: { finishedAt: string };
}

const ofJob = /^(.+)\/(input|outcome)$/;

/** Puts a body where it belongs: of a job `<folder>/input` or `<folder>/outcome`, else a record. */
export async function putBody(store: Store, key: string, value: unknown): Promise<void> {
  const [, folder, column] = ofJob.exec(key) ?? [];
  if (folder === undefined) {
    await store.records.replace(key, JSON.stringify(value));
    return;
  }
  const root = folder.slice(0, folder.indexOf('/'));
  const [ofRoot, begin] = kinds[root] ?? ['lens', ''];
  const kind = folder.includes('/decisions/') ? 'decision' : ofRoot;
  const id = begin + folder.slice(root.length + 1);
  const start = { id, kind, createdAt: '2026', label: null };
  const isNew = await store.jobs.start(folder, start, column === 'input' ? value : {});
  if (column === 'outcome') {
    const { settledAt, endedAt, summary } = value as Ended;
    const ended = settledAt ?? endedAt ?? summary?.finishedAt ?? '2026';
    const ending = { status: 'completed', needsAttention: false, endedAt: ended };
    await store.jobs.endAgain([{ folder, ending, outcome: value }]);
  } else if (!isNew) {
    const body = new Sealed(rowName('job', folder), value);
    await store.commit([statement('UPDATE job SET input = ? WHERE folder = ?', [body, folder])]);
  }
}

export async function bodyAt(store: Store, key: string): Promise<unknown> {
  const body = await bodyOf(store, key);
  return body && (JSON.parse(body) as unknown);
}

/** Keys of records, and of what was asked of jobs and how they ended; in order. */
export async function bodyKeys(store: Store): Promise<string[]> {
  const jobs = await store.read<{ folder: string; isEnded: number }>(
    statement('SELECT folder, outcome IS NOT NULL AS is_ended FROM job'),
  );
  const ofJobs = jobs.flatMap(({ folder, isEnded }) => [
    `${folder}/input`,
    ...(isEnded === 1 ? [`${folder}/outcome`] : []),
  ]);
  return [...(await store.records.list('')), ...ofJobs].toSorted();
}

export async function bodyOf(store: Store, key: string): Promise<string | null> {
  const [, folder, column] = ofJob.exec(key) ?? [];
  if (folder === undefined) return (await store.records.get(key))?.toString() ?? null;
  const body = await (column === 'input' ? store.jobs.input(folder) : store.jobs.outcome(folder));
  return body === null ? null : JSON.stringify(body);
}

/** Of a record with a JSON document a line; null when there is none. */
export async function jsonLinesOf<T>({ records }: Store, key: string): Promise<T[] | null> {
  const lines = (await records.get(key))?.toString('utf8').trimEnd().split('\n');
  return lines?.map((line) => JSON.parse(line) as T) ?? null;
}
