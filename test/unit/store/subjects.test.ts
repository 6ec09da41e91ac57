import type { SubjectRepository } from '../../../src/store/core/subjects';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
let subjects: SubjectRepository;

beforeEach(() => {
  place = new TemporaryStore();
  subjects = place.store.subjects;
});
afterEach(() => place.remove());

it('knows who holds a subject, and whom a holder tells of, many at once', async () => {
  const names = Array.from({ length: 501 }, (_, index) => `name-${index}`);
  await subjects.add('works/a', names);
  await subjects.add('works/a', names.slice(0, 2));
  await subjects.add('inputs/b', ['name-500', 'name-500']);
  expect(await subjects.holdersOf(['name-0', 'name-500', 'nobody'])).toEqual(
    new Map([
      ['name-0', new Set(['works/a'])],
      ['name-500', new Set(['inputs/b', 'works/a'])],
    ]),
  );
  expect(await subjects.heldBy('works/a')).toEqual(names.toSorted());
});

it('forgets a subject, or a holder, and nothing else', async () => {
  await subjects.add('works/a', ['x', 'y']);
  await subjects.add('works/b', ['x', 'y']);
  await subjects.removeSubject('x');
  expect(await subjects.holdersOf(['x', 'y'])).toEqual(
    new Map([['y', new Set(['works/a', 'works/b'])]]),
  );
  await subjects.removeHolder('works/a');
  expect(await subjects.holdersOf(['y'])).toEqual(new Map([['y', new Set(['works/b'])]]));
});
