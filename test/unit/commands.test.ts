import { commandFamilies, commandsFor } from '../../src/commands';

test.each(commandFamilies)(
  '$names are the commands that are loaded for them',
  ({ names, load }) => {
    expect(load().map((command) => command.name())).toEqual(names);
  },
);

test('a word loads the commands of its family alone', () => {
  expect(commandsFor('stop').map((command) => command.name())).toEqual(['dev', 'stop']);
});

test.each([undefined, '--help', 'help', 'dosier'])('all are there for %p', (word) => {
  const all = commandFamilies.flatMap(({ names }) => names);
  expect(commandsFor(word).map((command) => command.name())).toEqual(all);
});
