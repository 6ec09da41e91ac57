import { daysLeft, validityOf } from '../../../src/domain/certificates/validity';

test.each([
  ['of labour debts: 180 days', 'trabalhista', '2026-06-01T12:00:00Z', '2026-11-28'],
  ['from the day in São Paulo', 'trabalhista', '2026-06-02T02:59:59Z', '2026-11-28'],
  ['over a leap day', 'trabalhista', '2027-10-01T12:00:00Z', '2028-03-29'],
  ['before the law', 'trabalhista', '2012-01-03T12:00:00Z', null],
  ['company data', 'cnpj', '2026-06-01T12:00:00Z', null],
  ['of an unknown day', 'trabalhista', null, null],
  ['of what is no instant', 'trabalhista', 'ontem', null],
] as const)('%s', (_, type, capturedAt, validUntil) => {
  const validity = validUntil && { validUntil, rule: 'cndt-180' };
  expect(validityOf(type, capturedAt)).toEqual(validity);
});

test.each([
  ['2026-11-28T02:00:00Z', 1],
  ['2026-11-28T12:00:00Z', 0],
  ['2026-11-29T12:00:00Z', -1],
])('days left at %s', (now, days) => {
  expect(daysLeft({ validUntil: '2026-11-28', rule: 'cndt-180' }, Date.parse(now))).toBe(days);
});
