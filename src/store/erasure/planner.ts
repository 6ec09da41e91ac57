import { normaliseDocument } from '../../domain/core/documents/read-document';
import { contactsIn, documentsIn } from '../../domain/core/documents/held-documents';
import type { NameOf } from '../core/subjects';
import { jsonOfBytes } from '../../domain/core/json-text';
import { findLarge, readLarge } from '../core/large-objects';
import { resultShape, takeReported, type ReportedOfDocument } from '../credit/analysis-result.wire';
import { monitorOfHolder, MonitorRepository } from '../monitors/monitors';
import type { Store } from '../store';
import { emptied, foldersOf, reportRoots } from './catalog';
import type { ErasureDraft } from './draft';
import { ErasureSubject, targetForms } from './erasure-subject';
import {
  findLines,
  foldersOfJob,
  takeBought,
  takeMonitor,
  takeParts,
  takeWhole,
  withChildren,
  type FoundLines,
} from './jobs';
import { ErasurePlan, type ErasureRequest } from './plan';
import { isNamedIn, withoutSubject } from './rewriting';

/** A larger result is removed as a whole. */
const largestRewritten = 256 * 2 ** 20;

export class ErasurePlanner {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #largest: number;

  /** @param largestResult maximum bytes of a rewritten result */
  constructor(store: Store, nameOf: NameOf, largestResult = largestRewritten) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#largest = largestResult;
  }

  /** Erasure by age has its own plans. */
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

  async ofDocument(document: string): Promise<ErasurePlan> {
    const plan = this.#plan({ kind: 'document', document });
    const name = this.#nameOf(document);
    // The index does not cover names and numbers typed into files and reasons of analyses.
    const roots = ['analyses/', 'batches/credit-batch/', `profiles/${name}/`];
    // The index does not know a number without its leading zeros: all responses are read.
    if (document.startsWith('0')) roots.push(...reportRoots);
    await takeBought(plan, [name]);
    const held = await this.#store.subjects.lines(name);
    const subject = new ErasureSubject(document);
    return this.#takeSubject(plan, { name, subject, held, roots });
  }

  /** Everything about a search target. All lookups are read: the index has responses by document only. */
  async ofTarget(target: string): Promise<ErasurePlan> {
    const plan = this.#plan({ kind: 'target', target });
    // A job has many rows: the index has those with the target in a user column.
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

  /** A job, or all jobs of the same request, as a whole, and what no other job shares. */
  async ofJob(id: string): Promise<ErasurePlan> {
    const own = await withChildren(this.#store, await foldersOfJob(this.#store, id));
    return this.#ofJobs(this.#plan({ kind: 'job', id }), own);
  }

  /** These jobs as a whole, and what no other job shares; jobs of batches are separate. */
  ofExpired(request: Extract<ErasureRequest, { kind: 'expired' }>): Promise<ErasurePlan> {
    return this.#ofJobs(this.#plan(request), new Set(request.folders));
  }

  #plan(request: ErasureRequest): ErasurePlan {
    return new ErasurePlan(this.#store, this.#nameOf, request);
  }

  async #ofJobs(plan: ErasurePlan, own: ReadonlySet<string>): Promise<ErasurePlan> {
    const jobs = [...own].filter((folder) => folder.startsWith('works/'));
    const names = (await this.#store.subjects.heldBy(jobs)).filter((one) => !one.includes('/'));
    await takeBought(plan, await plan.aloneAmong(names, own, 'works/'));
    await takeWhole(plan, own);
    for (const folder of own)
      plan.rows += plan.draft.objects.get(`batch_row/${folder}`)?.removed ?? 0;
    return plan;
  }

  /** Removes jobs and monitors about the subject; in others, rows about it and quotations of it. */
  async #takeSubject(
    plan: ErasurePlan,
    about: {
      name: string;
      subject: ErasureSubject;
      /** Lines by holder; null: not indexed, and all are read. */
      held: ReadonlyMap<string, number[]> | null;
      /** All jobs below them are read. */
      roots: readonly string[];
    },
  ): Promise<ErasurePlan> {
    const { name, subject, held, roots } = about;
    const { draft, quoted } = plan;
    const store = this.#store;
    const holders = [...(held?.keys() ?? [])];
    const folders = new Set(holders.flatMap(folderOf));
    for (const root of roots)
      for (const { folder } of await store.jobs.below(root)) folders.add(folder);
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
      if (!gone.has(operation) && !(await this.#rewriteResults(draft, operation, subject)))
        gone.add(operation);
    await draft.removeShared(gone);
    await takeWhole(plan, whole);
    // Notes of resolutions may quote anyone: all are read.
    await draft.rewriteRows('resolution', null, (said) => withoutSubject(said, subject));
    for (const folder of folders) {
      if (whole.has(folder)) continue;
      const before = draft.size;
      const monitor = monitorOfHolder(folder);
      const isHeld = held?.has(folder) === true || users.has(folder);
      if (monitor === null)
        await takeParts(plan, { folder, subject, gone, isHeld, lines: lines.get(folder) });
      else
        await takeMonitor(plan, monitor, {
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
    // Files cannot be rewritten; ids contain the job's subject.
    if (foldersOf(folder)?.goesWhole === true || folder.split('/').includes(name)) return true;
    const job = await this.#store.jobs.input<{ assignor?: string; target?: string }>(folder);
    // A job that was not completely stored never started.
    if (job === null) return true;
    const { assignor, target = '' } = job;
    return assignor === name || subject.is(target) || documentsIn(target).includes(document);
  }

  async #reportedOf(operation: string, document: string): Promise<ReportedOfDocument> {
    const none = { names: new Set<string>(), ids: new Set<string>() };
    const reported: ReportedOfDocument = { isAssignor: false, ...none, receivables: 0 };
    for (const key of await this.#resultsOf(operation))
      takeReported(reported, document, await this.#tree(key));
    return reported;
  }

  /** @returns false when it can only be removed as a whole */
  async #rewriteResults(
    draft: ErasureDraft,
    operation: string,
    subject: ErasureSubject,
  ): Promise<boolean> {
    const left = (tree: unknown): Buffer =>
      Buffer.from(JSON.stringify(withoutSubject(tree, subject, resultShape)));
    for (const key of await this.#resultsOf(operation)) {
      const tree = await this.#tree(key);
      if (tree === null) return false;
      if (left(tree).equals(Buffer.from(JSON.stringify(tree)))) continue;
      // Read again at that time: only one is in memory at once.
      await draft.replaceLarge(key, async () => left(await this.#tree(key)));
    }
    return true;
  }

  async #resultsOf(operation: string): Promise<string[]> {
    const keys = await this.#store.records.list(`${operation}/`);
    return keys.flatMap((key) => (key.endsWith('.json') ? [key.slice(0, -'.json'.length)] : []));
  }

  /** Null when it is too large, or unreadable. */
  async #tree(key: string): Promise<unknown> {
    const object = await findLarge(this.#store, key);
    if (object === null || object.bytes > this.#largest) return null;
    try {
      const parts: Buffer[] = [];
      for await (const part of readLarge(this.#store, key)) parts.push(part);
      return jsonOfBytes(Buffer.concat(parts));
    } catch (error) {
      if (error instanceof RangeError || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}

/** Empty for anything but jobs and monitors. */
function folderOf(holder: string): string[] {
  if (/^(?:inputs|operations)\//.test(holder)) return [];
  return [holder.replace(/\/(?:asked|answer)$/, '')];
}

async function holdersOf({ subjects }: Store, held: Iterable<string>): Promise<Set<string>> {
  const found = await subjects.holdersOf(held);
  return new Set([...found.values()].flatMap((holders) => [...holders]));
}
