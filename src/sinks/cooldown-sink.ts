import { isOver, judgeRepeat } from '../domain/monitors/cooldown';
import type { Delivery } from '../domain/monitors/delivery';
import { mayBeTried } from '../domain/monitors/kept';
import type { ChangeRepository } from '../store/monitors/changes';
import {
  sumOfKind,
  type CooldownRepository,
  type DigestTrouble,
  type FiledDigest,
  type FiledWindow,
  type WindowKey,
} from '../store/monitors/cooldowns';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';

/** Changes of one digest: more of them are told in another. */
const mostPerDigest = 500;
/** Digests handed over together. */
const mostAtOnce = 8;
/** Halvings in one call: enough to find the one bad change of a few digests. */
const mostHalvings = 32;

/** What became of the digests that were due. */
export interface DigestsTold {
  /** Digests that the sink has taken, and the changes in them. */
  taken: number;
  changes: number;
  /** Tried, in this sweep or lately, and not taken; told later. */
  stuck: readonly DigestTrouble[];
  /** Had no turn. */
  untried: number;
  /** The sink takes nothing any more until a person enables it. */
  isDisabled: boolean;
}

export function noDigestsTold(): DigestsTold {
  return { taken: 0, changes: 0, stuck: [], untried: 0, isDisabled: false };
}

export function addDigestsTold(a: DigestsTold, b: DigestsTold): DigestsTold {
  return {
    taken: a.taken + b.taken,
    changes: a.changes + b.changes,
    stuck: [...a.stuck, ...b.stuck],
    untried: a.untried + b.untried,
    isDisabled: a.isDisabled || b.isDisabled,
  };
}

type Sweeping = Omit<DeliveryBatch, 'deliveries'>;

/** A digest on its way. */
interface DueDigest {
  window: FiledWindow;
  filed: FiledDigest;
  delivery: Extract<Delivery, { kind: 'digest' }>;
}

/**
 * A sink that is told repeats together. A folded change counts as taken: it is on file for its
 * digest, which is told by `deliverDue` when its window is over. Without a cooldown nothing is folded,
 * and every window is over: what an earlier cooldown held back is still told.
 */
export class CooldownSink implements Sink {
  readonly name: string;
  readonly #inner: Sink;
  readonly #cooldowns: CooldownRepository;
  readonly #changes: ChangeRepository;
  readonly #cooldownMs: number | null;

  constructor(
    inner: Sink,
    cooldowns: CooldownRepository,
    changes: ChangeRepository,
    cooldownMs: number | null,
  ) {
    this.name = inner.name;
    this.#inner = inner;
    this.#cooldowns = cooldowns;
    this.#changes = changes;
    this.#cooldownMs = cooldownMs;
  }

