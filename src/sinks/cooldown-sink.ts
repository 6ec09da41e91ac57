import { createHash } from 'node:crypto';
import { groupBy } from '../domain/core/group-by';
import { cooldownKind, isOver, repeatOf, type Repeat } from '../domain/monitors/cooldown';
import type { Delivery } from '../domain/monitors/delivery';
import {
  mayBeTried,
  type ChangeFile,
  type DeliveryFailure,
  type StoredChange,
} from '../domain/monitors/stored';
import type { ChangeRepository } from '../store/monitors/changes';
import type { CooldownRepository, StoredDigest } from '../store/monitors/cooldowns';
import {
  failureOf,
  type DeliveryBatch,
  type DeliveryOutcome,
  type DeliveryRef,
  type Sink,
} from './sink';

/** Digests delivered in one call. */
const mostAtOnce = 8;
/** Halvings in one call: enough to isolate the one bad change of a few digests. */
const mostHalvings = 32;

/** Result of delivering the due digests. */
export interface DueDigests {
  /** Counted in this call. */
  failures: DeliveryFailure[];
  /** Some were not accepted, now or lately; later sweeps retry. */
  isWaiting: boolean;
  /** The sink is disabled until a person enables it. */
  isDisabled: boolean;
}

/**
 * A sink that collects repeats. A change that is held back counts as delivered: the store holds it for its
 * digest, which `deliverDue` delivers when its window is over. Without a cooldown nothing is held back,
 * and every window is over: what an earlier cooldown held back is still delivered.
 */
export class CooldownSink implements Sink {
  readonly name: string;
  readonly #inner: Sink;
  readonly #cooldowns: CooldownRepository;
  readonly #changes: ChangeRepository;

  constructor(inner: Sink, cooldowns: CooldownRepository, changes: ChangeRepository) {
    this.name = inner.name;
    this.#inner = inner;
    this.#cooldowns = cooldowns;
    this.#changes = changes;
  }

  async deliver(batch: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]> {
    const { cooldownMs } = batch;
    if (cooldownMs === null) return this.#inner.deliver(batch, signal);
    const held = await this.#hold(batch, cooldownMs);
    const reported = batch.deliveries.filter(({ id }) => !held.has(id));
    const answers = await this.#inner.deliver({ ...batch, deliveries: reported }, signal);
    return batch.deliveries.map(({ id }) =>
      held.has(id) ? { kind: 'taken', inDigest: true } : (answers.shift() as DeliveryOutcome),
    );
  }

  /** A digest of the monitor is due, or an earlier one was not delivered. */
  async hasDue({ monitorId, ...ref }: Omit<DeliveryRef, 'sweep'>): Promise<boolean> {
    const repeats = await this.#cooldowns.of(monitorId);
    return repeats.some((one) => one.isHeld && (one.digest !== null || isDue(one, ref)));
  }

