import { normaliseDocument } from '../../domain/core/documents/read-document';
import { contactsIn, documentsIn } from '../../domain/core/documents/held-documents';
import type { NameOf } from '../core/subjects';
import { takeReported, type ReportedOfDocument } from '../credit/analysis-result.wire';
import { monitorOfHolder, MonitorRepository } from '../monitors/monitors';
import type { Store } from '../store';
import { targetForms } from '../traces/target-forms';
import { emptied, foldersOf, reportRoots } from './catalog';
import { ErasureSubject } from './erasure-subject';
import * as links from './links';
import { findLines, takeParts, type FoundLines } from './parts';
import { ErasurePlan, type ErasureRequest } from './plan';
import { CreditResults } from './results';
import { isNamedIn, withoutSubject } from './rewriting';
import { takeBought, takeMonitor, takeWhole } from './wholes';

/** Plans erasures: reads everything that is asked for, changes nothing. */
export class ErasurePlanner {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #results: CreditResults;

  /** @param largestResult bytes of a result that is rewritten, at most */
  constructor(store: Store, nameOf: NameOf, largestResult?: number) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#results = new CreditResults(store, largestResult);
  }

  /** What goes by age has plans of its own. */
  of(request: Exclude<ErasureRequest, { kind: 'age' }>): Promise<ErasurePlan> {
    switch (request.kind) {
      case 'document':
        return this.ofDocument(request.document);
      case 'target':
        return this.ofTarget(request.target);
      case 'job':
        return this.ofJob(request.id);
      case 'expired':
        return this.ofExpired(request);
    }
  }

  /** Everything of a document: its rows in shared jobs, its own jobs, what was bought for it. */
  async ofDocument(document: string): Promise<ErasurePlan> {
    const plan = this.#plan({ kind: 'document', document });
    const name = this.#nameOf(document);
    // People type names and numbers into what no index sees: files and reasons of analyses.
    const roots = ['analyses/', 'batches/credit-batch/', `profiles/${name}/`];
    // The index does not know a number that lost its zeros: all answers are read.
    if (document.startsWith('0')) roots.push(...reportRoots);
    await takeBought(this.#store, plan, [name]);
    const held = await this.#store.subjects.lines(name);
    const subject = new ErasureSubject(document);
    return this.#takeSubject(plan, { name, subject, held, roots });
  }

  /**
   * Everything about what was searched for (an e-mail address, a phone number, a user name). All lookups are
   * read: an answer is in the index by the documents that it names alone.
   */
  async ofTarget(target: string): Promise<ErasurePlan> {
    const plan = this.#plan({ kind: 'target', target });
    // Rows of a work are many: those that hold it in a column of the user's are in the index.
    const names = [...new Set([target, ...contactsIn(target)])].map((one) => this.#nameOf(one));
    const jobs = await this.#store.subjects.holdersOf(names, 'works/');
    const roots = [...reportRoots, 'batches/', ...[...jobs.values()].flatMap((one) => [...one])];
    const subject = new ErasureSubject(target, targetForms(target));
    const name = this.#nameOf(target);
    await this.#takeSubject(plan, { name, subject, held: null, roots });
    for (const other of names.filter((one) => one !== name)) {
      await plan.draft.remove('subject', [other], 'subject');
      await plan.draft.remove('subject_number', [other]);
    }
    return plan;
  }

  /** A job as a whole, or all times that the same was asked for, and what no other job shares with it. */
  async ofJob(id: string): Promise<ErasurePlan> {
    const own = new Set(await links.foldersOf(this.#store, id));
    for (const folder of await links.childrenOf(this.#store, own)) own.add(folder);
    return this.#ofJobs(this.#plan({ kind: 'job', id }), own);
  }

  /** These jobs as wholes, and what no other job shares with them; what batches asked for is by itself. */
  ofExpired(request: Extract<ErasureRequest, { kind: 'expired' }>): Promise<ErasurePlan> {
    return this.#ofJobs(this.#plan(request), new Set(request.folders));
  }

  #plan(request: ErasureRequest): ErasurePlan {
    return new ErasurePlan(this.#store, this.#nameOf, request);
  }

  async #ofJobs(plan: ErasurePlan, own: ReadonlySet<string>): Promise<ErasurePlan> {
    const jobs = [...own].filter((folder) => folder.startsWith('works/'));
    const names = (await this.#store.subjects.heldBy(jobs)).filter((one) => !one.includes('/'));
    await takeBought(this.#store, plan, await links.aloneAmong(this.#store, names, own, 'works/'));
    await takeWhole(this.#store, plan, own);
    for (const folder of own) plan.rows += plan.draft.removedOf('batch_row', folder);
    return plan;
  }

  /** Jobs and monitors about the subject go as a whole; of others what is about it, and what quotes it. */
  async #takeSubject(
    plan: ErasurePlan,
    about: {
      name: string;
      subject: ErasureSubject;
      /** Lines by holder; null: nothing leads to them, and all are read. */
      held: ReadonlyMap<string, number[]> | null;
      /** Jobs below them are all read. */
      roots: readonly string[];
    },
  ): Promise<ErasurePlan> {
    const { name, subject, held, roots } = about;
    const { draft, quoted } = plan;
    const store = this.#store;
    const holders = [...(held?.keys() ?? [])];
    const folders = new Set(holders.flatMap(folderOf));
    for (const root of roots)
      for (const folder of await links.jobsBelow(store, root)) folders.add(folder);
    const whole = new Set<string>();
    for (const folder of folders) if (await this.#isAbout(folder, name, subject)) whole.add(folder);

    const gone = new Set(holders.filter((holder) => holder.startsWith('inputs/')));
    const users = await holdersOf(store, gone);
    const used = [...holders, ...(await store.subjects.heldBy(users))];
    const operations = new Set(used.filter((one) => one.startsWith('operations/')));
    for (const operation of operations) {
      const { ids, names, ...reported } = await this.#reportedOf(operation, subject.document);
      quoted.ids.push(...ids);
      quoted.officialNames.push(...names);
      if (reported.isAssignor) gone.add(operation);
      else plan.rows += reported.receivables;
      for (const folder of await holdersOf(store, [operation]))
        (reported.isAssignor ? whole : users).add(folder);
    }
    const lines = new Map<string, FoundLines>();
    for (const folder of folders) {
      if (!/^(?:works|batches)\//.test(folder)) continue;
      const isRead = held === null || folder.startsWith('batches/credit-batch/');
      const its = isRead ? null : (held.get(folder) ?? []);
      const found = await findLines(store, folder, its, subject);
      lines.set(folder, found);
      plan.rows += found.rows;
      for (const one of found.isHeld ? await store.subjects.heldBy([folder], 'inputs/') : [])
        gone.add(one);
    }
    subject.takeQuoted(quoted);
    for (const operation of operations)
      if (!gone.has(operation) && !(await this.#results.rewrite(draft, operation, subject)))
        gone.add(operation);
    await draft.removeShared(gone);
    await takeWhole(store, plan, whole);
    // People quote whom they like in what they say of their decisions: all of it is read.
    await draft.rewriteRows('resolution', null, (said) => withoutSubject(said, subject));
    for (const folder of folders) {
      if (whole.has(folder)) continue;
      const before = draft.size;
      const monitor = monitorOfHolder(folder);
      const isHeld = held?.has(folder) === true || users.has(folder);
      if (monitor === null)
        await takeParts(store, draft, { folder, subject, gone, isHeld, lines: lines.get(folder) });
      else
        plan.rows += await takeMonitor(store, plan, monitor, {
          isMeant: (line) => isNamedIn(line, subject),
          left: (table, body) => emptied(table, monitor, body, { subject, items: new Set() }),
        });
      if (draft.size > before || users.has(folder)) await plan.addJob(folder, false);
    }
    await draft.remove('subject', [name], 'subject');
    await draft.remove('subject_number', [name]);
    return plan;
  }

  async #isAbout(folder: string, name: string, subject: ErasureSubject): Promise<boolean> {
    const { document } = subject;
    const monitor = monitorOfHolder(folder);
    if (monitor !== null) {
      const answer = await new MonitorRepository(this.#store, String).answer(monitor);
      return normaliseDocument(answer?.monitor.identifier ?? '') === document;
    }
    // Files of theirs cannot be rewritten; ids are made of whom a job is about.
    if (foldersOf(folder)?.goesWhole === true || folder.split('/').includes(name)) return true;
    const job = await this.#store.jobs.input<{ assignor?: string; target?: string }>(folder);
    // What was left half planned was never started.
    if (job === null) return true;
    const { assignor, target = '' } = job;
    return assignor === name || subject.is(target) || documentsIn(target).includes(document);
  }

  /** What a result says of the subject; also that the whole analysis is about it, which may stand there alone. */
  async #reportedOf(operation: string, document: string): Promise<ReportedOfDocument> {
    const none = { names: new Set<string>(), ids: new Set<string>() };
    const reported: ReportedOfDocument = { isAssignor: false, ...none, receivables: 0 };
    for await (const tree of this.#results.trees(operation)) takeReported(reported, document, tree);
    return reported;
  }
}

/** None for what stands beside jobs and monitors. */
function folderOf(holder: string): string[] {
  if (/^(?:inputs|operations)\//.test(holder)) return [];
  return [holder.replace(/\/(?:asked|answer)$/, '')];
}

/** Of uploads and operations: the jobs that are of them. */
async function holdersOf({ subjects }: Store, held: Iterable<string>): Promise<Set<string>> {
  const found = await subjects.holdersOf(held);
  return new Set([...found.values()].flatMap((holders) => [...holders]));
}
