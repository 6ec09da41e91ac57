import { subjectState } from '../../domain/core/attempts';
import type { NameOf } from '../core/subjects';
import type { Store } from '../store';
import { subjectOf, type ErasureAsked } from './asked';
import { emptied, kindOf, type ErasureScope, type ErasureTarget } from './catalog';
import { CertificateErasure, type FoundLines } from './certificates';
import { StoredBodies } from './bodies';
import { ErasureDraft } from './draft';
import type { ErasureSubject, QuotedWords } from './erasure-subject';
import {
  fenceOf,
  folderOf,
  JobFiles,
  jobRules,
  rulesOf,
  type AskedJob,
  type PlannedJob,
  type UnsettledSubject,
} from './jobs';
import { takeMonitor, takeMonitorOf, type MonitorPart } from './monitors';
import { OperationResults } from './results';
import { withoutSubject } from './rewriting';
import { withoutSum } from './tombstones';

/** What an erasure would do, and what stands in its way. */
export interface ErasurePlan {
  asked: ErasureAsked;
  target: ErasureTarget;
  jobs: PlannedJob[];
  /** Lines of inputs, receivables and changes that become tombstones, or go with their job. */
  rows: number;
  /** What was reported of documents whose rows go: no reason on record may quote it. */
  quoted: QuotedWords;
  draft: ErasureDraft;
  unsettled: UnsettledSubject[];
}

/** Plans erasures: reads everything that is asked for, changes nothing. One plan each. */
export class ErasurePlanner {
  readonly #store: Store;
  readonly #bodies: StoredBodies;
  readonly #nameOf: NameOf;
  readonly #draft: ErasureDraft;
  readonly #jobs: JobFiles;
  readonly #certificates: CertificateErasure;
  readonly #results: OperationResults;
  readonly #planned = new Map<string, PlannedJob>();
  readonly #unsettled: UnsettledSubject[] = [];
  readonly #quoted: QuotedWords = { ids: [], officialNames: [] };
  #rows = 0;

  /** @param largestResult bytes of a result that is rewritten, at most */
  constructor(store: Store, nameOf: NameOf, largestResult?: number) {
    this.#store = store;
    this.#bodies = new StoredBodies(store);
    this.#nameOf = nameOf;
    this.#draft = new ErasureDraft(store);
    this.#jobs = new JobFiles(store);
    this.#certificates = new CertificateErasure(store, nameOf, this.#jobs);
    this.#results = new OperationResults(store, largestResult);
  }

  /** What goes by age has plans of its own. */
  of(asked: Exclude<ErasureAsked, { kind: 'age' }>): Promise<ErasurePlan> {
    switch (asked.kind) {
      case 'document':
        return this.ofDocument(asked.document);
      case 'target':
        return this.ofTarget(asked.target);
      case 'job':
        return this.ofJob(asked.id);
      case 'expired':
        return this.ofExpired(asked.folders, asked.target);
    }
  }