  /**
   * Delivers the digests of a monitor whose windows are over, each once a sweep. Failed ones stay in
   * the store, and are counted. A refused one is halved: one bad change blocks no others, and a digest
   * that is too long gets shorter. Not safe for concurrent calls.
   */
  async deliverDue(batch: DeliveryRef, signal?: AbortSignal): Promise<DueDigests> {
    const { monitorId, sweep, at } = batch;
    const done: DueDigests = { failures: [], isWaiting: false, isDisabled: false };
    const all = await this.#digests(batch);
    const due = all.filter(({ failure }) => mayBeTried(failure, sweep, at));
    done.isWaiting = due.length < all.length;
    for (let halvings = mostHalvings; due.length > 0;) {
      const some = due.splice(0, mostAtOnce);
      const deliveries = await this.#deliveries(monitorId, some);
      const outcomes = await this.#inner.deliver({ ...batch, deliveries }, signal);
      for (const [index, digest] of some.entries()) {
        const outcome = outcomes[index];
        const { id, changeIds } = digest;
        if (outcome?.kind === 'taken') {
          await this.#cooldowns.remove(monitorId, changeIds);
          await this.#forget(monitorId, digest);
        } else if (outcome?.kind === 'refused' && changeIds.length > 1 && halvings > 0) {
          halvings -= 1;
          due.push(...(await this.#cooldowns.halve(monitorId, digest)));
          await this.#forget(monitorId, digest);
        } else {
          done.isWaiting = true;
          done.isDisabled ||= outcome?.kind === 'disabled';
          if (outcome?.kind === 'untried') continue;
          const failure = failureOf(id, this.name, batch, outcome);
          const [counted] = await this.#changes.countFailures(monitorId, [failure]);
          if (counted !== undefined) done.failures.push(counted.failure);
        }
      }
    }
    return done;
  }

  /** Failures of digests that are not delivered yet. */
  async undelivered(monitorId: string): Promise<DeliveryFailure[]> {
    const digests = await this.#cooldowns.digests(monitorId);
    return digests.flatMap(({ failure }) => failure ?? []);
  }

  async #forget(monitorId: string, { id, failure }: StoredDigest): Promise<void> {
    if (failure !== null) await this.#changes.clearFailures(monitorId, [id]);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** @returns ids of changes that are stored for a digest; all others are delivered one by one */
  async #hold(
    { monitorId, at, deliveries }: DeliveryBatch,
    cooldownMs: number,
  ): Promise<Set<string>> {
    const repeats = await this.#cooldowns.of(monitorId);
    const before = repeats.length;
    for (const delivery of deliveries) {
      // A digest is built from stored changes, and an erased change has no content.
      if (delivery.kind === 'digest' || delivery.stored.erased === true) continue;
      const its = { changeId: delivery.id, kind: sumOfKind(delivery.stored) };
      const repeat = repeatOf(its, repeats, at, cooldownMs);
      if (!repeats.includes(repeat)) repeats.push(repeat);
    }
    await this.#cooldowns.add(monitorId, repeats.slice(before));
    // Another worker may have stored them first, or delivered a digest meanwhile.
    const now = await this.#cooldowns.of(monitorId);
    return new Set(idsOf(now.filter(({ isHeld }) => isHeld)));
  }

  /** Builds digests of the changes whose windows are over. @returns all pending digests */
  async #digests({ monitorId, ...ref }: DeliveryRef): Promise<StoredDigest[]> {
    const repeats = await this.#cooldowns.of(monitorId);
    const over = repeats.filter((one) => one.digest === null && isDue(one, ref));
    const waiting = groupBy(
      over.filter(({ isHeld }) => isHeld),
      ({ kind }) => kind,
    );
    await this.#cooldowns.makeUp(monitorId, [...waiting.values()].map(idsOf));
    await this.#cooldowns.remove(monitorId, idsOf(over.filter(({ isHeld }) => !isHeld)));
    return repeats.length === 0 ? [] : this.#cooldowns.digests(monitorId);
  }

  async #deliveries(monitorId: string, digests: readonly StoredDigest[]): Promise<Delivery[]> {
    const ids = digests.flatMap(({ changeIds }) => changeIds);
    const files = await this.#changes.files(monitorId, ids);
    return digests.map(({ id, changeIds }) => {
      const changes = changeIds.map((changeId) => (files.get(changeId) as ChangeFile).stored);
      const seen = changes.map(({ seenAt }) => seenAt).sort();
      const [from = '', to = from] = [seen[0], seen.at(-1)];
      const first = (changes.find(({ erased }) => erased !== true) ?? changes[0]) as StoredChange;
      const { type, severity } = first.change;
      return { kind: 'digest', id, digest: { monitorId, type, severity, from, to, changes } };
    });
  }
}

/** The service's text names the kind: its sum is stored instead. */
function sumOfKind({ change }: StoredChange): string {
  return createHash('sha256').update(cooldownKind(change)).digest('hex').slice(0, 16);
}

function isDue(
  repeat: Repeat,
  { at, cooldownMs }: Pick<DeliveryRef, 'at' | 'cooldownMs'>,
): boolean {
  return isOver(repeat, at, cooldownMs ?? 0);
}

function idsOf(repeats: readonly Repeat[]): string[] {
  return repeats.map(({ changeId }) => changeId);
}
