import type { DossierOutcome } from '../../domain/dossiers/follow';
import type { Store } from '../store';
import type { NameOf } from '../core/subjects';
import { DossierFile } from '../dossiers/dossiers';
import type { PurgeClass } from './kept-kinds';
import type { PlannedWork, PurgeDraft } from './purge-draft';

/** What a purge takes of dossiers. */
export interface DossiersPart {
  works: PlannedWork[];
  /** Folders that go as a whole, as the subject index calls them. */
  gone: Set<string>;
}

/**
 * Plans what a purge takes of dossiers. The service tells no document of theirs: they are found by
 * the documents that their answers name, or by their ids. What was asked for and may have been charged
 * (`dossier-retries/`) tells of nobody, and stays.
 */
export class DossiersPurge {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #file: DossierFile;

  constructor(store: Store, nameOf: NameOf) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#file = new DossierFile(store);
  }

  /** A dossier that names the document goes as a whole: its report cannot be rewritten. */
  async ofDocument(draft: PurgeDraft, document: string): Promise<DossiersPart> {
    const name = this.#nameOf(document);
    const holders = await this.#store.subjects.holders(name);
    return this.#take(draft, (folder) => holders.has(folder));
  }

  /** @param workId with its instant, or of everything about a dossier */
  async ofWork(draft: PurgeDraft, workId: string): Promise<DossiersPart> {
    const folder = workId.replace(/^dossier\//, 'dossiers/');
    return this.#take(draft, (one) => one === folder || one.startsWith(`${folder}/`));
  }

  /** What ended before an instant: its files, or all that was told with them. */
  async ofAge(draft: PurgeDraft, what: PurgeClass, endedBefore: number): Promise<DossiersPart> {
    const part: DossiersPart = { works: [], gone: new Set() };
    if (what === 'inputs') return part;
    for (const { folder } of await this.#file.all()) {
      const outcome = await this.#file.outcome(folder);
      if (outcome === null || Date.parse(outcome.settledAt) >= endedBefore) continue;
      const before = draft.size;
      await draft.removeBelow(`${folder}/artifacts/`);
      if (what === 'results') {
        await draft.remove(`${folder}/answers.json`);
        await draft.rewrite(`${folder}/outcome.json`, () => withoutAnswer);
        part.gone.add(folder);
      }
      if (draft.size === before) continue;
      part.works.push({ ...planned(folder, true), whole: false });
    }
    return part;
  }

  async #take(draft: PurgeDraft, isMeant: (folder: string) => boolean): Promise<DossiersPart> {
    const part: DossiersPart = { works: [], gone: new Set() };
    // By their keys: a purge that was cut short may have taken the record already.
    const keys = (await this.#store.records.list('dossiers/')).filter((key) =>
      isMeant(folderOf(key)),
    );
    for (const folder of new Set(keys.map(folderOf))) {
      const ended = (await this.#file.outcome(folder)) !== null;
      part.works.push(planned(folder, ended));
      part.gone.add(folder);
    }
    for (const key of keys) await draft.remove(key);
    return part;
  }
}

/** `dossiers/<id>/<instant>`. */
function folderOf(key: string): string {
  return key.split('/').slice(0, 3).join('/');
}

function planned(folder: string, ended: boolean): PlannedWork {
  const workId = folder.replace(/^dossiers\//, 'dossier/');
  return { folder, workId, record: null, whole: true, ended };
}

/** How it ended, its id and what it cost stay; what was told, and sums of its files, are gone. */
function withoutAnswer(record: unknown): unknown {
  const outcome = record as DossierOutcome;
  const { error } = outcome;
  return {
    ...outcome,
    stale: null,
    coverage: null,
    risk: null,
    filed: [],
    error: error && { ...error, message: '' },
  };
}
