import { analysisSubject, externalIdsOf, subjectState } from '../../domain/attempts';
import {
  creditBatchFolder,
  thingOfAnalysis,
  type CreditBatchFile,
  type CreditBatchRecord,
} from '../../domain/credit/batch';
import {
  analysisFolder,
  type AnalysisOutcome,
  type AnalysisRecord,
} from '../../domain/credit/work';
import { AnalysisFile, operationFolder, unreadAnswerKey } from '../credit/analyses';
import { erasedResult, toldOf, type ToldOfDocument } from '../credit/analysis-result.wire';
import type { Store } from '../store';
import { CreditBatchShelf } from '../credit/credit-batches';
import type { NameOf } from '../core/subjects';
import { ErasureSubject } from './erasure-subject';
import { fileAttempt, readLarge, type LargeObject } from '../core/large-objects';
import type { PlannedWork, PurgeDraft, UnsettledThing } from './purge-draft';
import { erasedInputs, withoutAnalysis } from './tombstones';

/** One time that a thing was asked for. */
interface Run {
  folder: string;
  /** Null when it was never filed to its end, or was purged up to there. */
  record: AnalysisRecord | null;
  outcome: AnalysisOutcome | null;
}

/** All the times that a thing was asked for, and what the service knows it by. */
interface Thing {
  name: string;
  runs: Run[];
  operationIds: Set<string>;
}

/** What a purge takes of analyses, beside the changes that its draft holds. */
export interface AnalysesPart {
  works: PlannedWork[];
  /** Receivables that become tombstones, or go with their analysis. */
  receivables: number;
  ids: Set<string>;
  officialNames: Set<string>;
  unsettled: UnsettledThing[];
  /** What goes, as the subject index calls it. */
  gone: Set<string>;
}

/** A larger result is not rewritten: it goes as a whole. */
const largestRewritten = 256 * 2 ** 20;

/**
 * Plans what a purge takes of analyses (decision record 015). Finds the files that hold a document by
 * the index, and the analyses by the files.
 */
export class AnalysesPurge {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #now: () => number;
  readonly #largestRewritten: number;
  readonly #analyses: AnalysisFile;
  readonly #batches: CreditBatchShelf;
  #found: Promise<Thing[]> | null = null;

