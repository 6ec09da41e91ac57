import { draw } from '../../src/sandbox/core/chance';
import { ChangesReceiver, type ReceivedChange, type ReceiverAnswer } from './changes-receiver';

/** What a receiver in trouble does, and whether it has the change all the same. */
const faults = {
  '500': { takes: false, answer: 500 },
  '429': { takes: false, answer: { status: 429, headers: { 'retry-after': '1' } } },
  redirect: { takes: false, answer: { status: 307, headers: { location: '/elsewhere' } } },
  'reset before reading': { takes: false, answer: 'reset' },
  'reset after taking': { takes: true, answer: 'reset' },
  'no answer': { takes: true, answer: 'silence' },
  'slow answer': { takes: true, answer: { status: 200, afterMs: 800 } },
} as const satisfies Record<string, { takes: boolean; answer: ReceiverAnswer }>;
type Fault = keyof typeof faults;
const faultKinds = Object.keys(faults) as Fault[];

/** A receiver that has trouble with a share of its deliveries, and knows a change that it has. */
export class FaultyReceiver {
  readonly #receiver: ChangesReceiver;
  readonly #rate: number;
  readonly #tries = new Map<string, number>();
  /** When each `webhook-id` was first taken, by this process's clock. */
  readonly takenAt = new Map<string, number>();
  /** Deliveries whose id is not that of the change in their body. */
  readonly misnamed: ReceivedChange[] = [];
  readonly struck = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<
    Fault,
    number
  >;
  /** Taken once more although they were there: what the de-duplication dropped. */
  duplicates = 0;

  private constructor(receiver: ChangesReceiver, rate: number) {
    this.#receiver = receiver;
    this.#rate = rate;
    receiver.breaksOff = (id) => {
      const isStruck = this.#next(id) === 'reset before reading';
      if (isStruck) this.#strike(id, 'reset before reading');
      return isStruck;
    };
    receiver.answer = (change) => this.#answer(change);
  }

  /** @param rate share of the deliveries, 0 to 1; drawn for each by its id and number */
  static async start(rate: number): Promise<FaultyReceiver> {
    return new FaultyReceiver(await ChangesReceiver.start(), rate);
  }

  get settings(): Record<string, string> {
    return this.#receiver.settings;
  }

  /** Read to their end, whatever was answered. */
  get deliveries(): number {
    return this.#receiver.received.length;
  }

  get lostAnswers(): number {
    return this.struck['reset after taking'] + this.struck['no answer'];
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  #next(id: string): Fault | null {
    const words = ['receiver', id, this.#tries.get(id) ?? 0];
    if (draw('strikes', ...words) >= this.#rate) return null;
    return faultKinds[Math.floor(draw('kind', ...words) * faultKinds.length)] ?? null;
  }

  #strike(id: string, fault: Fault | null): void {
    this.#tries.set(id, (this.#tries.get(id) ?? 0) + 1);
    if (fault !== null) this.struck[fault] += 1;
  }

  #answer(change: ReceivedChange): ReceiverAnswer {
    const { id, at, body } = change;
    const fault = this.#next(id);
    this.#strike(id, fault);
    if (id !== body.change_id) this.misnamed.push(change);
    if (fault === null || faults[fault].takes) {
      if (this.takenAt.has(id)) this.duplicates += 1;
      else this.takenAt.set(id, at);
    }
    return fault === null ? 200 : faults[fault].answer;
  }
}
