import type { SubjectState } from '../../domain/attempts';
import type { IssuanceFact, OutcomeRecord } from '../../domain/outcomes';
import { FactRepository } from '../certificates/facts';
import type { WorkRecord } from '../../domain/work';
import type { StoredRow } from '../core/row-writer';
import type { WorkTable } from '../core/work-table';
import { toJsonLines } from '../records';
import type { Store } from '../store';
import type { ErasureSubject } from './erasure-subject';
import type { ErasedObject } from './erasures';
import { sha256Of } from '../certificates/evidence-files';
import { keptKinds, kindOf, type KeptKind } from './kept-kinds';
import { erasedRow } from './tombstones';
import { folderOfList } from '../certificates/works';

export interface PlannedWork {
  folder: string;
  workId: string;
  /** Null of analyses, and when `work.json` is missing: its planning, or a purge, was cut short. */
  record: WorkRecord | null;
  /** The work goes as a whole; else what is of the subject becomes tombstones. */
  whole: boolean;
  ended: boolean;
}

/** A thing of which nobody knows whether it was bought, or that is being bought. */
export interface UnsettledThing {
  state: Extract<SubjectState, { kind: 'in_flight' | 'unknown' }>;
  /** Folders of the works that hold it. */
  folders: string[];
}

/** One object that a purge removes or rewrites, with how it was when the plan was made. */
export interface PlannedChange extends Omit<ErasedObject, 'sha256' | 'mac'> {
  hidesKey: boolean;
  sha256: string;
  /** Null: the object goes. Null as its answer: nothing is left of it. */
  rewrite: ((body: Buffer) => Promise<string | null>) | null;
  /** Of what is no object: what is done instead. */
  carryOut?: () => Promise<void>;
}

/** What becomes of one record of an object; null when nothing is left of it. */
export type Rewrite = (record: unknown) => unknown;

