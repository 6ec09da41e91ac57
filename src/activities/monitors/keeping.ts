import type { ListedChange } from '../../apis/investigation/monitors.wire';
import { acknowledgementEntry } from '../../domain/monitors/audit';
import { isOwed, isStuck } from '../../domain/monitors/change-record';
import { mayBeTried, type ChangeFile } from '../../domain/monitors/kept';
import {
  addStanding,
  noStanding,
  type Standing,
  type SweepRef,
  type SweepTerms,
} from '../../domain/monitors/sweep';
import type { ChangeRepository } from '../../store/monitors/changes';
import type { MonitorDependencies } from '../dependencies';
import type { Deliverer } from './delivery';
import { fileAll } from './filing';
import { isCounted, measureStuck } from './stuck';

export type ToldItem = Extract<ListedChange, { kind: 'change' }>;

/** What became of changes that the service tells as acknowledged. */
export interface Kept {
  /** On file only now. */
  found: number;
  /** Deliveries that a sink has taken now. */
  delivered: number;
  /** Put down as acknowledged now: by us, in a sweep whose worker was lost, or by others. */
  ours: number;
  elsewhere: number;
  /** Due to a sink still. */
  owed: number;
  /** Of them those that were not counted earlier in the sweep, and what is not to be filed. */
  standing: Standing;
  /** Of `standing`: handed over now, in vain. */
  tried: Standing;
}

/** Puts on file what was acknowledged without our having it on file, and delivers what is due all the same. */
export class Keeper {
  readonly #changes: ChangeRepository;
  readonly #deliverer: Deliverer;
  readonly #deps: MonitorDependencies;

  constructor(changes: ChangeRepository, deliverer: Deliverer, deps: MonitorDependencies) {
    this.#changes = changes;
    this.#deliverer = deliverer;
    this.#deps = deps;
  }

  async keep(
    ref: SweepRef,
    terms: SweepTerms,
    told: readonly ToldItem[],
    signal: AbortSignal,
  ): Promise<Kept> {
    const sinks = this.#deps.sinksFor(terms.cooldownMs);
    const by = { sweep: ref.sweep, at: this.#instant(), foundAs: 'elsewhere' } as const;
    const page = await fileAll(this.#changes, ref.monitorId, told, by);
    const files = page.files.map(({ file }) => file);
    const found = files.filter(({ isNew }) => isNew).length;
    this.#deps.metrics.changesFiled(found);
    const due = await this.deliverOwed(ref, terms, files, signal);
    const unmarked = page.files.filter(({ file }) => file.acknowledged === null);
    const ours = await this.#putDown(ref, unmarked, sinks.required);
    await this.#clear(ref, files, sinks.required);
    return {
      ...due,
      found,
      ours,
      elsewhere: unmarked.length - ours,
      standing: { ...due.standing, unreadable: page.broken.length },
    };
  }

  /** Hands over what is due to the sinks and was not tried in this sweep, or lately. */
  async deliverOwed(
    ref: SweepRef,
    terms: SweepTerms,
    files: readonly ChangeFile[],
    signal: AbortSignal,
  ): Promise<Pick<Kept, 'delivered' | 'owed' | 'standing' | 'tried'>> {
    const sinks = this.#deps.sinksFor(terms.cooldownMs);
    const owed = files.filter((file) => isOwed(file, sinks.required));
    const due = owed.filter(({ trouble }) => mayBeTried(trouble, ref.sweep, this.#deps.now()));
    const waiting = owed.filter((file) => !due.includes(file) && !isCounted(file.trouble, ref));
    const { held, taken, stuck, untried } = await this.#deliverer.deliver(ref, due, sinks, signal);
    const troubles = stuck.map(({ trouble }) => trouble);
    const escalated = measureStuck(troubles, this.#deps);
    const isGrave = ({ trouble }: ChangeFile) => (trouble?.count ?? 0) >= this.#deps.escalateAfter;
    const tried = { ...noStanding(), stuck: stuck.length, escalated };
    const left = {
      ...noStanding(),
      stuck: waiting.length + untried,
      escalated: waiting.filter(isGrave).length,
    };
    const owedStill = owed.length - held.length;
    return { delivered: taken, owed: owedStill, standing: addStanding(tried, left), tried };
  }

  /** Some were listed as open after their acknowledgement, and are no more. */
  async #clear(
    { monitorId }: SweepRef,
    files: readonly ChangeFile[],
    required: readonly string[],
  ): Promise<void> {
    const again = files.filter(
      (file) => file.acknowledged !== null && isStuck(file, required) && !isOwed(file, required),
    );
    await this.#changes.clearTroubles(
      monitorId,
      again.map(({ filed }) => filed.change.changeId),
    );
  }

  /** On record first: a mark that stands there is never put again. @returns how many are ours */
  async #putDown(
    ref: SweepRef,
    unmarked: readonly { told: ToldItem; file: ChangeFile }[],
    required: readonly string[],
  ): Promise<number> {
    const { audit, metrics, now } = this.#deps;
    const marks = unmarked.map(({ told: { change }, file }) => {
      const { changeId, acknowledgedAt } = change;
      const by = isOurs(file, acknowledgedAt, required) ? ('us' as const) : ('elsewhere' as const);
      const mark = { by, acknowledgedAt, required, sweep: ref.sweep, at: this.#instant() };
      return { changeId, mark };
    });
    await audit.append(
      marks.map(({ changeId, mark }) => acknowledgementEntry(ref, changeId, mark.by, now())),
    );
    await this.#changes.putAcknowledged(ref.monitorId, marks);
    const ours = marks.filter(({ mark }) => mark.by === 'us').length;
    metrics.changesAcknowledged('us', ours);
    metrics.changesAcknowledged('elsewhere', marks.length - ours);
    return ours;
  }

  #instant(): string {
    return new Date(this.#deps.now()).toISOString();
  }
}

/** All sinks had it before: a worker of ours was lost between its acknowledgement and the mark. */
function isOurs(
  { filed, delivered }: ChangeFile,
  acknowledgedAt: string | null,
  names: readonly string[],
): boolean {
  if (filed.foundAs !== 'open') return false;
  return names.every((name) => {
    const mark = delivered[name];
    // Clocks of two machines: a minute either way tells nothing.
    const bound = acknowledgedAt === null ? Infinity : Date.parse(acknowledgedAt) + 60_000;
    return mark !== undefined && Date.parse(mark.at) <= bound;
  });
}