  /** Everything of a document: its rows in shared jobs, its own jobs, what was bought for it. */
  async ofDocument(document: string): Promise<ErasurePlan> {
    const name = this.#nameOf(document);
    const asked = { kind: 'document', document } as const;
    const subject = subjectOf(asked);
    const held = await this.#store.subjects.lines(name);
    const states = await this.#certificates.learnBought(name);
    const folders = new Set([...held.keys()].flatMap((holder) => folderOf(`${holder}/`) ?? []));
    const roots = jobRules.filter(({ isScanned }) => isScanned).map(({ root }) => root);
    // The index does not know a number that lost its zeros: all answers are read.
    if (document.startsWith('0')) roots.push('traces/', 'profiles/');
    for (const root of [...roots, `profiles/${name}/`])
      for (const folder of await this.#jobs.folders(root)) folders.add(folder);
    await this.#takeSubject({ name, subject, held, folders });
    const scope = { subject, items: new Set<never>(), gone: new Set<never>() };
    for (const holder of held.keys())
      this.#takePart(await takeMonitorOf(this.#store, this.#draft, holder, scope));
    await this.#certificates.takeBought(this.#draft, [name]);
    await this.#draft.removeSubject(name);
    const holding = [...folders].filter((folder) => folder.startsWith('works/'));
    this.#unsettled.push(...states.map((state) => ({ state, folders: holding })));
    return this.#plan({ kind: 'document', name }, asked);
  }

  /**
   * Everything about what was searched for (an e-mail address, a phone number, a user name). All lookups are
   * read: an answer is in the index by the documents that it names alone.
   */
  async ofTarget(target: string): Promise<ErasurePlan> {
    const name = this.#nameOf(target);
    const asked = { kind: 'target', target } as const;
    const subject = subjectOf(asked);
    const folders = new Set<string>();
    for (const root of ['traces/', 'profiles/', 'inquiries/'])
      for (const folder of await this.#jobs.folders(root)) folders.add(folder);
    await this.#takeSubject({ name, subject, held: null, folders });
    await this.#draft.removeSubject(name);
    return this.#plan({ kind: 'target', name }, asked);
  }

  /** A job as a whole, or all times that the same was asked for, and what no other job shares with it. */
  async ofJob(id: string): Promise<ErasurePlan> {
    const [, monitorId] = /^monitor\/([^/]+)$/.exec(id) ?? [];
    if (monitorId !== undefined) {
      this.#takePart(await takeMonitor(this.#store, this.#draft, monitorId));
      return this.#plan({ kind: 'job', id }, { kind: 'job', id });
    }
    const own = new Set(await this.#jobs.foldersOf(id));
    for (const folder of await this.#jobs.childrenOf(own)) own.add(folder);
    await this.#takeJobs(own);
    return this.#plan({ kind: 'job', id }, { kind: 'job', id });
  }

  /** These jobs as wholes, and what no other job shares with them; what batches asked for is by itself. */
  async ofExpired(
    folders: readonly string[],
    target: Extract<ErasureTarget, { kind: 'expired' }>,
  ): Promise<ErasurePlan> {
    await this.#takeJobs(new Set(folders));
    return this.#plan(target, { kind: 'expired', folders, target });
  }

  async #takeJobs(own: ReadonlySet<string>): Promise<void> {
    const certificates = new Set([...own].filter((folder) => folder.startsWith('works/')));
    const names = await this.#certificates.learnJobs(certificates);
    for (const name of names) {
      const states = await this.#certificates.learnBought(name);
      this.#unsettled.push(...states.map((state) => ({ state, folders: [...certificates] })));
    }
    await this.#certificates.learnFacts();
    await this.#certificates.takeBought(this.#draft, names);
    this.#takeQuoted();
    await this.#takeWhole(own);
    for (const folder of own) this.#rows += this.#draft.removedOf(`batch_row/${folder}`);
  }

  /** Jobs about the subject go as a whole; of others what is about it, and what quotes it. */
  async #takeSubject(about: {
    name: string;
    subject: ErasureSubject;
    /** Lines by holder; null: nothing leads to them, and all are read. */
    held: ReadonlyMap<string, number[]> | null;
    folders: ReadonlySet<string>;
  }): Promise<void> {
    const { name, subject, held, folders } = about;
    const whole = new Set<string>();
    const shared = new Map<string, AskedJob>();
    for (const folder of folders) {
      const job = await this.#jobs.read(folder);
      if (rulesOf(folder)?.isAbout(job, name, subject) === true) whole.add(folder);
      else shared.set(folder, job);
    }
    const gone = new Set([...(held?.keys() ?? [])].filter((one) => one.startsWith('inputs/')));
    const operations = await this.#learnResults(subject, held, gone, shared, whole);
    const lines = new Map<string, FoundLines>();
    for (const folder of folders) {
      if (!/^(?:works|inquiries)\//.test(folder)) continue;
      const its = held === null ? null : (held.get(folder) ?? []);
      const found = await this.#certificates.find(folder, its, subject);
      this.#rows += found.rows;
      lines.set(folder, found);
      const inputKey = shared.get(folder)?.asked?.inputKey ?? null;
      if (found.isHeld && inputKey !== null) gone.add(inputKey);
    }
    await this.#certificates.learnFacts();
    this.#takeQuoted();
    subject.takeQuoted(this.#quoted);
    for (const operation of operations) {
      if (gone.has(operation)) continue;
      if (!(await this.#results.rewrite(this.#draft, operation, subject))) gone.add(operation);
    }
    for (const use of gone) await this.#draft.removeShared(use);
    await this.#takeWhole(whole);
    const touched = new Set([...gone, ...operations]);
    for (const [folder, job] of shared) {
      const before = this.#draft.size;
      const found = lines.get(folder);
      const scope = { subject, gone, items: found?.items ?? new Set<number>() };
      if (found) await this.#certificates.takeLines(this.#draft, folder, found, scope);
      const isHeld = held?.has(folder) === true || this.#jobs.usesAny(job, touched);
      await this.#takeQuotations(folder, scope, isHeld);
      const fence = fenceOf(folder);
      if (fence !== null)
        await this.#draft.rewriteRows('resolution', fence, (said) => withoutSubject(said, subject));
      if (this.#draft.size === before && !(isHeld && folder.startsWith('analyses/'))) continue;
      await this.#addPlanned(folder, false);
      await this.#judgeFence(folder, false);
    }
  }

  /** What the credit service says of it: whose analysis it is may stand there alone. */
  async #learnResults(
    subject: ErasureSubject,
    held: ReadonlyMap<string, number[]> | null,
    gone: Set<string>,
    shared: Map<string, AskedJob>,
    whole: Set<string>,
  ): Promise<Set<string>> {
    const holders = [...(held?.keys() ?? [])];
    const operations = new Set(holders.filter((holder) => holder.startsWith('operations/')));
    for (const job of shared.values())
      if (this.#jobs.usesAny(job, gone))
        for (const use of this.#jobs.usesOf(job))
          if (use.startsWith('operations/')) operations.add(use);
    for (const operation of operations) {
      const reported = await this.#results.reportedOf(operation, subject.document);
      this.#quoted.ids.push(...reported.ids);
      this.#quoted.officialNames.push(...reported.names);
      if (!reported.isAssignor) {
        this.#rows += reported.receivables;
        continue;
      }
      gone.add(operation);
      const owners = [...shared.values()].filter((job) =>
        this.#jobs.usesAny(job, new Set([operation])),
      );
      const fences = new Set(owners.map((job) => fenceOf(job.folder)));
      for (const [folder] of shared) {
        if (!fences.has(fenceOf(folder))) continue;
        whole.add(folder);
        shared.delete(folder);
      }
    }
    return operations;
  }

  /** @param isHeld it holds the subject: what nobody can read goes */
  async #takeQuotations(folder: string, scope: ErasureScope, isHeld: boolean): Promise<void> {
    const { subject } = scope;
    const before = this.#draft.size;
    const keys = await this.#bodies.list(`${folder}/`);
    // The outcome has a sum of the answer: it comes last.
    for (const key of keys.toSorted((a, b) => Number(isOutcome(a)) - Number(isOutcome(b)))) {
      if (folderOf(key) !== folder) continue;
      const kind = kindOf(key);
      if (kind?.isWhole === true) {
        const body = String((await this.#bodies.get(key)) ?? '');
        if (isHeld || subject.isQuotedIn(body)) await this.#draft.remove(key);
        continue;
      }
      const isOfOther = isOutcome(key) && /^(?:traces|profiles)\//.test(folder);
      const forgetsSum = isOfOther && this.#draft.size > before;
      await this.#draft.rewrite(key, (body) => {
        const left = emptied(kind, body, scope);
        return forgetsSum ? withoutSum(left as object) : left;
      });
    }
  }

  async #takeWhole(own: ReadonlySet<string>): Promise<void> {
    await this.#jobs.takeWhole(this.#draft, own);
    await this.#draft.forgetNames(await this.#namesOf(own));
    for (const folder of own) {
      const { asked, outcome } = await this.#jobs.read(folder);
      this.#rows += asked?.receivables ?? 0;
      if (outcome?.operationId != null) this.#quoted.ids.push(outcome.operationId);
      await this.#addPlanned(folder, true);
      await this.#judgeFence(folder, true);
    }
  }

  /** Whom jobs tell of, and what their own ids are made of where no other job has the same. */
  async #namesOf(own: ReadonlySet<string>): Promise<Set<string>> {
    const names = new Set<string>();
    for (const folder of own) {
      for (const name of await this.#store.subjects.heldBy(folder)) names.add(name);
      const [prefix, name] = /^.*?\/([0-9a-f]{32})(?=\/|$)/.exec(folder) ?? [];
      if (prefix === undefined || name === undefined) continue;
      const same = await this.#jobs.folders(prefix);
      if (same.every((one) => own.has(one))) names.add(name);
    }
    return names;
  }

  #takeQuoted(): void {
    const { ids, officialNames } = this.#certificates.quoted;
    this.#quoted.ids.push(...ids);
    this.#quoted.officialNames.push(...officialNames);
  }

  /** What may yet be decided stands in the way: by its answer, or by a person, where one can. */
  async #judgeFence(folder: string, whole: boolean): Promise<void> {
    const fence = fenceOf(folder);
    if (fence === null) return;
    const state = subjectState(await this.#store.attempts.of(fence), Date.now());
    const isUnknown = state.kind === 'unknown' && whole && folder.startsWith('analyses/');
    if (state.kind === 'in_flight' || isUnknown) this.#unsettled.push({ state, folders: [folder] });
  }

  async #addPlanned(folder: string, whole: boolean): Promise<void> {
    this.#planned.set(folder, await this.#jobs.planned(folder, whole));
  }

  #takePart(part: MonitorPart | null): void {
    if (part === null) return;
    this.#rows += part.changes;
    this.#planned.set(part.job.folder, part.job);
  }

  #plan(target: ErasureTarget, asked: ErasureAsked): ErasurePlan {
    const [draft, jobs] = [this.#draft, [...this.#planned.values()]];
    const [rows, quoted, unsettled] = [this.#rows, this.#quoted, this.#unsettled];
    return { asked, target, jobs, rows, quoted, draft, unsettled };
  }
}

function isOutcome(key: string): boolean {
  return key.endsWith('/outcome');
}
