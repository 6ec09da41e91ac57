import {
  noCounts,
  type BatchSummary,
  type RowStatus,
  type StatusCounts,
} from '../../domain/certificates';
import { externalIdsOf, subjectState } from '../../domain/attempts';
import { documentsOf } from '../../domain/held-documents';
import { keySegment } from '../records';
import type { Store } from '../store';
import { ErasureSubject, type QuotedWords } from './erasure-subject';
import { Erasures, type PurgeTarget } from './erasures';
import { certificateSubjects, issuanceOfPdf, asideFolder, type PurgeClass } from './kept-kinds';
import { AnalysesPurge } from './purge-analyses';
import { DossiersPurge } from './purge-dossiers';
import { LensPurge } from './purge-lens';
import { InquiriesPurge, isInquiryId } from './purge-inquiries';
import { MonitorsPurge, monitorOfWorkId } from './purge-monitors';
import {
  addTo,
  PurgeDraft,
  type PlannedChange,
  type PlannedWork,
  type UnsettledThing,
} from './purge-draft';
import { UploadHolders } from './purge-uploads';
import type { NameOf } from '../core/subjects';
import { erasedOutcome, purgedFact, withoutPdf, withoutResult } from './tombstones';
import { WorkReader, folderOfList, summaryKey, workFolder } from '../certificates/works';

/** What a purge would do, and what stands in its way. */
export interface PurgePlan {
  target: PurgeTarget;
  works: PlannedWork[];
  rows: number;
  /** What was told of documents whose rows go: no reason on record may quote it. */
  quoted: QuotedWords;
  /** In the order in which they are made. */
  changes: PlannedChange[];
  unsettled: UnsettledThing[];
}

/** Plans purges: reads everything that is asked for, changes nothing. */
export class PurgePlanner {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #works: WorkReader;
  readonly #analyses: AnalysesPurge;
  readonly #monitors: MonitorsPurge;
  readonly #dossiers: DossiersPurge;
  readonly #lens: LensPurge;
  readonly #inquiries: InquiriesPurge;
  readonly #uploads: UploadHolders;
  readonly #now: () => number;
  #keysByFolder: Promise<Map<string, string[]>> | null = null;
  #pdfsByIssuance: Promise<Map<string, string[]>> | null = null;

