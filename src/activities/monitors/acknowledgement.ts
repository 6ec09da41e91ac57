import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import { inParallel } from '../../store/core/in-parallel';
import { acknowledgementEntry } from '../../domain/monitors/audit';
import type { AcknowledgementMark, ChangeFile } from '../../domain/monitors/kept';
import type { Fault, SweepRef } from '../../domain/monitors/sweep';
import type { ChangeRepository } from '../../store/monitors/changes';
import type { MonitorDependencies } from '../dependencies';
import { faultOf, withRetries } from '../core/with-retries';
import type { StuckChange } from './delivery';

/** Acknowledgements of one page under way at once; the limiter paces them. */
const width = 16;

interface Settled {
  file: ChangeFile;
  by: AcknowledgementMark['by'];
  mark: AcknowledgementMark;
}

/** What became of the changes of a page that were to be acknowledged. */
export interface Acknowledged {
  settled: Settled[];
  stuck: StuckChange[];
  /** The token is refused: what is left was not tried. */
  fault: Fault | null;
  /** What did not settle may be acknowledged all the same: then it is listed as open no more. */
  unsure: boolean;
}

/** A change that was not acknowledged; `unsure`: it may be all the same. */
interface Failed {
  changeId: string;
  why: string;
  unsure: boolean;
}

type Answer =
  | { kind: 'settled'; by: AcknowledgementMark['by']; acknowledgedAt: string | null }
  | { kind: 'stuck'; why: string; unsure: boolean }
  | { kind: 'fault'; fault: Fault; unsure: boolean };

/** Tells the service that we hold changes: those that every sink has taken. */
export class Acknowledger {
  readonly #changes: ChangeRepository;
  readonly #deps: MonitorDependencies;

  constructor(changes: ChangeRepository, deps: MonitorDependencies) {
    this.#changes = changes;
    this.#deps = deps;
  }

  async acknowledge(
    ref: SweepRef,
    held: readonly ChangeFile[],
    signal: AbortSignal,
  ): Promise<Acknowledged> {
    const done: Acknowledged = { settled: [], stuck: [], fault: null, unsure: false };
    const errors: unknown[] = [];
    const failed: Failed[] = [];
    const acknowledgeOne = async (file: ChangeFile): Promise<void> => {
      const { changeId } = file.filed.change;
      const answer = await this.#tell(ref, changeId, signal);
      if (answer.kind === 'fault') {
        done.fault = answer.fault;
        done.unsure ||= answer.unsure;
      } else if (answer.kind === 'stuck') {
        failed.push({ changeId, why: answer.why, unsure: answer.unsure });
      } else if (isSettledBefore(file, answer.by)) {
        const why = 'open although it was acknowledged before';
        failed.push({ changeId, why, unsure: false });
      } else {
        const { by, acknowledgedAt } = answer;
        const { required } = this.#deps.sinksFor(null);
        const mark = { by, acknowledgedAt, required, sweep: ref.sweep, at: this.#instant() };
        done.settled.push({ file, by, mark });
      }
    };
    await inParallel(held, width, async (file) => {
      if (done.fault !== null || errors.length > 0) return;
      await acknowledgeOne(file).catch((error: unknown) => errors.push(error));
    });
    // What was acknowledged is put down, whatever ended the rest.
    await this.#putDown(ref, done.settled);
    done.stuck = await this.#count(ref, failed);
    // A service that takes none for days is not walked through at every sweep.
    done.unsure ||= done.stuck.some(
      ({ trouble }, place) =>
        failed[place]?.unsure === true && trouble.count < this.#deps.escalateAfter,
    );
    if (errors.length > 0) throw errors[0];
    return done;
  }

  /** On record first: a mark that stands there is never put again. */
  async #putDown(ref: SweepRef, settled: readonly Settled[]): Promise<void> {
    const { audit, metrics, now } = this.#deps;
    await audit.append(
      settled.map(({ file, by }) =>
        acknowledgementEntry(ref, file.filed.change.changeId, by, now()),
      ),
    );
    await this.#changes.putAcknowledged(
      ref.monitorId,
      settled.map(({ file, mark }) => ({ changeId: file.filed.change.changeId, mark })),
    );
    for (const how of ['us', 'elsewhere', 'gone'] as const) {
      metrics.changesAcknowledged(how, settled.filter(({ by }) => by === how).length);
    }
  }

  async #tell({ monitorId }: SweepRef, changeId: string, signal: AbortSignal): Promise<Answer> {
    const { monitors, random } = this.#deps;
    let unsure = false;
    const call = () =>
      monitors.acknowledge(monitorId, changeId, 'request', signal).catch((error: unknown) => {
        unsure ||= isCallFailure(error) && classifyFailure(error, 'keyless') === 'unknown';
        throw error;
      });
    try {
      const { acknowledgedAt } = await withRetries(call, { random, signal });
      return { kind: 'settled', by: 'us', acknowledgedAt };
    } catch (error) {
      // Accepted, with an answer that cannot be read.
      if (error instanceof ContractError)
        return { kind: 'settled', by: 'us', acknowledgedAt: null };
      const isRefusal = error instanceof StatusError;
      // An earlier try may have been accepted: then it is our own that is refused to be repeated.
      if (isRefusal && error.status === 404) {
        return { kind: 'settled', by: unsure ? 'us' : 'gone', acknowledgedAt: null };
      }
      if (isRefusal && error.status === 409 && /acknowledged|already/i.test(error.code ?? '')) {
        return { kind: 'settled', by: unsure ? 'us' : 'elsewhere', acknowledgedAt: null };
      }
      const fault = faultOf(error);
      if (fault === null || signal.aborted) throw error;
      return fault.fault === 'credentials'
        ? { kind: 'fault', fault, unsure }
        : { kind: 'stuck', why: fault.message, unsure };
    }
  }

  #count({ monitorId, sweep }: SweepRef, failed: readonly Failed[]): Promise<StuckChange[]> {
    const what = { step: 'acknowledge', sink: null, againAt: null, sweep } as const;
    return this.#changes.countTroubles(
      monitorId,
      failed.map(({ changeId, why }) => ({ ...what, changeId, why, lastAt: this.#instant() })),
    );
  }

  #instant(): string {
    return new Date(this.#deps.now()).toISOString();
  }
}

/** A change that was not known any more, and now is, may be acknowledged after all. */
function isSettledBefore({ acknowledged }: ChangeFile, by: AcknowledgementMark['by']): boolean {
  return acknowledged !== null && (acknowledged.by !== 'gone' || by === 'gone');
}
