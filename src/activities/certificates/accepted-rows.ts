import type { PolledRow } from '../../domain/certificates/certificate-rows';

interface Offer {
  row: PolledRow;
  /** The poll that took it. */
  poll: number | null;
}

interface RunningPoll {
  poll: number;
  /** @returns false when it is full */
  take: (row: PolledRow) => boolean;
}

interface Lane {
  offers: Offer[];
  polls: RunningPoll[];
}

/** Rows that one chunk offers. */
export interface OffersOfChunk {
  /**
   * A row was accepted: a poll that runs, or that starts while the chunk runs, may take it.
   *
   * @param isStored its receipt: without it recovery would not find the row
   */
  offer(row: PolledRow, isStored: Promise<boolean>): void;
  /** When the first of those that no poll has taken is due; Infinity: none. */
  dueAt(): number;
  /** Withdraws the others. @returns polls by row. Call it however the chunk ends. */
  close(): Map<number, number>;
}

/**
 * Passes accepted rows within this process from the chunks of a lane to its polls before the workflow knows of them
 * (docs/decisions/009). What no poll takes, the workflow polls.
 */
export class AcceptedRows {
  readonly #lanes = new Map<string, Lane>();

  /** @param name `laneOfActivity()` */
  ofChunk(name: string): OffersOfChunk {
    const offers: Offer[] = [];
    return {
      offer: (row, isStored) => {
        const offer: Offer = { row, poll: null };
        offers.push(offer);
        void isStored.then((stored) => {
          if (!stored || !offers.includes(offer)) return;
          this.#change(name, (lane) => {
            lane.offers.push(offer);
            handOver(lane);
          });
        });
      },
      dueAt: () => Math.min(...offers.filter(isOpen).map(({ row }) => row[3])),
      close: () => {
        this.#change(name, (lane) => {
          lane.offers = lane.offers.filter((one) => !offers.includes(one));
        });
        const taken = offers.splice(0).filter((offer) => !isOpen(offer));
        return new Map(taken.map(({ row, poll }) => [row[0], poll ?? 0]));
      },
    };
  }

  /** A poll takes rows over until it calls the returned function. */
  takenBy(name: string, running: RunningPoll): () => void {
    this.#change(name, (lane) => {
      lane.polls.push(running);
      handOver(lane);
    });
    return () =>
      this.#change(name, (lane) => {
        lane.polls = lane.polls.filter((one) => one !== running);
      });
  }

  /** Lanes with an offer or a running poll. */
  get size(): number {
    return this.#lanes.size;
  }

  #change(name: string, change: (lane: Lane) => void): void {
    const lane = this.#lanes.get(name) ?? { offers: [], polls: [] };
    change(lane);
    if (lane.offers.length + lane.polls.length > 0) this.#lanes.set(name, lane);
    else this.#lanes.delete(name);
  }
}

/** To the poll that started last: as a rule it runs for longest. */
function handOver(lane: Lane): void {
  for (const offer of lane.offers)
    offer.poll = lane.polls.findLast(({ take }) => take(offer.row))?.poll ?? null;
  lane.offers = lane.offers.filter(isOpen);
}

function isOpen({ poll }: Offer): boolean {
  return poll === null;
}
