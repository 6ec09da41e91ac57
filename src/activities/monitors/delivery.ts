import type { Delivery } from '../../domain/monitors/delivery';
import type { ChangeFile, ChangeTrouble, NewTrouble } from '../../domain/monitors/kept';
import type { SweepRef } from '../../domain/monitors/sweep';
import type { ChangeRepository } from '../../store/monitors/changes';
import type { Sinks } from '../../sinks/open-sinks';
import { troubleOf, type DeliveryOutcome, type Sink } from '../../sinks/sink';
import type { MonitorDependencies } from '../dependencies';

/** A change that could not be brought through, with its count as it stands now. */
export interface StuckChange {
  changeId: string;
  trouble: ChangeTrouble;
}

/** What became of the changes of a page at the sinks. */
export interface Delivered {
  /** Changes that all required sinks have: these may be acknowledged, and no others. */
  held: ChangeFile[];
  /** Changes that all required sinks have now, and had not before. */
  taken: number;
  stuck: StuckChange[];
  /** Had no turn at a required sink: nothing is counted against them. */
  untried: number;
  /** Names of sinks that take nothing any more until a person enables them. */
  disabled: string[];
}

type NotTaken = Exclude<DeliveryOutcome, { kind: 'taken' }>;

/** What became of the changes of a page at one sink. */
interface Told {
  isDisabled: boolean;
  left: { file: ChangeFile; outcome: NotTaken | undefined }[];
}

/** Hands changes to the sinks that have them not yet, and puts down which took them. */
export class Deliverer {
  readonly #changes: ChangeRepository;
  readonly #metrics: MonitorDependencies['metrics'];
  readonly #warn: MonitorDependencies['warn'];
  readonly #now: () => number;

  constructor(changes: ChangeRepository, { metrics, warn, now }: MonitorDependencies) {
    this.#changes = changes;
    this.#metrics = metrics;
    this.#warn = warn;
    this.#now = now;
  }

  async deliver(
    ref: SweepRef,
    files: readonly ChangeFile[],
    sinks: Sinks,
    signal: AbortSignal,
  ): Promise<Delivered> {
    const refusals = new Map<string, Map<string, NewTrouble>>();
    const untried = new Set<string>();
    const disabled: string[] = [];
    await Promise.all(
      sinks.all.map(async (sink) => {
        const wanting = files.filter(({ delivered }) => delivered[sink.name] === undefined);
        const told = await this.#tell(ref, wanting, sink, signal);
        if (told.isDisabled) disabled.push(sink.name);
        // Nobody waits for it: what it did not take is neither late nor tried again for that.
        if (!sinks.required.includes(sink.name)) return this.#tellMissed(ref, sink, told.left);
        const its = new Map<string, NewTrouble>();
        const by = { sweep: ref.sweep, at: this.#now() };
        refusals.set(sink.name, its);
        for (const { file, outcome } of told.left) {
          const { changeId } = file.filed.change;
          if (outcome?.kind === 'untried') untried.add(changeId);
          else its.set(changeId, troubleOf(changeId, sink.name, by, outcome));
        }
      }),
    );
    // Once a change, whichever of the sinks did not take it.
    const refused = new Map(sinks.names.flatMap((name) => [...(refusals.get(name) ?? [])]));
    const stuck = await this.#changes.countTroubles(ref.monitorId, [...refused.values()]);
    const isHeld = (changeId: string): boolean => !refused.has(changeId) && !untried.has(changeId);
    const held = files.filter(({ filed }) => isHeld(filed.change.changeId));
    const taken = held.filter(({ delivered }) =>
      sinks.required.some((name) => delivered[name] === undefined),
    ).length;
    const waiting = [...untried].filter((changeId) => !refused.has(changeId)).length;
    return { held, taken, stuck, untried: waiting, disabled };
  }

  async #tell(
    ref: SweepRef,
    wanting: readonly ChangeFile[],
    sink: Sink,
    signal: AbortSignal,
  ): Promise<Told> {
    if (wanting.length === 0) return { isDisabled: false, left: [] };
    const { monitorId, sweep } = ref;
    const deliveries = wanting.map(({ filed }): Delivery => {
      return { kind: 'change', id: filed.change.changeId, filed };
    });
    const batch = { monitorId, sweep, at: this.#now(), deliveries };
    const outcomes = await sink.deliver(batch, signal);
    const took = wanting.flatMap((file, place) => {
      const outcome = outcomes[place];
      return outcome?.kind === 'taken' ? [{ file, inDigest: outcome.inDigest }] : [];
    });
    const at = this.#instant();
    await this.#changes.putDelivered(
      monitorId,
      sink.name,
      took.map(({ file: { filed, trouble }, inDigest }) => ({
        changeId: filed.change.changeId,
        mark: {
          sweep,
          at,
          attempt: (trouble?.count ?? 0) + 1,
          ...(inDigest && { inDigest }),
        },
      })),
    );
    this.#metrics.changesDelivered(sink.name, took.length);
    const left = wanting.flatMap((file, place) => {
      const outcome = outcomes[place];
      return outcome?.kind === 'taken' ? [] : [{ file, outcome }];
    });
    const isDisabled = outcomes.some(({ kind }) => kind === 'disabled');
    return { isDisabled, left };
  }

  #tellMissed({ monitorId }: SweepRef, { name }: Sink, left: Told['left']): void {
    const [first] = left;
    // One that is disabled was told of when it was.
    if (first === undefined || first.outcome?.kind === 'disabled') return;
    this.#warn('changes did not reach a sink that nobody waits for', {
      monitor: monitorId,
      sink: name,
      changes: left.length,
      why: first.outcome?.why ?? null,
    });
  }

  #instant(): string {
    return new Date(this.#now()).toISOString();
  }
}
