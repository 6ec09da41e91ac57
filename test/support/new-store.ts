import type { Store } from '../../src/store/store';
import { TemporaryStore } from './temporary-store';

const places: TemporaryStore[] = [];
afterAll(() => places.splice(0).forEach((place) => place.remove()));

/** A store that is gone after the tests of the file. */
export function newStore(): Store {
  const place = new TemporaryStore();
  places.push(place);
  return place.store;
}
