import { StatusError } from '../apis/http/errors';
import { inParallel } from '../archive/in-parallel';
import type { MonitorRecords } from '../archive/monitor-records';
import type { AcknowledgementMark, ChangeFile } from '../domain/monitors/kept';
import type { Fault, SweepRef } from '../domain/monitors/sweep';
import type { MonitorDependencies } from './dependencies';
import { faultOf, isUnreadable, mayHaveBeenDone, patiently } from './monitor-calls';
import type { StuckChange } from './monitor-delivery';

/** Acknowledgements of one page under way at once; the limiter paces them. */
const width = 16;

/** What became of the changes of a page that were to be acknowledged. */
export interface Acknowledged {
  settled: { file: ChangeFile; by: AcknowledgementMark['by'] }[];
  stuck: StuckChange[];
  /** The token is refused: what is left was not tried. */
  fault: Fault | null;
  /** What did not settle may be acknowledged all the same: then it is listed as open no more. */
  unsure: boolean;
}

type Answer =
  | { kind: 'settled'; by: AcknowledgementMark['by']; acknowledgedAt: string | null }
  | { kind: 'stuck'; why: string; unsure: boolean }
  | { kind: 'fault'; fault: Fault; unsure: boolean };

/** Tells the service that we hold changes: those that every sink has taken. */
export class Acknowledger {
  readonly #records: MonitorRecords;
  readonly #deps: MonitorDependencies;

  constructor(records: MonitorRecords, deps: MonitorDependencies) {
    this.#records = records;
    this.#deps = deps;
  }

  async acknowledge(
    ref: SweepRef,
    held: readonly ChangeFile[],
    signal: AbortSignal,
  ): Promise<Acknowledged> {
    const done: Acknowledged = { settled: [], stuck: [], fault: null, unsure: false };
    await inParallel(held, width, async (file) => {
      if (done.fault !== null) return;
      const { changeId } = file.filed.change;
      const answer = await this.#tell(ref, changeId, signal);
      if (answer.kind === 'fault') {
        done.fault = answer.fault;
        done.unsure ||= answer.unsure;
      } else if (answer.kind === 'stuck') {
        const stuck = await this.#trouble(ref, file, answer.why);
        done.stuck.push(stuck);
        // A service that takes none for days is not walked through at every sweep.
        done.unsure ||= answer.unsure && stuck.trouble.count < this.#deps.escalateAfter;
      } else if (file.acknowledged !== null) {
        done.stuck.push(await this.#trouble(ref, file, 'open although it was acknowledged before'));
      } else {
        const { by, acknowledgedAt } = answer;
        const mark = { by, acknowledgedAt, sweep: ref.sweep, at: this.#instant() };
        await this.#records.putAcknowledged(ref.monitorId, changeId, mark);
        done.settled.push({ file, by });
      }
    });
    return done;
  }

  async #tell({ monitorId }: SweepRef, changeId: string, signal: AbortSignal): Promise<Answer> {
    const { monitors, random } = this.#deps;
    const { service } = monitors;
    let unsure = false;
    const call = () =>
      monitors.acknowledge(monitorId, changeId, 'request', signal).catch((error: unknown) => {
        unsure ||= mayHaveBeenDone(error, (refusal) => service.wasNotProcessed(refusal));
        throw error;
      });
    try {
      const { change } = await patiently(call, { random, signal });
      return { kind: 'settled', by: 'us', acknowledgedAt: change.acknowledgedAt };
    } catch (error) {
      // Accepted, with an answer that cannot be read.
      if (isUnreadable(error)) return { kind: 'settled', by: 'us', acknowledgedAt: null };
      const isRefusal = error instanceof StatusError;
      if (isRefusal && error.status === 404) {
        return { kind: 'settled', by: 'gone', acknowledgedAt: null };
      }
      if (isRefusal && error.status === 409 && /acknowledged|already/i.test(error.code ?? '')) {
        return { kind: 'settled', by: 'elsewhere', acknowledgedAt: null };
      }
      const fault = faultOf(error);
      if (fault === null || signal.aborted) throw error;
      return fault.fault === 'credentials'
        ? { kind: 'fault', fault, unsure }
        : { kind: 'stuck', why: fault.message, unsure };
    }
  }

  async #trouble(
    { monitorId, sweep }: SweepRef,
    { filed }: ChangeFile,
    why: string,
  ): Promise<StuckChange> {
    const { changeId } = filed.change;
    const trouble = await this.#records.countTrouble(monitorId, changeId, {
      at: this.#instant(),
      sweep,
      step: 'acknowledge',
      sink: null,
      why,
      againAt: null,
    });
    return { changeId, trouble };
  }

  #instant(): string {
    return new Date(this.#deps.now()).toISOString();
  }
}