  /** The same sink with another cooldown. */
  withCooldown(cooldownMs: number): CooldownSink {
    return new CooldownSink(this.#inner, this.#cooldowns, this.#changes, cooldownMs);
  }

  async deliver(batch: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]> {
    const cooldownMs = this.#cooldownMs;
    if (cooldownMs === null) return this.#inner.deliver(batch, signal);
    const folded = await this.#fold(batch, cooldownMs);
    const told = batch.deliveries.filter(({ id }) => !folded.has(id));
    const answers = await this.#inner.deliver({ ...batch, deliveries: told }, signal);
    return batch.deliveries.map(({ id }) => {
      const window = folded.get(id);
      if (window === undefined) return answers.shift() as DeliveryOutcome;
      return { kind: 'taken', digest: `${window.kind}/${window.number}` };
    });
  }

  /** A digest of the monitor is due, or was and could not be told. */
  async hasDue(monitorId: string, at: number): Promise<boolean> {
    const windows = [...(await this.#cooldowns.of(monitorId)).values()].flat();
    return windows.some((window) => this.#isDue(window, at) && !isEmpty(window));
  }

  /**
   * Tells the digests of a monitor whose windows are over, each once a sweep. Those that fail stay on
   * file, and are counted. One that is refused is halved: one bad change keeps no other back, and what
   * is too long gets shorter. For one caller at a time.
   */
  async deliverDue(batch: Sweeping, signal?: AbortSignal): Promise<DigestsTold> {
    const numbers = new Map<string, number>();
    let due: FiledWindow[] = [];
    for (const [kind, windows] of await this.#cooldowns.of(batch.monitorId)) {
      numbers.set(kind, windows.at(-1)?.number ?? 0);
      due.push(...windows.filter((window) => this.#isDue(window, batch.at)));
    }
    let told = noDigestsTold();
    let halvings = mostHalvings;
    while (due.length > 0) {
      const halves: FiledWindow[] = [];
      for (let first = 0; first < due.length; first += mostAtOnce) {
        const some = due.slice(first, first + mostAtOnce);
        const mayHalve = (): boolean => (halvings -= 1) >= 0;
        told = addDigestsTold(
          told,
          await this.#tell(some, batch, { mayHalve, halves, numbers }, signal),
        );
      }
      due = halves;
    }
    return told;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Changes that are told in a digest, by their ids, with its window; all others are told alone. */
  async #fold(
    { monitorId, at, deliveries }: DeliveryBatch,
    cooldownMs: number,
  ): Promise<Map<string, WindowKey>> {
    const windows = await this.#cooldowns.of(monitorId);
    const opened: FiledWindow[] = [];
    const folded: { window: WindowKey; changeId: string }[] = [];
    for (const delivery of deliveries) {
      // A digest is made of what is on file, and of a erased change there is nothing.
      if (delivery.kind === 'digest' || delivery.filed.erased === true) continue;
      const kind = sumOfKind(delivery.filed);
      const its = windows.get(kind) ?? [];
      windows.set(kind, its);
      const verdict = judgeRepeat(delivery.id, its, at, cooldownMs);
      if (verdict.kind === 'tell') continue;
      const window = { monitorId, kind, number: verdict.number };
      if (verdict.kind === 'fold') folded.push({ window, changeId: delivery.id });
      else {
        opened.push(newWindow(window, delivery.id, at));
        its.push(newWindow(window, delivery.id, at));
      }
    }
    await this.#cooldowns.fold(opened, folded);
    if (folded.length === 0) return new Map();
    // A window may have been closed meanwhile.
    const now = [...(await this.#cooldowns.of(monitorId)).values()].flat();
    return new Map(
      folded.flatMap(({ changeId }) => {
        const window = now.find((one) => one.folded.has(changeId));
        return window === undefined ? [] : [[changeId, window]];
      }),
    );
  }

  #isDue(window: FiledWindow, at: number): boolean {
    return window.closed || isOver(window, at, this.#cooldownMs ?? 0);
  }

  async #tell(
    windows: readonly FiledWindow[],
    batch: Sweeping,
    halving: Halving,
    signal?: AbortSignal,
  ): Promise<DigestsTold> {
    const told = { ...noDigestsTold(), stuck: [] as DigestTrouble[] };
    const due: DueDigest[] = [];
    for (const window of windows) {
      if (isEmpty(window)) await this.#cooldowns.forget(window);
      else if (mayBeTried(window.trouble, batch.sweep, batch.at))
        due.push(...(await this.#made(window, batch.monitorId)));
      else if (window.trouble !== null) told.stuck.push(window.trouble);
    }
    if (due.length === 0) return told;
    const deliveries = due.map(({ delivery }) => delivery);
    const outcomes = await this.#inner.deliver({ ...batch, deliveries }, signal);
    for (const [place, { window, filed, delivery }] of due.entries()) {
      const outcome = outcomes[place];
      if (outcome?.kind === 'taken') {
        await this.#cooldowns.clear(window);
        told.taken += 1;
        told.changes += delivery.digest.changes.length;
      } else if (outcome?.kind === 'untried') told.untried += 1;
      else if (outcome?.kind === 'refused' && filed.changeIds.length > 1 && halving.mayHalve()) {
        halving.halves.push(...(await this.#halve(window, filed, halving.numbers)));
      } else {
        told.isDisabled ||= outcome?.kind === 'disabled';
        told.stuck.push(await this.#count(window, batch, outcome));
      }
    }
    return told;
  }

  /** Made up once; none when all its changes are gone. */
  async #made(window: FiledWindow, monitorId: string): Promise<DueDigest[]> {
    const chosen = [...window.folded].slice(0, mostPerDigest);
    const filed = window.digest ?? (await this.#cooldowns.close(window, chosen));
    if (filed === null) return [];
    const files = await this.#changes.files(monitorId, filed.changeIds);
    const changes = filed.changeIds.flatMap((id) => files.get(id)?.filed ?? []);
    const [first] = changes;
    if (first === undefined) {
      await this.#cooldowns.clear(window);
      return [];
    }
    const seen = changes.map(({ seenAt }) => seenAt).sort();
    const { type, severity } = (changes.find(({ erased }) => erased !== true) ?? first).change;
    const [from = first.seenAt] = seen;
    const to = seen.at(-1) ?? from;
    const digest = { monitorId, type, severity, from, to, changes };
    return [{ window, filed, delivery: { kind: 'digest', id: filed.id, digest } }];
  }

  async #halve(
    window: FiledWindow,
    filed: FiledDigest,
    numbers: Map<string, number>,
  ): Promise<FiledWindow[]> {
    const number = (numbers.get(window.kind) ?? window.number) + 1;
    numbers.set(window.kind, number);
    return this.#cooldowns.halve(window, filed, number);
  }

  #count(
    window: FiledWindow,
    { sweep, at }: Sweeping,
    outcome: Exclude<DeliveryOutcome, { kind: 'taken' }> | undefined,
  ): Promise<DigestTrouble> {
    const againInMs = outcome?.kind === 'failed' ? outcome.againInMs : null;
    return this.#cooldowns.countTrouble(window, {
      lastAt: new Date(at).toISOString(),
      sweep,
      why: outcome?.why ?? 'the sink did not say what became of it',
      againAt: againInMs === null ? null : new Date(at + againInMs).toISOString(),
    });
  }
}

interface Halving {
  mayHalve: () => boolean;
  /** What came of it, to be told next. */
  halves: FiledWindow[];
  /** The last window of each kind. */
  numbers: Map<string, number>;
}

function isEmpty({ folded, closed }: FiledWindow): boolean {
  return folded.size === 0 && !closed;
}

function newWindow(key: WindowKey, opener: string, openedAt: number): FiledWindow {
  const empty = { folded: new Set<string>(), closed: false, digest: null, trouble: null };
  return { ...key, ...empty, opener, openedAt };
}
