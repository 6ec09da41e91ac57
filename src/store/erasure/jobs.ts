import { externalIdsOf, type SubjectState } from '../../domain/core/attempts';
import type { CreditBatchFile } from '../../domain/credit/batch';
import { documentsIn } from '../../domain/core/held-documents';
import { operationFolder } from '../credit/analyses';
import { WorkReader, folderOfList } from '../certificates/works';
import type { Store } from '../store';
import type { ErasureSubject } from './erasure-subject';
import { StoredBodies } from './bodies';
import type { ErasureDraft } from './draft';

/** What is read of a job of any kind. */
export interface AskedJob {
  folder: string;
  asked: {
    inputKey?: string | null;
    cnab?: { key: string };
    xmls?: { key: string } | null;
    file?: { key: string };
    assignor?: string | null;
    target?: string;
    receivables?: number;
  } | null;
  outcome: { operationId?: string | null; settledAt?: string; endedAt?: string } | null;
}

interface JobRules {
  /** Begin of the folders of such jobs, and of their ids. */
  root: string;
  id: string;
  /** Whether a job that tells of a subject is about it alone, and goes as a whole. */
  isAbout: (job: AskedJob, name: string, subject: ErasureSubject) => boolean;
  /** People may have typed the subject where no index sees it: all are read. */
  isScanned?: true;
  /** What was bought goes with the last job that is of it. */
  isFenced?: true;
}

const never = (): boolean => false;
const isScanned = true as const;
const isFenced = true as const;
/** Its files cannot be rewritten. */
const always = (): boolean => true;
// What was left half planned was never started; the id of a single issuance is made of its document.
const ofRow: JobRules['isAbout'] = (job, name) => job.asked === null || job.folder.includes(name);
const ofAssignor: JobRules['isAbout'] = (job, name) => job.asked?.assignor === name;
const ofPerson: JobRules['isAbout'] = (job, name) => job.folder.startsWith(`profiles/${name}/`);
const ofTarget: JobRules['isAbout'] = ({ asked: searched }, _, subject) => {
  const target = searched?.target ?? '';
  return subject.is(target) || documentsIn(target).includes(subject.document);
};

/** Jobs by their folders. A new resource adds its line here. */
export const jobRules: readonly JobRules[] = [
  { root: 'works/', id: '', isAbout: ofRow },
  { root: 'analyses/', id: 'credit/', isAbout: ofAssignor, isScanned, isFenced },
  { root: 'credit-batches/', id: 'credit-batch/', isAbout: never, isScanned },
  { root: 'inquiries/', id: '', isAbout: never },
  { root: 'profiles/', id: 'profile/', isAbout: ofPerson, isFenced },
  { root: 'traces/', id: 'trace/', isAbout: ofTarget, isFenced },
  { root: 'lens/', id: 'lens/', isAbout: always },
  { root: 'dossiers/', id: 'dossier/', isAbout: always },
];

/** What nobody knows to be bought, or what is being bought. */
export interface UnsettledSubject {
  state: Extract<SubjectState, { kind: 'in_flight' | 'unknown' }>;
  /** Folders of the jobs that hold it. */
  folders: string[];
}

/** A job that an erasure takes, or takes something from. */
export interface PlannedJob {
  folder: string;
  id: string;
  /** It goes as a whole; else what is of the subject becomes tombstones. */
  whole: boolean;
  ended: boolean;
}

/** Jobs as they stand in folders, and what several of them share. */
export class JobFiles {
  readonly #store: Store;
  readonly #bodies: StoredBodies;
  readonly #jobs = new Map<string, Promise<AskedJob>>();
  readonly #users = new Map<string, Promise<Map<string, Set<string>>>>();

  constructor(store: Store) {
    this.#store = store;
    this.#bodies = new StoredBodies(store);
  }

