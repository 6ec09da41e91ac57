import { placesUpTo, second } from './workflow-environment';
import type { FakeActivities } from './fake-activities';
import type { RowScript } from './fake-activities-service';

/** Issuances that end one after the other, as they do once a batch is well under way. */
export function oneAfterTheOther(rows: number, apartMs: number): Record<number, RowScript> {
  return Object.fromEntries(
    placesUpTo(rows).map((place) => [
      place,
      { endings: [{ as: 'issued', afterMs: second + (place % 10) * apartMs } as const] },
    ]),
  );
}

export function runsOf(fakes: FakeActivities) {
  return fakes.callsOf('requestCertificates').map(({ input }) => input);
}