  constructor(
    store: Store,
    nameOf: NameOf,
    now: () => number,
    largestResult: number = largestRewritten,
  ) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#now = now;
    this.#largestRewritten = largestResult;
    this.#analyses = new AnalysisFile(store);
    this.#batches = new CreditBatchShelf(store);
  }

  /**
   * An analysis of which it is the assignor goes as a whole; of any other the uploads that hold it,
   * and what the results tell of it.
   *
   * @param earlier what a purge that was cut short has learned
   */
  async ofDocument(
    draft: PurgeDraft,
    document: string,
    earlier: { officialNames?: readonly string[]; wholes?: readonly string[] } = {},
  ): Promise<AnalysesPart> {
    const name = this.#nameOf(document);
    const part = nothing();
    for (const one of earlier.officialNames ?? []) part.officialNames.add(one);
    const held = await this.#store.subjects.holders(name);
    const inputs = new Set([...held].filter((one) => one.startsWith('inputs/')));
    const results = new Set([...held].filter((one) => one.startsWith('operations/')));
    const all = await this.#things();
    const isOwn = (thing: Thing): boolean =>
      isOneOf(thing, earlier.wholes ?? []) ||
      thing.runs.some(({ record }) => record?.assignor === name);
    // Also without a file that the index could lead to: its age may have been its end.
    const wholes = new Set(all.filter(isOwn));
    const things = all.filter((thing) => wholes.has(thing) || isHeldBy(thing, inputs, results));
    const told = new Map<string, ToldOfDocument>();
    for (const thing of things) {
      for (const folder of foldersOf(thing)) results.add(folder);
    }
    for (const folder of results) {
      const its = await this.#toldOf(folder, document);
      told.set(folder, its);
      for (const one of its.names) part.officialNames.add(one);
      const owner = things.find((thing) => foldersOf(thing).includes(folder));
      if (its.isAssignor && owner !== undefined) wholes.add(owner);
    }
    const others = all.filter((thing) => !wholes.has(thing));
    for (const thing of wholes) await this.#takeThing(draft, thing, part, others);
    const subject = new ErasureSubject(document, name);
    subject.takeTold([], [...part.officialNames]);
    const gone = new Set<string>();
    for (const folder of results) {
      if (part.gone.has(folder)) continue;
      const its = told.get(folder);
      const isWhole = its?.isAssignor === true || !(await this.#eraseFrom(draft, folder, subject));
      if (isWhole) {
        gone.add(folder);
        await this.#takeFolder(draft, folder, part);
      } else part.receivables += its?.receivables ?? 0;
    }
    for (const input of inputs) await this.#takeLarge(draft, input, part);
    await this.#eraseFromBatches(draft, subject);
    const ids = new Set([...told.values()].flatMap((its) => [...its.ids]));
    for (const thing of all) {
      if (wholes.has(thing)) continue;
      const before = draft.size;
      await this.#eraseRecords(draft, thing, { subject, ids, inputs, gone });
      if (!things.includes(thing) && draft.size === before) continue;
      part.works.push(...plannedWorks(thing, false));
      part.unsettled.push(...(await this.#unsettledOf(thing, ['in_flight'])));
    }
    return part;
  }

  /**
   * By the id of a thing all the times that it was asked for; with an instant, that one; by that of a
   * batch the analyses that it was the first to ask for.
   */
  async ofWork(draft: PurgeDraft, workId: string): Promise<AnalysesPart> {
    const part = nothing();
    const batches = workId.startsWith('credit-batch/') ? await this.#batchesOf(workId) : [];
    const ids = batches.length === 0 ? [workId] : await this.#ownAnalyses(batches);
    const isTaken = (folder: string): boolean =>
      ids.some(
        (id) => folder === analysisFolder(id) || folder.startsWith(`${analysisFolder(id)}/`),
      );
    const things = await this.#things();
    const others = things.map((thing) => ({
      ...thing,
      runs: thing.runs.filter(({ folder }) => !isTaken(folder)),
    }));
    for (const thing of things) {
      const runs = thing.runs.filter(({ folder }) => isTaken(folder));
      // Of what was cut short the attempts may be all that is left.
      const isAllTaken = ids.some((id) => thingOfAnalysis(id) === thing.name);
      if (runs.length === thing.runs.length && isAllTaken) {
        await this.#takeThing(draft, thing, part, others);
        continue;
      }
      for (const run of runs) await this.#takeRun(draft, run, part, others);
      part.works.push(...plannedWorks({ ...thing, runs }, true));
    }
    for (const folder of batches) {
      await draft.removeBelow(`${folder}/`);
      const ended = (await this.#batches.end(folder)) !== null;
      const id = folder.replace(/^credit-batches\//, 'credit-batch/');
      part.works.push({ folder, workId: id, record: null, whole: true, ended });
    }
    return part;
  }

  /** Of analyses that ended before an instant, what no later one shares. */
  async ofAge(
    draft: PurgeDraft,
    what: 'results' | 'inputs',
    endedBefore: number,
  ): Promise<AnalysesPart> {
    const part = nothing();
    const things = await this.#things();
    const isOld = ({ outcome }: Run): boolean =>
      outcome !== null && Date.parse(outcome.settledAt) < endedBefore;
    const young = things.map((thing) => ({
      ...thing,
      runs: thing.runs.filter((run) => !isOld(run)),
    }));
    for (const thing of things) {
      const runs: Run[] = [];
      for (const run of thing.runs.filter(isOld)) {
        const before = draft.size;
        if (what === 'inputs') await this.#takeInputs(draft, run, part, young);
        else {
          await this.#takeResults(draft, run, part, young);
          await this.#takeUnread(draft, run.folder);
          await draft.rewrite(`${run.folder}/outcome.json`, () => (outcome) => {
            const shown = outcome as AnalysisOutcome;
            return isSharedOperation(shown.operationId, young) ? outcome : withoutAnalysis(shown);
          });
        }
        if (draft.size > before) runs.push(run);
      }
      part.works.push(...plannedWorks({ ...thing, runs }, false));
    }
    return part;
  }

  async #takeThing(
    draft: PurgeDraft,
    thing: Thing,
    part: AnalysesPart,
    others: readonly Thing[],
  ): Promise<void> {
    for (const run of thing.runs) await this.#takeRun(draft, run, part, others);
    for (const id of thing.operationIds) {
      if (isSharedOperation(id, others)) continue;
      part.ids.add(id);
      await this.#takeFolder(draft, operationFolder(id), part);
    }
    await draft.removeAttempts(analysisSubject(thing.name));
    part.works.push(...plannedWorks(thing, true));
    part.unsettled.push(...(await this.#unsettledOf(thing, ['in_flight', 'unknown'])));
  }

  async #takeRun(
    draft: PurgeDraft,
    run: Run,
    part: AnalysesPart,
    others: readonly Thing[],
  ): Promise<void> {
    await this.#takeResults(draft, run, part, others);
    await this.#takeInputs(draft, run, part, others);
    await draft.removeBelow(`${run.folder}/`);
    part.gone.add(run.folder);
    part.receivables += run.record?.receivables ?? 0;
  }

  async #takeResults(
    draft: PurgeDraft,
    { outcome }: Run,
    part: AnalysesPart,
    others: readonly Thing[],
  ): Promise<void> {
    const id = outcome?.operationId ?? null;
    if (id === null || isSharedOperation(id, others)) return;
    await this.#takeFolder(draft, operationFolder(id), part);
  }

  async #takeInputs(
    draft: PurgeDraft,
    { record }: Run,
    part: AnalysesPart,
    others: readonly Thing[],
  ): Promise<void> {
    for (const input of inputsOf(record)) {
      const isShared = others.some(({ runs }) => runs.some((run) => holdsInput(run, input)));
      if (!isShared) await this.#takeLarge(draft, input, part);
    }
  }

  /** Nobody can say what stands in it. */
  async #takeUnread(draft: PurgeDraft, folder: string): Promise<void> {
    const keys = await this.#store.records.list(`${folder}/`);
    for (const key of keys) if (key === unreadAnswerKey(folder)) await draft.remove(key);
  }

  async #takeFolder(draft: PurgeDraft, folder: string, part: AnalysesPart): Promise<void> {
    await draft.removeBelow(`${folder}/`);
    part.gone.add(folder);
  }

  async #takeLarge(draft: PurgeDraft, key: string, part: AnalysesPart): Promise<void> {
    await draft.remove(`${key}.json`);
    for (const one of await this.#store.records.list(`${key}/`)) await draft.remove(one);
    part.gone.add(key);
  }

  /** @returns false when it can only go as a whole */
  async #eraseFrom(draft: PurgeDraft, folder: string, subject: ErasureSubject): Promise<boolean> {
    const keys = await this.#store.records.list(`${folder}/`);
    const manifests = keys.filter((key) => key.endsWith('.json'));
    const changes: (() => Promise<void>)[] = [];
    const kept = new Set(manifests);
    for (const manifest of manifests) {
      const key = manifest.slice(0, -'.json'.length);
      const tree = await this.#tree(key);
      if (tree === null) return false;
      const isTold = JSON.stringify(erasedResult(tree, subject)) !== JSON.stringify(tree);
      if (isTold) changes.push(() => draft.replace(manifest, () => this.#erased(key, subject)));
      else for (const one of await this.#partsOf(key)) kept.add(one);
    }
    for (const change of changes) await change();
    // Those of attempts that were cut short, too: of a download, or of such a rewriting.
    for (const key of keys) if (!kept.has(key)) await draft.remove(key);
    return true;
  }

  /** The body of the list of parts, once the new parts are on the disk beside the old ones. */
  async #erased(key: string, subject: ErasureSubject): Promise<string> {
    const tree = await this.#tree(key);
    if (tree === null) throw new RangeError(`${key} cannot be read any more`);
    const body = Buffer.from(JSON.stringify(erasedResult(tree, subject)));
    return JSON.stringify(await fileAttempt(this.#store, key, slicesOf(body)));
  }

  /** Null when it is too large, or cannot be read. */
  async #tree(key: string): Promise<unknown> {
    const object = await this.#store.records.getJson<LargeObject>(`${key}.json`);
    if (object === null || object.bytes > this.#largestRewritten) return null;
    try {
      const parts: Buffer[] = [];
      for await (const part of readLarge(this.#store, key)) parts.push(part);
      return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
    } catch (error) {
      if (error instanceof RangeError || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  async #partsOf(key: string): Promise<string[]> {
    const object = await this.#store.records.getJson<LargeObject>(`${key}.json`);
    return object === null ? [] : this.#store.records.list(`${object.folder}/`);
  }

  /** By both results of an operation, whichever are there. */
  async #toldOf(folder: string, document: string): Promise<ToldOfDocument> {
    const all: ToldOfDocument = {
      isAssignor: false,
      names: new Set(),
      ids: new Set(),
      receivables: 0,
    };
    for (const key of await this.#store.records.list(`${folder}/`)) {
      if (!key.endsWith('.json')) continue;
      const tree = await this.#tree(key.slice(0, -'.json'.length));
      const told = toldOf(document, tree);
      all.isAssignor ||= told.isAssignor;
      for (const name of told.names) all.names.add(name);
      for (const id of told.ids) all.ids.add(id);
      all.receivables = Math.max(all.receivables, told.receivables);
    }
    return all;
  }

  /** Without the uploads that go, and without quotations. */
  async #eraseRecords(
    draft: PurgeDraft,
    { name, runs }: Thing,
    {
      subject,
      ids,
      inputs,
      gone,
    }: {
      subject: ErasureSubject;
      ids: ReadonlySet<string>;
      inputs: ReadonlySet<string>;
      gone: ReadonlySet<string>;
    },
  ): Promise<void> {
    await draft.rewordResolutions(analysisSubject(name), (note) => subject.scrubNote(note));
    for (const { folder } of runs) {
      await this.#takeUnread(draft, folder);
      await draft.rewrite(`${folder}/outcome.json`, () => (record) => {
        const outcome = record as AnalysisOutcome;
        const { operationId } = outcome;
        const isGone = operationId !== null && gone.has(operationFolder(operationId));
        return scrubbedOutcome(isGone ? withoutAnalysis(outcome) : outcome, subject, ids);
      });
      await draft.rewrite(`${folder}/asked.json`, () => (record) => {
        const asked = record as AnalysisRecord;
        return scrubbedRecord(
          erasedInputs(asked, ({ key }) => inputs.has(key)),
          subject,
        );
      });
    }
  }

  /** Folders of a batch: of all the times that it was asked for, or of one. */
  async #batchesOf(batchId: string): Promise<string[]> {
    const wanted = creditBatchFolder(batchId);
    const folders = (await this.#store.records.list('credit-batches/')).flatMap(
      (key) => /^credit-batches\/[^/]+\/[^/]+/.exec(key)?.[0] ?? [],
    );
    return [...new Set(folders)].filter(
      (folder) => folder === wanted || folder.startsWith(`${wanted}/`),
    );
  }

  async #ownAnalyses(batches: readonly string[]): Promise<string[]> {
    const own = new Set<string>();
    for (const folder of batches) {
      for (const { workId, before } of await this.#batches.files(folder)) {
        if (workId !== null && !before) own.add(workId);
      }
    }
    return [...own];
  }

  /** Names of files and folders, and what was told of files that were not sent. */
  async #eraseFromBatches(draft: PurgeDraft, subject: ErasureSubject): Promise<void> {
    const scrub = (text: string): string => subject.scrubNote(text);
    for (const key of await this.#store.records.list('credit-batches/')) {
      if (key.endsWith('/files.json')) {
        await draft.rewrite(key, () => (files) => {
          return (files as CreditBatchFile[]).map((one) => ({
            ...one,
            file: scrub(one.file),
            refused: one.refused && scrub(one.refused),
            sameAs: one.sameAs && scrub(one.sameAs),
          }));
        });
      } else if (key.endsWith('/asked.json')) {
        await draft.rewrite(key, () => (record) => {
          const asked = record as CreditBatchRecord;
          return { ...asked, directory: scrub(asked.directory) };
        });
      }
    }
  }

  async #unsettledOf({ name, runs }: Thing, kinds: readonly string[]): Promise<UnsettledThing[]> {
    const history = await this.#store.attempts.of(analysisSubject(name));
    const state = subjectState(history, this.#now());
    const isOne = state.kind === 'in_flight' || state.kind === 'unknown';
    return isOne && kinds.includes(state.kind)
      ? [{ state, folders: runs.map(({ folder }) => folder) }]
      : [];
  }

  /** Every thing that was asked for; also what of it a purge that was cut short has left. */
  #things(): Promise<Thing[]> {
    this.#found ??= this.#read();
    return this.#found;
  }

  async #read(): Promise<Thing[]> {
    const folders = new Map<string, Set<string>>();
    const add = (name: string, folder: string | null): void => {
      const known = folders.get(name) ?? new Set();
      folders.set(name, known);
      if (folder !== null) known.add(folder);
    };
    for (const key of await this.#store.records.list('analyses/')) {
      add(key.split('/')[1] ?? '', key.slice(0, key.lastIndexOf('/')));
    }
    for (const subject of await this.#store.attempts.subjects(analysisSubject(''))) {
      add(subject.slice(analysisSubject('').length), null);
    }
    const things: Thing[] = [];
    for (const [name, its] of folders) {
      const runs: Run[] = [];
      for (const folder of its) {
        const record = await this.#analyses.record(folder);
        runs.push({ folder, record, outcome: await this.#analyses.outcome(folder) });
      }
      const operationIds = new Set(runs.flatMap(({ outcome }) => outcome?.operationId ?? []));
      const attempts = await this.#store.attempts.of(analysisSubject(name));
      for (const id of externalIdsOf(attempts)) operationIds.add(id);
      things.push({ name, runs, operationIds });
    }
    return things;
  }
}

function nothing(): AnalysesPart {
  return {
    works: [],
    receivables: 0,
    ids: new Set(),
    officialNames: new Set(),
    unsettled: [],
    gone: new Set(),
  };
}

function inputsOf(record: AnalysisRecord | null): string[] {
  const keys = [record?.cnab.key ?? '', record?.xmls?.key ?? ''];
  return keys.filter((key) => key !== '');
}

function holdsInput({ record }: Run, input: string): boolean {
  return inputsOf(record).includes(input);
}

function foldersOf({ operationIds }: Thing): string[] {
  return [...operationIds].map(operationFolder);
}

function isHeldBy(
  thing: Thing,
  inputs: ReadonlySet<string>,
  results: ReadonlySet<string>,
): boolean {
  if (foldersOf(thing).some((folder) => results.has(folder))) return true;
  return thing.runs.some(({ record }) => inputsOf(record).some((input) => inputs.has(input)));
}

/** @param workIds `credit/<name>/<instant>` */
function isOneOf({ name }: Thing, workIds: readonly string[]): boolean {
  return workIds.some((id) => id.startsWith(`credit/${name}/`));
}

/** Whether a run of other things names the operation as its own. */
function isSharedOperation(id: string | null, others: readonly Thing[]): boolean {
  return others.some(({ runs }) => runs.some(({ outcome }) => outcome?.operationId === id));
}

function plannedWorks({ runs }: Thing, whole: boolean): PlannedWork[] {
  return runs.map(({ folder, outcome }) => {
    const workId = folder.replace(/^analyses\//, 'credit/');
    return { folder, workId, record: null, whole, ended: outcome !== null };
  });
}

/** Sentences about the tree name its entities by the service's ids. */
function scrubbedOutcome(
  outcome: AnalysisOutcome,
  subject: ErasureSubject,
  ids: ReadonlySet<string>,
): AnalysisOutcome {
  const clean = (text: string): string =>
    subject.scrubNote(text.replaceAll(/[\w-]+/g, (word) => (ids.has(word) ? '[erased]' : word)));
  const { statusWord, result, error } = outcome;
  return {
    ...outcome,
    statusWord: statusWord && clean(statusWord),
    error: error && { code: error.code && clean(error.code), message: clean(error.message) },
    result: result && { ...result, contradictions: result.contradictions.map(clean) },
  };
}

/** What people have typed. */
function scrubbedRecord(record: AnalysisRecord, subject: ErasureSubject): AnalysisRecord {
  const clean = (text: string): string => subject.scrubNote(text);
  const { cnab, xmls, engine, forced } = record;
  return {
    ...record,
    cnab: { ...cnab, name: clean(cnab.name) },
    xmls: xmls && { ...xmls, name: clean(xmls.name) },
    engine: engine && clean(engine),
    forced: forced && clean(forced),
  };
}

const sliceBytes = 64 * 1024;

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    yield bytes.subarray(from, from + sliceBytes);
  }
}
