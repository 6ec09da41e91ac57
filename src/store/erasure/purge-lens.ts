import { isLensSettled, type LensOutcome, type LensRecord } from '../../domain/lens/analyze';
import type { Store } from '../store';
import type { NameOf } from '../core/subjects';
import type { PurgeClass } from './kept-kinds';
import { LensFile, lensIndexes } from '../lens/lens';
import type { PlannedWork, PurgeDraft } from './purge-draft';

/** What a purge takes of analyses. */
export interface LensPart {
  works: PlannedWork[];
  /** Folders that go as a whole, as the subject index calls them. */
  gone: Set<string>;
}

/**
 * Plans what a purge takes of analyses of files. A picture names nobody: they are found by the
 * documents that their answer, label or file name holds, or by their ids. What was asked for and may
 * have been charged (`attempts/`) tells of nobody, and stays.
 */
export class LensPurge {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #file: LensFile;

  constructor(store: Store, nameOf: NameOf) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#file = new LensFile(store);
  }

  /** An analysis that names the document goes as a whole: its picture cannot be rewritten. */
  async ofDocument(draft: PurgeDraft, document: string): Promise<LensPart> {
    const name = this.#nameOf(document);
    const holders = await this.#store.subjects.holders(name);
    return this.#take(draft, (folder) => {
      const { asked, answer } = lensIndexes(folder);
      return holders.has(asked) || holders.has(answer);
    });
  }

  /** @param workId with its instant, or of everything about a file */
  async ofWork(draft: PurgeDraft, workId: string): Promise<LensPart> {
    return this.#take(draft, (folder) => folder === workId || folder.startsWith(`${workId}/`));
  }

  /** Of works that ended before an instant: the copies of their files, or what was told of them. */
  async ofAge(draft: PurgeDraft, what: PurgeClass, endedBefore: number): Promise<LensPart> {
    const part: LensPart = { works: [], gone: new Set() };
    if (what === 'pdf') return part;
    const old = new Map<string, LensRecord>();
    for (const { folder, record } of await this.#file.all()) {
      const outcome = await this.#file.outcome(folder);
      if (outcome !== null && Date.parse(outcome.settledAt) < endedBefore) old.set(folder, record);
    }
    for (const [folder, record] of old) {
      const before = draft.size;
      if (what === 'inputs') await this.#takeInput(draft, record, new Set(old.keys()));
      else await this.#takeAnswer(draft, folder, part);
      if (draft.size > before) part.works.push({ ...planned(folder, true), whole: false });
    }
    return part;
  }

  async #takeAnswer(draft: PurgeDraft, folder: string, part: LensPart): Promise<void> {
    await draft.removeBelow(`${folder}/artifacts/`);
    await draft.remove(`${folder}/answer.json`);
    await draft.rewrite(`${folder}/outcome.json`, () => withoutAnswer);
    part.gone.add(lensIndexes(folder).answer);
  }

  async #take(draft: PurgeDraft, isMeant: (folder: string) => boolean): Promise<LensPart> {
    const part: LensPart = { works: [], gone: new Set() };
    // By their keys: a purge that was cut short may have taken the record already.
    const keys = (await this.#store.records.list('lens/')).filter((key) =>
      isMeant(folderOf(key) ?? ''),
    );
    const folders = new Set(keys.flatMap((key) => folderOf(key) ?? []));
    for (const folder of folders) {
      const record = await this.#file.record(folder);
      if (record !== null) await this.#takeInput(draft, record, folders);
      const ended = (await this.#file.outcome(folder)) !== null;
      part.works.push(planned(folder, ended));
      for (const one of Object.values(lensIndexes(folder))) part.gone.add(one);
    }
    for (const key of keys) await draft.remove(key);
    return part;
  }

  /** The copy is everybody's who has handed the same bytes in: it goes with the last of them. */
  async #takeInput(
    draft: PurgeDraft,
    { file: { key } }: LensRecord,
    own: ReadonlySet<string>,
  ): Promise<void> {
    for (const { folder, record } of await this.#file.all()) {
      if (record.file.key === key && !own.has(folder)) return;
    }
    await draft.remove(`${key}.json`);
    for (const one of await this.#store.records.list(`${key}/`)) await draft.remove(one);
  }
}

/** `lens/<name>/<instant>`; null of what stands beside the works. */
function folderOf(key: string): string | null {
  return /^lens\/[^/]+\/\d{8}T\w+(?=\/)/.exec(key)?.[0] ?? null;
}

function planned(workId: string, ended: boolean): PlannedWork {
  return { folder: workId, workId, record: null, whole: true, ended };
}

/** How it ended, its id and what it cost stay; what was told, and its sums, are gone. */
function withoutAnswer(record: unknown): unknown {
  const { error, files, seen, ...outcome } = record as LensOutcome;
  const failure = seen?.failure ?? null;
  return {
    ...outcome,
    ...(seen !== null && isLensSettled(seen.state) && { purged: true }),
    seen: seen && { ...seen, sha256: null, failure: failure && { ...failure, message: '' } },
    files: files && { ...files, filed: [] },
    error: error && { ...error, message: '' },
  };
}
