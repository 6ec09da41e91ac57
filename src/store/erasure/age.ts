import { operationFolder } from '../credit/analyses';
import type { NameOf } from '../core/subjects';
import type { Store } from '../store';
import type { ErasureAsked } from './asked';
import { answerKeys } from './catalog';
import { CertificateErasure } from './certificates';
import { ErasureDraft } from './draft';
import { JobFiles, jobRules, type PlannedJob } from './jobs';
import { takeOldChanges } from './monitors';
import type { ErasurePlan } from './plan';
import { withoutAnswer, withoutUploads } from './tombstones';

type AgeOrder = Extract<ErasureAsked, { kind: 'age' }>;

/** Rows and jobs that one plan looks at: it is in memory as a whole. */
const mostInPlan = 2_000;

/**
 * One class of what jobs hold that ended before an instant, and that no later job shares; in parts, each to be
 * carried out by itself. What is planned before anything of it was carried out is the same.
 */
export async function* plansOfAge(
  store: Store,
  nameOf: NameOf,
  order: AgeOrder,
  most: number = mostInPlan,
): AsyncGenerator<ErasurePlan> {
  const jobs = new JobFiles(store);
  const old = new Set<string>();
  for (const { root } of jobRules)
    for (const folder of await jobs.folders(root))
      if (((await jobs.endedAt(folder)) ?? Infinity) < order.endedBefore) old.add(folder);
  let part = new AgePart(store, nameOf, jobs, order);
  for (const folder of old) {
    for (let item: number | null = 0; item !== null;) {
      if (part.size >= most) {
        yield part.plan();
        part = new AgePart(store, nameOf, jobs, order);
      }
      item = await part.take(folder, old, item, most);
    }
  }
  await part.takeChanges();
  yield part.plan();
}

/** What becomes one plan. */
class AgePart {
  readonly #store: Store;
  readonly #jobs: JobFiles;
  readonly #order: AgeOrder;
  readonly #draft: ErasureDraft;
  readonly #certificates: CertificateErasure;
  readonly #planned = new Map<string, PlannedJob>();
  #rows = 0;
  /** Rows and jobs that it has looked at. */
  size = 0;

  constructor(store: Store, nameOf: NameOf, jobs: JobFiles, order: AgeOrder) {
    this.#store = store;
    this.#jobs = jobs;
    this.#order = order;
    this.#draft = new ErasureDraft(store);
    this.#certificates = new CertificateErasure(store, nameOf, jobs);
  }

  /**
   * @param from the first item of its rows that is looked at
   * @returns the item with which the next part goes on; null: the job is gone through
   */
  async take(
    folder: string,
    old: ReadonlySet<string>,
    from: number,
    most: number,
  ): Promise<number | null> {
    const { class: what } = this.#order;
    const before = this.#draft.size;
    let next: number | null = null;
    this.size += 1;
    const gone = from === 0 ? await this.#takeShared(folder, old) : new Set<string>();
    if (what === 'inputs') {
      await this.#draft.rewrite(`${folder}/input`, (job) => withoutUploads(job, gone));
    } else if (folder.startsWith('works/')) {
      const room = Math.max(1, most - this.size);
      const order = { folder, old, what, from, most: room };
      const taken = await this.#certificates.takeClass(this.#draft, order);
      this.#rows += taken.rows;
      this.size += taken.seen;
      next = taken.next;
    } else {
      const files = /^dossiers\/.+\/artifacts\//;
      for (const key of await this.#store.records.list(`${folder}/`))
        if ((what === 'pdf' ? files : answerKeys).test(key)) await this.#draft.remove(key);
      if (what === 'results') await takeOutcome(this.#draft, this.#jobs, folder, gone);
    }
    if (this.#draft.size > before)
      this.#planned.set(folder, await this.#jobs.planned(folder, false));
    return next;
  }

  /** What monitors told of changes that were acknowledged. */
  async takeChanges(): Promise<void> {
    if (this.#order.class !== 'results') return;
    for (const part of await takeOldChanges(this.#store, this.#draft, this.#order.endedBefore)) {
      this.#rows += part.changes;
      this.#planned.set(part.job.folder, part.job);
    }
  }

  plan(): ErasurePlan {
    const { class: what, endedBefore } = this.#order;
    const at = new Date(endedBefore).toISOString();
    return {
      asked: this.#order,
      target: { kind: 'age', class: what, endedBefore: at },
      jobs: [...this.#planned.values()],
      rows: this.#rows,
      quoted: { ids: [], officialNames: [] },
      draft: this.#draft,
      unsettled: [],
    };
  }

  /** Uploads and operations that it shares with no later job. */
  async #takeShared(folder: string, old: ReadonlySet<string>): Promise<Set<string>> {
    const shared = { pdf: null, results: 'operations/', inputs: 'inputs/' }[this.#order.class];
    const gone = new Set<string>();
    if (shared === null) return gone;
    for (const use of this.#jobs.usesOf(await this.#jobs.read(folder)))
      if (use.startsWith(shared) && !(await this.#jobs.hasOther(use, old))) gone.add(use);
    for (const use of gone) await this.#draft.removeShared(use);
    return gone;
  }
}

async function takeOutcome(
  draft: ErasureDraft,
  jobs: JobFiles,
  folder: string,
  gone: ReadonlySet<string>,
): Promise<void> {
  const operationId = (await jobs.read(folder)).outcome?.operationId ?? null;
  // What a later analysis shares stays, and so does what was said of it.
  if (operationId === null || gone.has(operationFolder(operationId)))
    await draft.rewrite(`${folder}/outcome`, (one) => withoutAnswer(one as object));
  // What was asked for tells of the others.
  if (folder.startsWith('lens/')) await draft.removeRows('subject', `${folder}/answer`);
  if (folder.startsWith('dossiers/')) await draft.removeRows('subject', folder);
}
