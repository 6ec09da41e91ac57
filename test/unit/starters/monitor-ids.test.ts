import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { durationWithin, idOnFile, monitorIdsOf } from '../../../src/starters/monitors/ids';
import { TemporaryStore } from '../../support/temporary-store';

const first = '5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0001';
const second = '5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0002';

let place: TemporaryStore;
beforeEach(() => (place = new TemporaryStore()));
afterEach(() => place.remove());

function fileOf(text: string): string {
  const path = join(place.folder, 'monitors.csv');
  writeFileSync(path, text);
  return path;
}

it('takes a UUID as records have it, and any other id as it stands', () => {
  expect(idOnFile(` ${first.toUpperCase()}`)).toBe(first);
  expect(idOnFile('Monitor-7')).toBe('Monitor-7');
});

it.each(['id', 'identificação', 'Código do monitor'])(
  'takes a first line %p for a heading',
  async (heading) => {
    const path = fileOf(`${heading};nome\n${first};a\n${second};b\n`);
    expect(await monitorIdsOf(path)).toEqual([first, second]);
  },
);

it.each([
  ['with two headings', `id\nother\n${first}\n`, 'line 2'],
  ['whose first id is broken', `5f0d2f0a-3c11\n${first}\n`, 'line 1'],
  ['with a word among its ids', `${first}\nid\n`, 'line 2'],
])('refuses a file %s', async (_, text, where) => {
  await expect(monitorIdsOf(fileOf(text))).rejects.toThrow(where);
});

it.each(['0s', '9s', '31d', '9999d'])(
  'refuses a cooldown, or a time between scans, of %s',
  (text) => {
    expect(durationWithin('24h')).toBe(86_400_000);
    expect(() => durationWithin(text)).toThrow('10s to 30d');
  },
);
