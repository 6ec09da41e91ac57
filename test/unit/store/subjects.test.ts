import { addSubjectLines, type SubjectRepository } from '../../../src/store/core/subjects';
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
  expect(await subjects.heldBy(['works/a'])).toEqual(names.toSorted());
});

it('knows the lines of a holder, and which of its subjects another one holds too', async () => {
  const told = [2, 7].map((line) => ({ subject: 'x', line }));
  await place.store.commit(addSubjectLines('works/a', [...told, { subject: 'y', line: 3 }]));
  for (const holder of ['works/a', 'works/b', 'inputs/c']) await subjects.add(holder, ['x']);
  expect(await subjects.lines('x')).toEqual(
    new Map([
      ['inputs/c', [0]],
      ['works/a', [0, 2, 7]],
      ['works/b', [0]],
    ]),
  );
  expect(await subjects.heldBy(['works/a'])).toEqual(['x', 'y']);
  expect(await subjects.holdersOf(['x', 'y'], 'works/')).toEqual(
    new Map([
      ['x', new Set(['works/a', 'works/b'])],
      ['y', new Set(['works/a'])],
    ]),
  );
});
