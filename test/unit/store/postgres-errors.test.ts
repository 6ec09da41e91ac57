import { openingError } from '../../../src/store/postgres/errors';

const url = 'postgres://diligence:secret@db.example:5433/house';

it.each([
  ['28P01', 'the password is refused'],
  ['28000', 'pg_hba.conf'],
  ['3D000', 'there is no such database'],
  ['ECONNREFUSED', 'nobody listens there'],
  ['ENOTFOUND', '%40'],
])('a store that cannot be opened (%s) says where and why, without the password', (code, why) => {
  const { message, name } = openingError(Object.assign(new Error('x'), { code }), url);
  expect(name).toBe('StoreConfigError');
  expect(message).toMatch(/^DILIGENCE_STORE_URL: diligence@db\.example:5433\/house: /);
  expect(message).toContain(why);
  expect(message).not.toContain('secret');
});

it('another failure is told by its code', () => {
  const error = openingError(Object.assign(new Error('x'), { code: '57P03' }), url);
  expect(error).toMatchObject({ name: 'StoreError', code: 'gone' });
});
