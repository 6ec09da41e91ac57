import { keepAddresses, otherAddresses } from '../../../src/store/core/service-addresses';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

it('names the services whose address is another than that of the worker before', async () => {
  const { store } = place;
  const own = { investigation: { baseUrl: 'https://one.example/api/v1' }, credit: null };
  expect(await otherAddresses(store, own)).toEqual([]);
  await keepAddresses(store, own);
  expect(await otherAddresses(store, own)).toEqual([]);
  const credit = { baseUrl: 'https://credit.example' };
  const moved = { investigation: { baseUrl: 'https://two.example' }, credit };
  expect(await otherAddresses(store, moved)).toEqual([
    'investigation: https://two.example here, and https://one.example/api/v1 at the worker that started last',
  ]);
  await keepAddresses(store, { credit, investigation: null });
  expect(await otherAddresses(store, moved)).toHaveLength(1);
});

it('keeps the addresses of the last start, and of services that were configured later', async () => {
  const { store } = place;
  const investigation = { baseUrl: 'https://one.example' };
  await keepAddresses(store, { credit: null, investigation });
  const credit = { baseUrl: 'https://credit.example' };
  const moved = { credit, investigation: { baseUrl: 'https://two.example' } };
  await keepAddresses(store, moved);
  expect(await otherAddresses(store, moved)).toEqual([]);
  const others = { credit: { baseUrl: 'https://other.example' }, investigation };
  expect(await otherAddresses(store, others)).toHaveLength(2);
});