  /** Folders of jobs below a prefix: also of those that have nothing but rows. */
  async folders(prefix: string): Promise<string[]> {
    const keys = await this.#bodies.list(prefix);
    const lists = (await this.#store.rows.works(prefix)).map((list) => `${list}/`);
    return [...new Set([...keys, ...lists].flatMap((key) => folderOf(key) ?? []))].toSorted();
  }

  /** Of a job by its id, or of all times that the same was asked for. */
  async foldersOf(id: string): Promise<string[]> {
    const begin = folderOfJob(id);
    const folders = (await this.folders(begin)).filter(
      (folder) => folder === begin || folder.startsWith(`${begin}/`),
    );
    if (!begin.startsWith('works/')) return folders;
    // By the id of a single issuance all that was ever asked for it is meant; of a batch, one run.
    const isRun = (folder: string): boolean => /^\d{8}T\d+Z$/.test(folder.slice(begin.length + 1));
    return folders.includes(begin) ? [begin] : folders.filter(isRun);
  }

  /** Of jobs that batches were the first to ask for, and that no other batch has asked for. */
  async childrenOf(own: ReadonlySet<string>): Promise<Set<string>> {
    const children = new Set<string>();
    for (const folder of own)
      for (const { workId, before } of await this.#asked(folder))
        if (workId !== null && !before) children.add(folderOfJob(workId));
    if (children.size === 0) return children;
    for (const root of ['credit-batches/', 'inquiries/'])
      for (const folder of await this.folders(root))
        for (const { workId } of own.has(folder) ? [] : await this.#asked(folder))
          children.delete(folderOfJob(workId ?? ''));
    return children;
  }

  async #asked(batch: string): Promise<Pick<CreditBatchFile, 'workId' | 'before'>[]> {
    const { records } = this.#store;
    const files = await records.getJson<CreditBatchFile[]>(`${batch}/files.json`);
    return files ?? (await records.getJsonLines(`${batch}/item-works.jsonl`)) ?? [];
  }

  read(folder: string): Promise<AskedJob> {
    let job = this.#jobs.get(folder);
    if (job === undefined) this.#jobs.set(folder, (job = this.#read(folder)));
    return job;
  }

  /** Null: it has not ended. */
  async endedAt(folder: string): Promise<number | null> {
    const { outcome } = await this.read(folder);
    const at = outcome?.settledAt ?? outcome?.endedAt ?? null;
    return at === null ? null : Date.parse(at);
  }

  async planned(folder: string, whole: boolean): Promise<PlannedJob> {
    return { folder, id: jobIdOf(folder), whole, ended: (await this.endedAt(folder)) !== null };
  }

  /** Uploads, operations and fences of a job, by their names: other jobs may be of them too. */
  usesOf({ folder, asked, outcome }: AskedJob): string[] {
    const { inputKey, cnab, xmls, file } = asked ?? {};
    const uploads = [inputKey, cnab?.key, xmls?.key, file?.key].filter((key) => !!key);
    const operationId = outcome?.operationId ?? null;
    const fence = fenceOf(folder);
    return [
      ...(uploads as string[]),
      ...(operationId === null ? [] : [operationFolder(operationId)]),
      ...(fence === null ? [] : [fence]),
    ];
  }

  usesAny(job: AskedJob, uses: ReadonlySet<string>): boolean {
    return this.usesOf(job).some((use) => uses.has(use));
  }

  /** Whether a job beyond these is of it. */
  async hasOther(use: string, own: ReadonlySet<string>): Promise<boolean> {
    for (const begin of usersOf(use)) {
      const users = this.#users.get(begin) ?? this.#findUsers(begin);
      this.#users.set(begin, users);
      for (const folder of (await users).get(use) ?? []) if (!own.has(folder)) return true;
    }
    return false;
  }

  /** All of jobs that go as a whole, and what no other job shares with them. */
  async takeWhole(draft: ErasureDraft, own: ReadonlySet<string>): Promise<void> {
    for (const folder of own) {
      for (const key of await this.#bodies.list(`${folder}/`))
        if (folderOf(key) === folder) await draft.remove(key);
      for (const list of await this.listsOf(folder)) await draft.removeRows('batch_row', list);
      await draft.removeRows('outcome', folder);
      for (const holder of [folder, `${folder}/asked`, `${folder}/answer`])
        await draft.removeRows('subject', holder);
    }
    for (const folder of own)
      for (const use of this.usesOf(await this.read(folder)))
        if (!(await this.hasOther(use, own))) await this.takeShared(draft, use, own);
  }

  /** What a job has left beside its folder. */
  async takeShared(draft: ErasureDraft, use: string, own: ReadonlySet<string>): Promise<void> {
    if (rulesOfFence(use) === undefined) return draft.removeShared(use);
    for (const id of externalIdsOf(await this.#store.attempts.of(use))) {
      const operation = operationFolder(id);
      if (!(await this.hasOther(operation, own))) await draft.removeShared(operation);
    }
    for (const table of ['attempt', 'resolution'] as const) await draft.removeRows(table, use);
  }

  /** Lists of rows of a job: its own, and those of decisions about it. */
  async listsOf(folder: string): Promise<string[]> {
    return (await this.#store.rows.works(folder)).filter((list) => folderOfList(list) === folder);
  }

  async #read(folder: string): Promise<AskedJob> {
    const asked = await this.#store.jobs.input<AskedJob['asked']>(folder);
    return { folder, asked, outcome: await this.#outcome(folder) };
  }

  async #outcome(folder: string): Promise<AskedJob['outcome']> {
    if (!folder.startsWith('works/')) return this.#store.jobs.outcome(folder);
    const summary = await new WorkReader(this.#store).summary(folder);
    return summary && { settledAt: summary.finishedAt };
  }

  async #findUsers(begin: string): Promise<Map<string, Set<string>>> {
    const users = new Map<string, Set<string>>();
    for (const folder of await this.folders(begin))
      for (const use of this.usesOf(await this.read(folder)))
        users.set(use, (users.get(use) ?? new Set()).add(folder));
    return users;
  }
}

/** Where jobs stand that something may be used by. */
function usersOf(use: string): string[] {
  const fenced = rulesOfFence(use);
  if (fenced !== undefined) return [`${fenced.root}${use.slice(fenced.id.length)}/`];
  if (/^(?:operations|inputs\/credit)\//.test(use)) return ['analyses/'];
  return use.startsWith('inputs/lens/') ? ['lens/'] : ['works/', 'inquiries/'];
}

const partsOfWork = /^(works\/.+?)\/(?:input|outcome|decisions\/)/;
const job =
  /^(?:(?:analyses|credit-batches|profiles|traces|lens|dossiers)\/[^/]+|inquiries\/[^/]+\/[^/]+)\/\d{8}T\w+(?=\/)/;

/** Null for what stands beside the folders of jobs. One certificate job's id may begin with another's. */
export function folderOf(key: string): string | null {
  if (!key.startsWith('works/')) return job.exec(key)?.[0] ?? null;
  return partsOfWork.exec(key)?.[1] ?? key.slice(0, key.lastIndexOf('/'));
}

export function rulesOf(folder: string): JobRules | undefined {
  return jobRules.find(({ root }) => folder.startsWith(root));
}

/** Subject of what jobs of a folder have bought; null: none that they share. */
export function fenceOf(folder: string): string | null {
  const rules = rulesOf(folder);
  if (rules?.isFenced !== true) return null;
  return rules.id + (folder.slice(rules.root.length).split('/')[0] ?? '');
}

function rulesOfFence(use: string): JobRules | undefined {
  return jobRules.find(({ id, isFenced: its }) => its === true && use.startsWith(id));
}

function jobIdOf(folder: string): string {
  const rules = rulesOf(folder);
  return rules === undefined ? folder : rules.id + folder.slice(rules.root.length);
}

/** Begin of the folders of a job, or of all that was asked about one thing. */
function folderOfJob(id: string): string {
  if (/^(?:trace|profile)-batch\//.test(id)) return `inquiries/${id}`;
  const rules = jobRules.find((one) => one.id !== '' && id.startsWith(one.id));
  return rules === undefined ? `works/${id}` : rules.root + id.slice(rules.id.length);
}
