import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import { inParallel } from '../../store/core/in-parallel';
import { acknowledgementEntry } from '../../domain/monitors/audit';
import type { AcknowledgementMark, ChangeFile } from '../../domain/monitors/stored';
import type { Fault } from '../../domain/monitors/sweep';
import { faultOf, withRetries } from './with-retries';
import { countFailures, markNow, type SweepContext } from './context';

/** Concurrent acknowledgements of one page; the limiter sets the rate. */
const width = 16;
/** Retries within a page end after this: a service that accepts nothing is not called eight times per change. */
const patienceMs = 60_000;

export interface NewAcknowledgement {
  changeId: string;
  by: AcknowledgementMark['by'];
  /** As the service reports it; null: not reported. */
  acknowledgedAt: string | null;
}

/** Result of acknowledging a page. */
export interface Acknowledged {
  settled: NewAcknowledgement[];
  /** The token is refused: the rest was not attempted. */
  fault: Fault | null;
  /** An unsettled change may have been acknowledged: then the list no longer shows it as open. */
  unsure: boolean;
}

type Answer =
  | ({ kind: 'settled' } & NewAcknowledgement)
  | { kind: 'failed'; changeId: string; why: string; unsure: boolean }
  | { kind: 'fault'; fault: Fault; unsure: boolean };

/** Acknowledges changes that every required sink has accepted. */
export async function acknowledgeChanges(
  ctx: SweepContext,
  held: readonly ChangeFile[],
): Promise<Acknowledged> {
  const answers: Answer[] = [];
  const errors: unknown[] = [];
  const patientUntil = ctx.now() + patienceMs;
  await inParallel(held, width, async (file) => {
    if (errors.length > 0 || answers.some(({ kind }) => kind === 'fault')) return;
    await acknowledge(ctx, file, patientUntil).then(
      (answer) => answers.push(answer),
      (error: unknown) => errors.push(error),
    );
  });
  const settled = answers.filter((answer) => answer.kind === 'settled');
  // Store what was acknowledged even if the rest failed.
  await storeAcknowledged(ctx, settled);
  const failed = answers.filter((answer) => answer.kind === 'failed');
  const stuck = await countFailures(
    ctx,
    failed.map(({ changeId, why }) => {
      const { sweep, at } = markNow(ctx);
      return { changeId, why, step: 'acknowledge', sink: null, againAt: null, sweep, lastAt: at };
    }),
  );
  if (errors.length > 0) throw errors[0];
  const fault = answers.find((answer) => answer.kind === 'fault');
  // A service that has accepted none for days is not called for all of them in every sweep.
  const mayBe = failed.filter((_, index) => (stuck[index]?.count ?? 0) < ctx.escalateAfter);
  const unsure = fault?.unsure === true || mayBe.some((answer) => answer.unsure);
  return { settled, fault: fault?.fault ?? null, unsure };
}

/** Marks and their audit events: one transaction. */
export async function storeAcknowledged(
  ctx: SweepContext,
  settled: readonly NewAcknowledgement[],
): Promise<void> {
  const { metrics, now, records, ref, sinks } = ctx;
  const { required } = sinks;
  await records.changes.putAcknowledged(
    ref.monitorId,
    settled.map(({ changeId, by, acknowledgedAt }) => {
      return { changeId, mark: { ...markNow(ctx), by, acknowledgedAt, required } };
    }),
    settled.map(({ changeId, by }) => acknowledgementEntry(ref, changeId, by, now())),
  );
  const events = { us: 'acknowledged', elsewhere: 'acknowledged_elsewhere', gone: 'gone' } as const;
  for (const { by } of settled) metrics.count('diligence_changes_total', { event: events[by] });
}

async function acknowledge(
  ctx: SweepContext,
  { stored, acknowledged }: ChangeFile,
  patientUntil: number,
): Promise<Answer> {
  const { monitors, ref, signal } = ctx;
  const { changeId } = stored.change;
  const settled = (by: AcknowledgementMark['by'], at: string | null = null): Answer => {
    // A change that was gone and is listed again may be acknowledged after all.
    const isNews = acknowledged === null || (acknowledged.by === 'gone' && by !== 'gone');
    if (isNews) return { kind: 'settled', changeId, by, acknowledgedAt: at };
    const why = 'open although it was acknowledged before';
    return { kind: 'failed', changeId, why, unsure: false };
  };
  let unsure = false;
  const call = () =>
    monitors.acknowledge(ref.monitorId, changeId, 'poll', signal).catch((error: unknown) => {
      // Accepted, with an unreadable response.
      if (error instanceof ContractError) return { acknowledgedAt: null };
      unsure ||= isCallFailure(error) && classifyFailure(error, 'keyless') === 'unknown';
      throw error;
    });
  try {
    const mayGoOn = (): boolean => ctx.now() < patientUntil;
    return settled('us', (await withRetries(call, { ...ctx, mayGoOn })).acknowledgedAt);
  } catch (error) {
    const { status, code } = error instanceof StatusError ? error : { status: null, code: null };
    // An earlier try may have been accepted: the refusal is of our own repetition.
    if (status === 404) return settled(unsure ? 'us' : 'gone');
    if (status === 409 && /acknowledged|already|reconhecid/i.test(code ?? '')) {
      return settled(unsure ? 'us' : 'elsewhere');
    }
    const fault = faultOf(error);
    if (fault === null || signal.aborted) throw error;
    return fault.fault === 'credentials'
      ? { kind: 'fault', fault, unsure }
      : { kind: 'failed', changeId, why: fault.message, unsure };
  }
}