  constructor(store: Store, nameOf: NameOf, now: () => number = Date.now) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#works = new WorkReader(store);
    this.#analyses = new AnalysesPurge(store, nameOf, now);
    this.#monitors = new MonitorsPurge(store, nameOf);
    this.#dossiers = new DossiersPurge(store, nameOf);
    this.#lens = new LensPurge(store, nameOf);
    this.#uploads = new UploadHolders(store);
    this.#inquiries = new InquiriesPurge(store, nameOf, this.#uploads);
    this.#now = now;
  }

  /** Everything of a document: its rows in shared works, its own works, what was bought for it. */
  async ofDocument(document: string): Promise<PurgePlan> {
    const name = this.#nameOf(document);
    const target: PurgeTarget = { kind: 'document', name };
    const begun = await new Erasures(this.#store).openFor(target);
    const earlier = begun?.quoted;
    const holders = await this.#holdersOf([name]);
    const works = await this.#plannedWorks(holders.get(name) ?? new Set(), (folder) =>
      // The id of a single issuance is made of its document.
      folder.includes(name),
    );
    const ids = new Set([...(earlier?.ids ?? []), ...(await this.#claimedIssuances(name))]);
    const subjects = new Map<string, ErasureSubject>();
    const names = new Set(earlier?.officialNames);
    let rows = 0;
    for (const { folder } of works) {
      const subject = new ErasureSubject(document, name);
      rows += await this.#learnRows(folder, subject);
      await this.#learnTold(folder, subject, ids, names);
      subjects.set(folder, subject);
    }
    await this.#learnFacts(ids, names);
    const draft = new PurgeDraft(this.#store);
    const analyses = await this.#analyses.ofDocument(draft, document, {
      officialNames: [...names],
      wholes: begun?.wholes ?? [],
    });
    rows += analyses.receivables;
    for (const one of analyses.officialNames) names.add(one);
    const monitors = await this.#monitors.ofDocument(draft, document);
    rows += monitors.changes;
    const dossiers = await this.#dossiers.ofDocument(draft, document);
    const lens = await this.#lens.ofDocument(draft, document);
    dossiers.works.push(...lens.works);
    for (const one of lens.gone) dossiers.gone.add(one);
    const inquiries = await this.#inquiries.ofDocument(draft, document, begun?.wholes ?? []);
    rows += inquiries.rows;
    await this.#takeIssuances(draft, ids);
    for (const subject of certificateSubjects(name)) await draft.removeAttempts(subject);
    for (const work of works) {
      const subject = subjects.get(work.folder) as ErasureSubject;
      subject.takeTold([...ids], [...names]);
      await this.#takeInput(draft, work);
      if (work.whole) await this.#takeWhole(draft, work.folder);
      else await this.#takeRows(draft, work.folder, subject);
    }
    const wholes = works.filter(({ whole }) => whole).map(({ folder }) => folder);
    await this.#takeIndex(
      draft,
      name,
      new Set([...wholes, ...analyses.gone, ...monitors.gone, ...dossiers.gone, ...inquiries.gone]),
    );
    const unsettled = await this.#unsettledOf(
      name,
      works.map(({ folder }) => folder),
    );
    return {
      target,
      works: [
        ...works,
        ...analyses.works,
        ...monitors.works,
        ...dossiers.works,
        ...inquiries.works,
      ],
      rows,
      quoted: { ids: [...ids, ...analyses.ids], officialNames: [...names] },
      changes: draft.ordered(),
      unsettled: [...unsettled, ...analyses.unsettled],
    };
  }

  /** Everything about what was searched for (an e-mail address, a phone number, a user name). */
  async ofTarget(target: string): Promise<PurgePlan> {
    const name = this.#nameOf(target);
    const wanted: PurgeTarget = { kind: 'target', name };
    const begun = await new Erasures(this.#store).openFor(wanted);
    const draft = new PurgeDraft(this.#store);
    const taken = await this.#inquiries.ofTarget(draft, target, begun?.wholes ?? []);
    await this.#takeIndex(draft, name, taken.gone);
    return {
      target: wanted,
      works: taken.works,
      rows: taken.rows,
      quoted: { ids: [], officialNames: [] },
      changes: draft.ordered(),
      unsettled: [],
    };
  }

  /** A work as a whole, and what was bought for documents that no other work holds. */
  async ofWork(workId: string): Promise<PurgePlan> {
    if (/^credit(?:-batch)?\//.test(workId)) return this.#ofAnalysis(workId);
    if (/^(?:dossier|lens)\//.test(workId)) return this.#ofUnread(workId);
    if (isInquiryId(workId)) return this.#ofInquiry(workId);
    const monitorId = monitorOfWorkId(workId);
    if (monitorId !== null) return this.#ofMonitor(workId, monitorId);
    // Of one whose planning was cut short there may be rows alone.
    const planned = (await this.#store.rows.works(workFolder(workId))).map(folderOfList);
    const folders = [...(await this.#folders()).keys(), ...planned].filter((folder) =>
      isOfWork(folder, workId),
    );
    const known = await this.#plannedWorks(new Set(folders), () => true);
    // By the id of a single issuance all that was ever asked for it is meant; of a batch, one run.
    const exact = known.filter((work) => work.workId === workId);
    const works =
      exact.length > 0 ? exact : known.filter(({ record }) => record?.kind !== 'certificate-batch');
    const own = new Set(works.map(({ folder }) => folder));
    const names = new Set<string>();
    const ids = new Set<string>();
    const idsOf = new Map<string, Set<string>>();
    const officialNames = new Set<string>();
    let rows = 0;
    for (const { folder } of works) {
      rows += await this.#namesIn(folder, (name) => names.add(name));
      await this.#idsIn(folder, ids, idsOf);
      for await (const { officialName } of this.#store.outcomes.all(folder)) {
        if (officialName !== null) officialNames.add(officialName);
      }
    }
    const quoted = { ids: [...ids], officialNames: [...officialNames] };
    const holders = await this.#holdersOf(names);
    const shared = [...names].filter((name) => hasOther(holders.get(name), own));
    const draft = new PurgeDraft(this.#store);
    const unsettled: UnsettledThing[] = [];
    for (const name of shared) {
      const theirs = [...(await this.#claimedIssuances(name)), ...(idsOf.get(name) ?? [])];
      for (const id of theirs) ids.delete(id);
      names.delete(name);
    }
    for (const name of names) {
      for (const id of await this.#claimedIssuances(name)) ids.add(id);
      unsettled.push(...(await this.#unsettledOf(name, [...own])));
      for (const subject of certificateSubjects(name)) await draft.removeAttempts(subject);
    }
    await this.#takeIssuances(draft, ids);
    for (const work of works) {
      await this.#takeInput(draft, work, own);
      await this.#takeWhole(draft, work.folder);
    }
    const left = [...own, `works/${workId}`];
    await this.#takeIndex(draft, null, new Set(left));
    const target: PurgeTarget = { kind: 'work', workId };
    return { target, works, rows, quoted, changes: draft.ordered(), unsettled };
  }

  async #ofAnalysis(workId: string): Promise<PurgePlan> {
    const draft = new PurgeDraft(this.#store);
    const taken = await this.#analyses.ofWork(draft, workId);
    await this.#takeIndex(draft, null, taken.gone);
    return {
      target: { kind: 'work', workId },
      works: taken.works,
      rows: taken.receivables,
      quoted: { ids: [...taken.ids], officialNames: [] },
      changes: draft.ordered(),
      unsettled: taken.unsettled,
    };
  }

  /** A dossier or an analysis: nothing in it is a row. */
  async #ofUnread(workId: string): Promise<PurgePlan> {
    const draft = new PurgeDraft(this.#store);
    const of = workId.startsWith('lens/') ? this.#lens : this.#dossiers;
    const taken = await of.ofWork(draft, workId);
    await this.#takeIndex(draft, null, taken.gone);
    return {
      target: { kind: 'work', workId },
      works: taken.works,
      rows: 0,
      quoted: { ids: [], officialNames: [] },
      changes: draft.ordered(),
      unsettled: [],
    };
  }

  async #ofInquiry(workId: string): Promise<PurgePlan> {
    const target: PurgeTarget = { kind: 'work', workId };
    const begun = await new Erasures(this.#store).openFor(target);
    const draft = new PurgeDraft(this.#store);
    const taken = await this.#inquiries.ofWork(draft, workId, begun?.wholes ?? []);
    await this.#takeIndex(draft, null, taken.gone);
    return {
      target,
      works: taken.works,
      rows: taken.rows,
      quoted: { ids: [], officialNames: [] },
      changes: draft.ordered(),
      unsettled: [],
    };
  }

  async #ofMonitor(workId: string, monitorId: string): Promise<PurgePlan> {
    const draft = new PurgeDraft(this.#store);
    const taken = await this.#monitors.ofMonitor(draft, monitorId);
    await this.#takeIndex(draft, null, taken.gone);
    return {
      target: { kind: 'work', workId },
      works: taken.works,
      rows: taken.changes,
      quoted: { ids: [], officialNames: [] },
      changes: draft.ordered(),
      unsettled: [],
    };
  }

  /** One class of what works hold that ended before an instant, and that no later work shares. */
  async ofAge(what: PurgeClass, endedBefore: number): Promise<PurgePlan> {
    const all = await this.#plannedWorks(new Set((await this.#folders()).keys()), () => false);
    const old: PlannedWork[] = [];
    for (const work of all) {
      const summary = work.ended ? await this.#works.summary(work.folder) : null;
      if (summary !== null && Date.parse(summary.finishedAt) < endedBefore) old.push(work);
    }
    const own = new Set(old.map(({ folder }) => folder));
    const draft = new PurgeDraft(this.#store);
    let rows = 0;
    if (what === 'inputs') {
      for (const folder of await this.#inquiries.batchesOfAge(endedBefore)) own.add(folder);
      for (const work of old) await this.#takeInput(draft, work, own);
    } else {
      const ids = new Set<string>();
      const idsOf = new Map<string, Set<string>>();
      for (const { folder } of old) await this.#idsIn(folder, ids, idsOf);
      const holders = await this.#holdersOf(idsOf.keys());
      for (const [name, its] of idsOf) {
        if (hasOther(holders.get(name), own)) for (const id of its) ids.delete(id);
      }
      for (const id of ids) {
        await this.#takeEvidence(draft, id);
        await draft.rewriteFact(id, (fact) => purgedFact(fact, what));
      }
      for (const { folder } of old) {
        await draft.rewriteOutcomes(folder, (outcome) => {
          if (outcome.certidaoId === null || !ids.has(outcome.certidaoId)) return outcome;
          return what === 'pdf' ? withoutPdf(outcome) : withoutResult(outcome);
        });
      }
      rows = draft.outcomesChanged;
    }
    // An analysis has no PDF.
    const analyses = what === 'pdf' ? null : await this.#analyses.ofAge(draft, what, endedBefore);
    if (analyses !== null) await this.#takeIndex(draft, null, analyses.gone);
    const monitors = what === 'results' ? await this.#monitors.ofAge(draft, endedBefore) : null;
    rows += monitors?.changes ?? 0;
    const dossiers = await this.#dossiers.ofAge(draft, what, endedBefore);
    const lens = await this.#lens.ofAge(draft, what, endedBefore);
    await this.#takeIndex(draft, null, new Set([...dossiers.gone, ...lens.gone]));
    const inquiries = await this.#inquiries.ofAge(draft, what, endedBefore, own);
    const target: PurgeTarget = {
      kind: 'age',
      class: what,
      endedBefore: new Date(endedBefore).toISOString(),
    };
    const touched = what === 'inputs' ? old : old.filter(({ folder }) => draft.touches(folder));
    const works = [
      ...touched,
      ...(analyses?.works ?? []),
      ...(monitors?.works ?? []),
      ...dossiers.works,
      ...lens.works,
      ...inquiries.works,
    ];
    const quoted = { ids: [], officialNames: [] };
    const changes = draft.ordered();
    return { target, works, rows, quoted, changes, unsettled: [] };
  }

  async #takeIssuances(draft: PurgeDraft, ids: ReadonlySet<string>): Promise<void> {
    for (const id of ids) {
      await this.#takeEvidence(draft, id);
      await draft.removeFact(id);
    }
  }

  async #takeEvidence(draft: PurgeDraft, id: string): Promise<void> {
    const pdfs = (await this.#pdfs()).get(keySegment(id)) ?? [];
    for (const key of pdfs) await draft.remove(key);
    await draft.removeBelow(asideFolder(id));
  }

  async #takeWhole(draft: PurgeDraft, folder: string): Promise<void> {
    for (const key of await this.#keysOf(folder)) await draft.remove(key);
    await draft.removeOutcomes(folder);
    await draft.removeRows(folder);
  }

  /** Rows of the subject become tombstones; what counts them is counted again. */
  async #takeRows(draft: PurgeDraft, folder: string, subject: ErasureSubject): Promise<void> {
    for (const key of await this.#keysOf(folder)) {
      await draft.rewrite(key, ({ erase }) =>
        erase === undefined ? null : (record) => erase(record, subject),
      );
    }
    await draft.rewriteOutcomes(folder, (outcome) =>
      subject.items.has(outcome.item) ? erasedOutcome(outcome) : subject.scrub(outcome),
    );
    await draft.rewriteRows(folder, subject);
    const latest = await this.#works.latest(folder);
    if (latest !== null) {
      const counts = noCounts();
      for await (const row of this.#works.rows(folder)) {
        counts[subject.holdsRow(row) ? 'erased' : row.status] += 1;
      }
      const recount = (record: unknown): unknown => recounted(record as BatchSummary, counts);
      await draft.rewrite(summaryKey(folder, latest.edition), () => recount);
    }
    await this.#takeQuotingResolutions(draft, folder, subject);
  }

  /** The note of a decision about many rows stands in the resolutions of each of them. */
  async #takeQuotingResolutions(
    draft: PurgeDraft,
    folder: string,
    subject: ErasureSubject,
  ): Promise<void> {
    const decided = new Set<number>();
    for (const decision of await this.#works.decisions(folder)) {
      if (subject.scrub(decision).note === decision.note) continue;
      for (const { item } of decision.rows) decided.add(item);
    }
    if (decided.size === 0) return;
    for await (const item of this.#works.items(folder)) {
      if (!decided.has(item.item) || subject.items.has(item.item)) continue;
      for (const one of certificateSubjects(this.#nameOf(item.document))) {
        await draft.rewordResolutions(one, (note) => subject.scrubNote(note));
      }
    }
  }

  /**
   * The file as it was uploaded goes as a whole: what it holds besides is in no other way reached.
   *
   * @param own when given, it stays if a work or batch beyond these came from it
   */
  async #takeInput(draft: PurgeDraft, work: PlannedWork, own?: ReadonlySet<string>): Promise<void> {
    const key = work.record?.inputKey ?? null;
    if (key === null) return;
    if (own !== undefined && (await this.#uploads.hasOther(key, own))) return;
    await draft.remove(key);
  }

  /** Last of all: it leads to everything else. */
  async #takeIndex(
    draft: PurgeDraft,
    name: string | null,
    folders: ReadonlySet<string>,
  ): Promise<void> {
    for (const folder of folders) await draft.removeHolder(folder);
    if (name !== null) await draft.removeSubject(name);
  }

  /** @returns how many lines of the work are the subject's, and were not erased before */
  async #learnRows(folder: string, subject: ErasureSubject): Promise<number> {
    let rows = 0;
    for await (const row of this.#works.lines(folder)) {
      subject.takeRow(row);
      if (subject.holds(row) && row.erased !== true) rows += 1;
    }
    return rows;
  }

  /** Ids and official names that are on file for the subject's rows. */
  async #learnTold(
    folder: string,
    subject: ErasureSubject,
    ids: Set<string>,
    names: Set<string>,
  ): Promise<void> {
    for await (const outcome of this.#store.outcomes.all(folder)) {
      if (!subject.items.has(outcome.item)) continue;
      if (outcome.certidaoId !== null) ids.add(outcome.certidaoId);
      if (outcome.officialName !== null) names.add(outcome.officialName);
    }
  }

  async #learnFacts(ids: ReadonlySet<string>, names: Set<string>): Promise<void> {
    const facts = this.#store.facts;
    for (const id of ids) {
      const fact = await facts.of(id).catch(() => null);
      if (fact?.officialName != null) names.add(fact.officialName);
    }
  }

  async #idsIn(folder: string, ids: Set<string>, idsOf: Map<string, Set<string>>): Promise<void> {
    const nameOfItem = new Map<number, string>();
    for await (const item of this.#works.items(folder)) {
      nameOfItem.set(item.item, this.#nameOf(item.document));
    }
    for await (const { item, certidaoId } of this.#store.outcomes.all(folder)) {
      if (certidaoId === null) continue;
      ids.add(certidaoId);
      const name = nameOfItem.get(item);
      if (name !== undefined) addTo(idsOf, name, certidaoId);
    }
  }

  /** @returns the number of lines */
  async #namesIn(folder: string, each: (name: string) => void): Promise<number> {
    let lines = 0;
    for await (const row of this.#works.lines(folder)) {
      lines += 1;
      for (const document of documentsOf(row)) each(this.#nameOf(document));
    }
    return lines;
  }

  /** Every issuance that attempts about a document name. */
  async #claimedIssuances(name: string): Promise<string[]> {
    const ids: string[] = [];
    for (const subject of certificateSubjects(name)) {
      ids.push(...externalIdsOf(await this.#store.attempts.of(subject)));
    }
    return ids;
  }

  async #unsettledOf(name: string, folders: string[]): Promise<UnsettledThing[]> {
    const found: UnsettledThing[] = [];
    for (const subject of certificateSubjects(name)) {
      const state = subjectState(await this.#store.attempts.of(subject), this.#now());
      if (state.kind === 'in_flight' || state.kind === 'unknown') found.push({ state, folders });
    }
    return found;
  }

  /** Works that hold documents: uploads and results of analyses are taken on their own. */
  async #holdersOf(names: Iterable<string>): Promise<Map<string, Set<string>>> {
    const holders = await this.#store.subjects.holdersOf(names);
    for (const [name, folders] of holders) {
      holders.set(name, new Set([...folders].filter((folder) => folder.startsWith('works/'))));
    }
    return holders;
  }

  async #plannedWorks(
    folders: ReadonlySet<string>,
    isWhole: (folder: string) => boolean,
  ): Promise<PlannedWork[]> {
    const works: PlannedWork[] = [];
    for (const folder of [...folders].sort()) {
      const record = await this.#works.record(folder);
      const ended = (await this.#works.summary(folder)) !== null;
      const workId = folder.slice('works/'.length);
      // What was left half planned or half purged was never started, or is not any more.
      works.push({ folder, workId, record, whole: record === null || isWhole(folder), ended });
    }
    return works;
  }

  async #keysOf(folder: string): Promise<string[]> {
    return (await this.#folders()).get(folder) ?? [];
  }

  /** Keys of every work. One work's id may begin with another's: a later run of the same batch. */
  #folders(): Promise<Map<string, string[]>> {
    this.#keysByFolder ??= this.#store.records.list('works/').then((keys) => {
      const byFolder = new Map<string, string[]>();
      for (const key of keys) {
        const folder = folderOf(key);
        const known = byFolder.get(folder);
        if (known === undefined) byFolder.set(folder, [key]);
        else known.push(key);
      }
      return byFolder;
    });
    return this.#keysByFolder;
  }

  #pdfs(): Promise<Map<string, string[]>> {
    this.#pdfsByIssuance ??= this.#store.records.list('pdf/').then((keys) => {
      const byIssuance = new Map<string, string[]>();
      for (const key of keys) {
        const segment = issuanceOfPdf(key);
        if (segment === null) continue;
        byIssuance.set(segment, [...(byIssuance.get(segment) ?? []), key]);
      }
      return byIssuance;
    });
    return this.#pdfsByIssuance;
  }
}

/** Counts of lines as they stand now; what was asked for and charged does not change. */
function recounted(summary: BatchSummary, counts: StatusCounts): BatchSummary {
  const statuses = Object.keys(counts) as RowStatus[];
  // One from before a status was known does not count it.
  const isSame = statuses.every((status) => counts[status] === (summary.counts[status] ?? 0));
  return isSame ? summary : { ...summary, counts };
}

function hasOther(folders: ReadonlySet<string> | undefined, own: ReadonlySet<string>): boolean {
  return [...(folders ?? [])].some((folder) => !own.has(folder));
}

/** Runs of a work by its id have an instant behind it. */
function isOfWork(folder: string, workId: string): boolean {
  const id = folder.slice('works/'.length);
  return (
    id === workId ||
    (id.startsWith(`${workId}/`) && /^\d{8}T\d+Z$/.test(id.slice(workId.length + 1)))
  );
}

const partsOfWork = /^(works\/.+?)\/(?:work\.json|latest\.json|(?:summaries|decisions)\/)/;

function folderOf(key: string): string {
  return partsOfWork.exec(key)?.[1] ?? key.slice(0, key.lastIndexOf('/'));
}
