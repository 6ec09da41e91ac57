import type { Change } from '../domain/monitors/change';
import type { Delivery } from '../domain/monitors/delivery';
import type { ChangeFile, ChangeTrouble } from '../domain/monitors/kept';
import type { SweepRef } from '../domain/monitors/sweep';
import type { MonitorRecords } from '../archive/monitor-records';
import type { Sinks } from '../sinks/open-sinks';
import type { DeliveryOutcome, Sink } from '../sinks/sink';
import type { MonitorDependencies } from './dependencies';

/** A change that could not be brought through, with its count as it stands now. */
export interface StuckChange {
  changeId: string;
  trouble: ChangeTrouble;
}

/** What became of the changes of a page at the sinks. */
export interface Delivered {
  /** Changes that all required sinks have: these may be acknowledged, and no others. */
  held: ChangeFile[];
  /** What sinks have taken now, one for each change and sink. */
  taken: number;
  stuck: StuckChange[];
  /** A sink takes nothing any more until a person enables it. */
  isDisabled: boolean;
}

/** Hands changes to the sinks that have them not yet, and puts down which took them. */
export class Deliverer {
  readonly #records: MonitorRecords;
  readonly #metrics: MonitorDependencies['metrics'];
  readonly #now: () => number;

  constructor(records: MonitorRecords, { metrics, now }: MonitorDependencies) {
    this.#records = records;
    this.#metrics = metrics;
    this.#now = now;
  }

  async deliver(
    ref: SweepRef,
    files: readonly ChangeFile[],
    sinks: Sinks,
    signal: AbortSignal,
  ): Promise<Delivered> {
    const refused = new Map<string, ChangeTrouble>();
    let taken = 0;
    let isDisabled = false;
    await Promise.all(
      sinks.all.map(async (sink) => {
        const wanting = files.filter(({ delivered }) => delivered[sink.name] === undefined);
        const told = await this.#tell(ref, wanting, sink, signal);
        taken += told.taken;
        isDisabled ||= told.isDisabled;
        // What another sink did not take is no reason to have it again.
        if (!sinks.required.includes(sink.name)) return;
        for (const [changeId, trouble] of told.stuck) refused.set(changeId, trouble);
      }),
    );
    const held = files.filter(({ filed }) => !refused.has(filed.change.changeId));
    const stuck = [...refused].map(([changeId, trouble]) => ({ changeId, trouble }));
    return { held, taken, stuck, isDisabled };
  }

  async #tell(ref: SweepRef, wanting: readonly ChangeFile[], sink: Sink, signal: AbortSignal) {
    const stuck = new Map<string, ChangeTrouble>();
    if (wanting.length === 0) return { taken: 0, isDisabled: false, stuck };
    const { monitorId, sweep } = ref;
    const deliveries = wanting.map(({ filed }): Delivery => {
      return { kind: 'change', id: filed.change.changeId, filed };
    });
    const batch = { monitorId, sweep, at: this.#now(), deliveries };
    const outcomes = await sink.deliver(batch, signal);
    const took = wanting.flatMap((file, place) => {
      const outcome = outcomes[place];
      return outcome?.kind === 'taken' ? [{ file, digest: outcome.digest }] : [];
    });
    const at = this.#instant();
    await this.#records.putDelivered(
      monitorId,
      sink.name,
      took.map(({ file: { filed, trouble }, digest }) => ({
        changeId: filed.change.changeId,
        mark: {
          sweep,
          at,
          attempt: (trouble?.count ?? 0) + 1,
          ...(digest !== undefined && { digest }),
        },
      })),
    );
    this.#metrics.changesDelivered(sink.name, took.length);
    for (const [place, { filed }] of wanting.entries()) {
      const outcome = outcomes[place];
      if (outcome?.kind === 'taken') continue;
      const { changeId } = filed.change;
      stuck.set(changeId, await this.#trouble(ref, filed.change, sink.name, outcome));
    }
    const isDisabled = outcomes.some(({ kind }) => kind === 'disabled');
    return { taken: took.length, isDisabled, stuck };
  }

  #trouble(
    { monitorId, sweep }: SweepRef,
    { changeId }: Change,
    sink: string,
    outcome: Exclude<DeliveryOutcome, { kind: 'taken' }> | undefined,
  ): Promise<ChangeTrouble> {
    const againInMs = outcome?.kind === 'failed' ? outcome.againInMs : null;
    return this.#records.countTrouble(monitorId, changeId, {
      at: this.#instant(),
      sweep,
      step: 'deliver',
      sink,
      why: outcome?.why ?? 'the sink did not say what became of it',
      againAt: againInMs === null ? null : new Date(this.#now() + againInMs).toISOString(),
    });
  }

  #instant(): string {
    return new Date(this.#now()).toISOString();
  }
}
