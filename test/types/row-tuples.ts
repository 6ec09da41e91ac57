import type {
  RequestRow,
  PolledRow,
  PollResult,
} from '../../src/domain/certificates/certificate-rows';

/** Rows travel through histories as tuples: their order is a contract with every recorded history. */

// The names of the places are no part of the type: numbers that change places show in a replay.
export const inOrder: PolledRow = [0, 'certidao-id', 1_000, 1_400, 1, 0];

// @ts-expect-error the id comes second
export const idFirst: PolledRow = ['certidao-id', 0, 1_000, 1_400, 1, 0];

// @ts-expect-error instants are numbers
export const written: PolledRow = [0, 'certidao-id', '2026-01-05T12:00:00Z', 1_400, 1, 0];

// @ts-expect-error the flags may not be left out
export const withoutFlags: PolledRow = [0, 'certidao-id', 1_000, 1_400, 1];

// @ts-expect-error nor may anything follow them
export const withMore: PolledRow = [0, 'certidao-id', 1_000, 1_400, 1, 0, 'x'];

// @ts-expect-error `again` is no way to send
export const otherMode: RequestRow = [0, 0, 'again'];

// @ts-expect-error a retryable row says from when on
export const retryableWithoutInstant: PollResult = [0, 'retryable'];

// @ts-expect-error an issued row has no instant
export const issuedWithInstant: PollResult = [0, 'issued', 1_000];
