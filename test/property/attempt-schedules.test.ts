import * as fc from 'fast-check';
import {
  attemptOf,
  nextNumber,
  subjectState,
  type Claim,
  type ClaimOwner,
  type Receipt,
} from '../../src/domain/core/service/attempts';
import type { StopWord } from '../../src/domain/job';
import { casesOf } from '../support/full-size';
import { TemporaryStore } from '../support/temporary-store';

/**
 * Senders, their recoveries, people who stop the job or resolve, and late answers, each stopped between any two of its steps, in
 * every order: what they see is the store's, what was bought is counted beside it.
 */

const answerMs = 10;
/** What is `written` is seen by the model at once, before anybody else has a turn. */
type Step = Generator<Promise<unknown> | { written: Promise<unknown> }, void, never>;
type Ending = 'accepted' | 'refused' | 'not_sent' | 'lost' | 'unknown' | 'killed';

interface Sent {
  n: number;
  mayBeBought: boolean;
  isDecided: boolean;
}

class Schedule {
  now = 0;
  readonly faults: string[] = [];
  readonly #place: TemporaryStore;
  readonly #subject: string;
  readonly #sent: Sent[] = [];
  readonly #shut = new Set<string>();
  #isStopped = false;
  #isCancelled = false;
  #nonce = 0;

  constructor(place: TemporaryStore, subject: string) {
    this.#place = place;
    this.#subject = subject;
  }

  *sender(owner: ClaimOwner, ending: Ending): Step {
    const { attempts } = this.#place.store;
    const history: Awaited<ReturnType<typeof attempts.of>> = yield attempts.of(this.#subject);
    if (attemptOf(history, owner) !== null) return;
    if (subjectState(history, this.now).kind !== 'free') return;
    const n = nextNumber(history);
    const claim: Claim = {
      owner,
      kind: 'send',
      nonce: `nonce-${(this.#nonce += 1)}`,
      answerBy: this.now + answerMs,
      claimedAt: this.now,
      afterUnknown: false,
    };
    const taken: string = yield { written: attempts.claim(this.#subject, n, claim, this.#subject) };
    if (taken !== 'ours') return;
    if (this.#isStopped) this.faults.push(`${n} was claimed after the job was stopped`);
    if (this.#shut.has(owner.chunk))
      this.faults.push(`run ${owner.chunk} has claimed after it was shut`);
    for (const { n: earlier, isDecided } of this.#sent) {
      if (!isDecided) this.faults.push(`${n} was claimed while ${earlier} is undecided`);
    }
    const sent: Sent = { n, mayBeBought: false, isDecided: false };
    this.#sent.push(sent);
    yield Promise.resolve();
    // A process that froze here comes back too late.
    const isLate = this.now > claim.answerBy - answerMs / 2;
    const came = isLate ? 'not_sent' : ending;
    sent.mayBeBought = came !== 'not_sent' && came !== 'refused';
    if (came === 'killed') return;
    yield Promise.resolve();
    if (came === 'lost') return;
    const at = this.now;
    const receipts: Record<typeof came, Receipt> = {
      accepted: { kind: 'accepted', externalId: `id-${n}`, at },
      refused: { kind: 'refused', status: 422, code: null, at },
      not_sent: { kind: 'not_sent', reason: 'late', at },
      unknown: { kind: 'unknown', reason: 'reset', at },
    };
    yield { written: attempts.putReceipt(this.#subject, { n, claim }, receipts[came]) };
    sent.isDecided ||= came !== 'unknown';
  }

  *recovery(owner: ClaimOwner): Step {
    const { attempts } = this.#place.store;
    const last: { claim: Claim } = yield {
      written: attempts.close(this.#subject, owner, this.now),
    };
    if (last.claim.kind === 'closed') this.#shut.add(owner.chunk);
  }

  *person(action: 'reissue' | 'abandon' | 'adopt'): Step {
    const { attempts } = this.#place.store;
    const history: Awaited<ReturnType<typeof attempts.of>> = yield attempts.of(this.#subject);
    const state = subjectState(history, this.now);
    if (state.kind !== 'unknown') return;
    const externalId = action === 'adopt' ? 'adopted' : null;
    const resolution = { action, externalId, by: 'ana', note: '', at: this.now };
    yield { written: attempts.resolve(this.#subject, state.n, resolution) };
    for (const sent of this.#sent) if (sent.n === state.n) sent.isDecided = true;
  }

  *order(word: StopWord | 'resumed'): Step {
    const { jobs } = this.#place.store;
    const written =
      word === 'resumed' ? jobs.release(this.#subject, 'paused') : jobs.stop(this.#subject, word);
    this.#isCancelled ||= word === 'cancelled';
    this.#isStopped = this.#isCancelled || word === 'paused';
    yield { written };
  }

  *time(): Step {
    this.now += answerMs + 1;
    yield Promise.resolve();
  }

  /** What is free may not hold an undecided attempt, whatever was closed above it. */
  async check(): Promise<void> {
    const history = await this.#place.store.attempts.of(this.#subject);
    const state = subjectState(history, this.now + answerMs + 1);
    const open = this.#sent.filter(({ isDecided, mayBeBought }) => mayBeBought && !isDecided);
    if (state.kind === 'free' && open.length > 0) this.faults.push(`${open[0]?.n} is forgotten`);
    if (new Set(history.map(({ n }) => n)).size !== history.length)
      this.faults.push('two of one number');
  }
}

const actor = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sender' as const),
      run: fc.integer({ min: 1, max: 3 }),
      ending: fc.constantFrom<Ending>(
        'accepted',
        'refused',
        'not_sent',
        'lost',
        'unknown',
        'killed',
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('recovery' as const),
      run: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('person' as const),
      action: fc.constantFrom('reissue' as const, 'abandon' as const, 'adopt' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      word: fc.constantFrom('paused' as const, 'resumed' as const, 'cancelled' as const),
    }),
  },
);

it('buys once, whatever is closed, resolved or comes late, in every order', async () => {
  const place = new TemporaryStore();
  let schedules = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(actor, { minLength: 2, maxLength: 7 }),
        fc.array(fc.nat(6), { minLength: 40, maxLength: 40 }),
        async (actors, turns) => {
          const id = `certificate/cnpj/${(schedules += 1)}`;
          const start = { id, kind: 'certificate', createdAt: '', label: null } as const;
          await place.store.jobs.start(id, start, {});
          const schedule = new Schedule(place, id);
          const steps = actors.map((one) => {
            const run = { workflowId: 'work', chunk: 'run' in one ? `${one.run}` : '' };
            if (one.kind === 'sender') return schedule.sender(run, one.ending);
            if (one.kind === 'recovery') return schedule.recovery(run);
            if (one.kind === 'order') return schedule.order(one.word);
            return one.kind === 'person' ? schedule.person(one.action) : schedule.time();
          });
          const waiting = steps.map(() => undefined as unknown);
          const turn = async (index: number): Promise<boolean> => {
            const next = steps[index]?.next(waiting[index] as never);
            if (next === undefined || next.done === true) return false;
            const isWritten = 'written' in next.value;
            waiting[index] = await ('written' in next.value ? next.value.written : next.value);
            if (isWritten) return turn(index);
            await schedule.check();
            return true;
          };
          for (const index of turns) await turn(index % steps.length);
          for (const index of steps.keys()) while (await turn(index));
          expect(schedule.faults).toEqual([]);
        },
      ),
      { numRuns: casesOf(1_000, 10_000) },
    );
  } finally {
    place.remove();
  }
});