/** The changes of a plan while it is made: an object has one, whoever asked for it. */
export class PurgeDraft {
  readonly #store: Store;
  readonly #facts: FactRepository;
  readonly #changes = new Map<string, PlannedChange & { order: number }>();
  /** Outcomes of rows that a rewriting changes. */
  outcomesChanged = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#facts = store.facts;
  }

  async remove(key: string): Promise<void> {
    const body = await this.#store.records.get(key);
    if (body !== null) this.#add(key, body, null);
  }

  async removeBelow(prefix: string): Promise<void> {
    for (const key of await this.#store.records.list(prefix)) await this.remove(key);
  }

  /** Plans nothing when nothing in the object would change. */
  async rewrite(key: string, rewriteOf: (kind: KeptKind) => Rewrite | null): Promise<void> {
    const kind = kindOf(key);
    if (kind === null || this.#changes.has(key)) return;
    const change = rewriteOf(kind);
    const body = change === null ? null : await this.#store.records.get(key);
    if (change === null || body === null) return;
    const rewritten = rewrittenBody(body, kind, change);
    if (rewritten.changed === 0) return;
    this.#add(key, body, async (current) => rewrittenBody(current, kind, change).body);
  }

  /** Of an object whose new body is not made of its old one alone. */
  async replace(key: string, rewrite: (body: Buffer) => Promise<string>): Promise<void> {
    const body = await this.#store.records.get(key);
    if (body !== null) this.#add(key, body, rewrite);
  }

  /** All attempts of a subject. */
  async removeAttempts(subject: string): Promise<void> {
    await this.#changeAttempts(subject, 'removed', () => this.#store.attempts.remove(subject));
  }

  /** Other words in the notes of those who decided about a subject, if there is a need. */
  async rewordResolutions(subject: string, reword: (note: string) => string): Promise<void> {
    const { attempts } = this.#store;
    const notes = await attempts.notesOf(subject);
    if (notes.every((note) => reword(note) === note)) return;
    await this.#changeAttempts(subject, 'rewritten', () => attempts.rewordNotes(subject, reword));
  }

  async #changeAttempts(
    subject: string,
    action: PlannedChange['action'],
    carryOut: () => Promise<void>,
  ): Promise<void> {
    const attempts = await this.#store.attempts.of(subject);
    this.changeRows(`attempts/${subject}`, attempts, action, carryOut);
  }

  /** The outcomes of a work, each as `change` leaves it. */
  async rewriteOutcomes(
    work: string,
    change: (outcome: OutcomeRecord) => OutcomeRecord,
  ): Promise<void> {
    const { outcomes } = this.#store;
    const changed = await this.#rewriteIn(outcomes, `outcomes/${work}`, work, change);
    this.outcomesChanged += new Set(changed.map(({ item }) => item)).size;
  }

  async removeFact(id: string): Promise<void> {
    const fact = await this.#facts.of(id);
    this.changeRows(`facts/${id}`, [fact].filter(Boolean), 'removed', () => this.#facts.remove(id));
  }

  async rewriteFact(id: string, change: (fact: IssuanceFact) => IssuanceFact): Promise<void> {
    const fact = await this.#facts.of(id);
    if (fact === null) return;
    const changed = change(fact);
    if (changed === fact) return;
    this.changeRows(`facts/${id}`, [fact], 'rewritten', () => this.#facts.replace(changed));
  }

  async removeOutcomes(work: string): Promise<void> {
    await this.#removeFrom(this.#store.outcomes, `outcomes/${work}`, work);
  }

  /** Its rows and those of its lists that the subject has become tombstones; the rest quotes it no more. */
  async rewriteRows(folder: string, subject: ErasureSubject): Promise<void> {
    const change = (row: StoredRow): StoredRow =>
      subject.holds(row) ? erasedRow(row) : subject.scrub(row);
    for (const list of await listsOf(this.#store, folder))
      await this.#rewriteIn(this.#store.rows, `rows/${list}`, list, change);
  }

  async removeRows(folder: string): Promise<void> {
    for (const list of await listsOf(this.#store, folder))
      await this.#removeFrom(this.#store.rows, `rows/${list}`, list);
  }

  async #rewriteIn<T>(
    table: WorkTable<T>,
    key: string,
    work: string,
    change: (record: T) => T,
  ): Promise<T[]> {
    const changed: T[] = [];
    for await (const record of table.all(work)) {
      if (JSON.stringify(change(record)) !== JSON.stringify(record)) changed.push(record);
    }
    this.changeRows(key, changed, 'rewritten', async () => {
      await table.rewrite(work, change);
    });
    return changed;
  }

  async #removeFrom<T>(table: WorkTable<T>, key: string, work: string): Promise<void> {
    const all: T[] = [];
    for await (const record of table.all(work)) all.push(record);
    this.changeRows(key, all, 'removed', () => table.remove(work));
  }

  /** That a holder tells of anybody. */
  async removeHolder(holder: string): Promise<void> {
    const { subjects } = this.#store;
    const names = await subjects.heldBy(holder);
    this.changeRows(`holders/${holder}`, names, 'removed', () => subjects.removeHolder(holder));
  }

  /** That anything tells of a subject. */
  async removeSubject(name: string): Promise<void> {
    const { subjects } = this.#store;
    const holders = [...(await subjects.holders(name))];
    this.changeRows(`subjects/${name}`, holders, 'removed', () => subjects.removeSubject(name));
  }

  /** Rows of tables, as one object: nothing when there are none. */
  changeRows(
    key: string,
    rows: readonly unknown[],
    action: PlannedChange['action'],
    carryOut: () => Promise<void>,
  ): void {
    if (rows.length === 0 || this.#changes.has(key)) return;
    const kind = kindOf(key);
    const body = Buffer.from(JSON.stringify(rows));
    this.#changes.set(key, {
      ...changeOf(key, kind, body, action),
      rewrite: null,
      carryOut,
      order: orderOf(kind, action === 'rewritten'),
    });
  }

  /** How many objects it changes. */
  get size(): number {
    return this.#changes.size;
  }

  touches(folder: string): boolean {
    const keys = [...this.#changes.keys()];
    return keys.some((key) => key.startsWith(`${folder}/`) || key === `outcomes/${folder}`);
  }

  ordered(): PlannedChange[] {
    return [...this.#changes.values()].sort((a, b) => a.order - b.order);
  }

  #add(key: string, body: Buffer, rewrite: PlannedChange['rewrite']): void {
    const kind = kindOf(key);
    this.#changes.set(key, {
      ...changeOf(key, kind, body, rewrite === null ? 'removed' : 'rewritten'),
      rewrite,
      order: orderOf(kind, rewrite !== null),
    });
  }
}

function changeOf(
  key: string,
  kind: KeptKind | null,
  body: Buffer,
  action: PlannedChange['action'],
): Omit<PlannedChange, 'rewrite'> {
  const hidesKey = kind?.hidesKey === true;
  const [bytes, sha256] = [body.length, sha256Of(body)];
  return { kind: kind?.kind ?? 'other', key, hidesKey, action, bytes, sha256 };
}

/** Under which the rows of a folder stand: its own, and those of decisions about it. */
async function listsOf({ rows }: Store, folder: string): Promise<string[]> {
  return (await rows.works(folder)).filter((list) => folderOfList(list) === folder);
}

export function addTo(
  map: Map<string, Set<string>>,
  key: string,
  value: string,
): Map<string, Set<string>> {
  return map.set(key, (map.get(key) ?? new Set<string>()).add(value));
}

const quoting = new Set(['attempts', 'analysis', 'analysis outcome', 'credit batch']);

function orderOf(kind: KeptKind | null, isRewritten: boolean): number {
  // What is of no kind tells of nobody by itself, and leads to nothing.
  if (kind === null) return -1;
  // What quotes is found by what it quotes, or by what quotes the same.
  return isRewritten && quoting.has(kind.kind) ? -1 : keptKinds.indexOf(kind);
}

function rewrittenBody(
  body: Buffer,
  kind: KeptKind,
  change: Rewrite,
): { body: string | null; changed: number } {
  // A body that is filed as it came may begin with a byte order mark, which this leaves out.
  const text = new TextDecoder().decode(body);
  const isLines = kind.form === 'lines';
  const before = isLines ? text.split('\n').filter((line) => line !== '') : [text];
  let changed = 0;
  const left: unknown[] = [];
  for (const line of before) {
    const record: unknown = JSON.parse(line);
    const after = change(record);
    if (JSON.stringify(after) !== JSON.stringify(record)) changed += 1;
    if (after !== null) left.push(after);
  }
  if (left.length === 0) return { body: null, changed };
  return { body: isLines ? toJsonLines(left) : JSON.stringify(left[0], null, 2), changed };
}
