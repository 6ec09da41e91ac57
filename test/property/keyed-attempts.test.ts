import * as fc from 'fast-check';
import { subjectState, type Receipt, type Taken } from '../../src/domain/core/service/attempts';
import { casesOf } from '../support/full-size';
import { claimAt } from '../support/stored-attempts';
import { TemporaryStore } from '../support/temporary-store';

/** Senders of one request with a key, each stopped between any two of its steps, in every order. */

type Ending = 'accepted' | 'refused' | 'not_sent' | 'lost';

class Schedule {
  readonly faults: string[] = [];
  /** The service has made it, by whichever send. */
  isMade = false;
  readonly #place: TemporaryStore;
  readonly #subject: string;

  constructor(place: TemporaryStore, subject: string) {
    this.#place = place;
    this.#subject = subject;
  }

  async *sender(ending: Ending): AsyncGenerator<void> {
    const { attempts } = this.#place.store;
    const taken = (await attempts.take(this.#subject, claimAt(0), 'a-job')) as Taken;
    if (taken.isNew && this.isMade && !(await this.#isKnown())) {
      this.faults.push(`${taken.n} is said to be the first, and something was made before it`);
    }
    yield;
    this.isMade ||= ending === 'accepted' || ending === 'lost';
    yield;
    if (ending === 'lost' || (ending !== 'accepted' && !taken.isNew)) return;
    const receipts: Record<typeof ending, Receipt> = {
      accepted: { kind: 'accepted', externalId: 'made', at: 1 },
      refused: { kind: 'refused', status: 409, code: null, at: 1 },
      not_sent: { kind: 'not_sent', reason: 'no connection', at: 1 },
    };
    await attempts.putReceipt(this.#subject, taken, receipts[ending]);
  }

  async #isKnown(): Promise<boolean> {
    const all = await this.#place.store.attempts.of(this.#subject);
    return all.some(({ receipt }) => receipt?.kind === 'accepted');
  }

  async check(): Promise<void> {
    const all = await this.#place.store.attempts.of(this.#subject);
    const isFree = subjectState(all, Infinity).kind === 'free';
    if (this.isMade && isFree && !(await this.#isKnown())) {
      this.faults.push('something was made, and it is forgotten');
    }
  }
}

it('what a request with a key may have made is never forgotten, whoever sends it beside', async () => {
  const place = new TemporaryStore();
  let schedules = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Ending>('accepted', 'refused', 'not_sent', 'lost'), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.array(fc.nat(4), { minLength: 20, maxLength: 20 }),
        async (endings, turns) => {
          const schedule = new Schedule(place, `trace/${(schedules += 1)}`);
          const senders = endings.map((ending) => schedule.sender(ending));
          const order = [...turns, ...senders.keys(), ...senders.keys(), ...senders.keys()];
          for (const turn of order) {
            await senders[turn % senders.length]?.next();
            await schedule.check();
          }
          expect(schedule.faults).toEqual([]);
        },
      ),
      { numRuns: casesOf(100, 3_000) },
    );
  } finally {
    place.remove();
  }
});
