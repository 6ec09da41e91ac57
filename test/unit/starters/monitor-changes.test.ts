import { readerOf } from '../../../src/report/reader';
import { hasStatus, sinceWhen } from '../../../src/starters/monitors/changes';
import { changesOnRecord, type ChangeFlags } from '../../../src/starters/monitors/stored-changes';
import type { ChangeStatus } from '../../../src/domain/monitors/change-record';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { ChangeRepository } from '../../../src/store/monitors/changes';
import { toldChange } from '../../support/monitor-changes';
import { TemporaryStore } from '../../support/temporary-store';

const nameOf = (): string => '0'.repeat(32);
const sweep = 's';

let place: TemporaryStore;
beforeEach(() => (place = new TemporaryStore()));
afterEach(() => place.remove());

async function chosen(flags: ChangeFlags): Promise<string[]> {
  const { store } = place;
  const changes = new ChangeRepository(store, nameOf);
  const all = [
    ['m-1', 'c1', 'critical', '2026-05-04T10:00:00.000Z'],
    ['m-1', 'c2', 'warn', '2026-05-05T10:00:00.000Z'],
    ['m-2', 'c3', 'info', '2026-05-05T11:00:00.000Z'],
    ['m-2', 'c4', 'unknown', '2026-05-06T10:00:00.000Z'],
  ] as const;
  for (const [monitorId, changeId, severity, at] of all) {
    const by = { sweep, at, foundAs: 'open' as const };
    await changes.file(monitorId, [toldChange(changeId, { severity })], by);
  }
  const workplace = {
    store,
    idKey: { nameOf },
    environment: { monitorSinks: { sinks: [{ name: 'file', required: true }], webhook: null } },
    reader: readerOf('en'),
  } as unknown as CommandContext;
  const found: string[] = [];
  for await (const one of changesOnRecord(workplace, flags)) found.push(one.change_id);
  return found;
}

it.each<[ChangeFlags, string[]]>([
  [{}, ['c1', 'c2', 'c3', 'c4']],
  [{ monitor: ['m-2'] }, ['c3', 'c4']],
  [{ severity: ['critical', 'info'] }, ['c1', 'c3']],
  [{ severity: ['unknown'] }, ['c4']],
  [{ since: '2026-05-05T10:00:00.000Z' }, ['c2', 'c3', 'c4']],
  [{ since: '2026-05-05T10:00:00.001Z', monitor: ['m-1'] }, []],
])('chooses changes by %j', async (flags, ids) => {
  expect(await chosen(flags)).toEqual(ids);
});

it.each<[ChangeStatus, boolean]>([
  ['stored', true],
  ['delivered', true],
  ['failing', true],
  ['acknowledged', false],
  ['acknowledged_elsewhere', false],
  ['gone', false],
])('takes %s for open: %s', (status, isOpen) => {
  expect(hasStatus({ status }, 'open')).toBe(isOpen);
  expect(hasStatus({ status }, status)).toBe(true);
});

it.each([
  ['2026-05-04', '2026-05-04T00:00:00.000Z'],
  ['2026-05-04T10:00-03:00', '2026-05-04T13:00:00.000Z'],
  ['2026-05-04T10:00:00.5Z', '2026-05-04T10:00:00.500Z'],
])('reads %s as %s', (text, instant) => {
  expect(sinceWhen(text)).toBe(instant);
});

it('takes an age of more years than there are for all of them', () => {
  expect(sinceWhen('9999999d')).toBe('1970-01-01T00:00:00.000Z');
});

it.each(['soon', '2026', '2026-13-01', '2026-02-30', '2026-02-30T10:00Z', '10:00'])(
  'refuses %s for an instant',
  (text) => {
    expect(() => sinceWhen(text)).toThrow('Expected');
  },
);
