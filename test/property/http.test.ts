import * as fc from 'fast-check';
import { decodeProblem, retryAfterMs } from '../../src/apis/http/problem';
import { keySegment } from '../../src/store/records';

it('reads any number of seconds of Retry-After back in milliseconds', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.constantFrom('', ' ', '\t'), (seconds, space) => {
      expect(retryAfterMs(`${space}${seconds}${space}`, Date.now())).toBe(seconds * 1_000);
    }),
  );
});

it('reads any HTTP date of Retry-After as the time left until it, never below 0', () => {
  const instant = fc.integer({ min: 0, max: 4_000_000_000 });
  fc.assert(
    fc.property(instant, instant, (at, now) => {
      const header = new Date(at * 1_000).toUTCString();
      expect(retryAfterMs(header, now * 1_000)).toBe(Math.max(0, (at - now) * 1_000));
    }),
  );
});

it('answers null or a whole wait to any header, and never throws', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const wait = retryAfterMs(header, Date.now());
      expect(wait === null || wait >= 0).toBe(true);
    }),
  );
});

it('decodes any JSON and any bytes without throwing, and lets only words through', () => {
  const body = fc.oneof(
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc
      .record({ code: fc.anything(), type: fc.anything(), request_id: fc.anything() })
      .map((problem) => Buffer.from(JSON.stringify(problem))),
  );
  fc.assert(
    fc.property(body, (bytes) => {
      const { code, requestId, hasProblem, retryable } = decodeProblem(bytes);
      expect(code === null || /^[A-Za-z][\w.-]{0,79}$/.test(code)).toBe(true);
      expect(requestId === null || /^[\w.:-]{1,80}$/.test(requestId)).toBe(true);
      if (!hasProblem) expect([code, requestId, retryable]).toEqual([null, null, null]);
    }),
  );
});

it('lets no document number of the service through as a code', () => {
  const digits = fc.string({
    unit: fc.constantFrom(...'0123456789'.split('')),
    minLength: 11,
    maxLength: 14,
  });
  fc.assert(
    fc.property(digits, (document) => {
      const body = Buffer.from(JSON.stringify({ code: document, title: document }));
      expect(decodeProblem(body).code).toBeNull();
    }),
  );
});

it('makes different harmless segments of different ids', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(id, id, (a, b) => {
      expect(keySegment(a)).toMatch(/^[\w%-]+$/);
      expect(keySegment(a) === keySegment(b)).toBe(a === b);
    }),
  );
});
