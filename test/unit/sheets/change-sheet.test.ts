import { changeRecord } from '../../../src/domain/monitors/change-record';
import { changeCells, changeColumns } from '../../../src/sheets/write/change-sheet';
import { csvStream } from '../../../src/sheets/write/csv-file';
import { filedChange } from '../../support/monitor-changes';

const file = { sweep: 's', at: '2026-05-04T10:00:03.771Z', attempt: 1 };
const record = changeRecord(
  {
    stored: filedChange('c1', { detectedAt: '2026-05-04T10:00:00Z', type: '=cmd()' }),
    isNew: false,
    delivered: { file },
    acknowledged: null,
    failure: null,
    reviews: [],
  },
  ['file'],
);
const lag = changeColumns.indexOf('lag_seconds');

it('writes seconds with a point, and for a spreadsheet in Portuguese with a comma', () => {
  expect(changeCells(record)[lag]).toBe('3.771');
  expect(changeCells(record, { excel: true })[lag]).toBe('3,771');
});

it('separates by semicolons where figures have commas', async () => {
  const sheet = csvStream(changeColumns, { excel: true });
  sheet.write(changeCells(record, { excel: true }));
  sheet.end();
  const [, line = ''] = Buffer.concat(await sheet.toArray())
    .toString()
    .split('\r\n');
  expect(line.split(';')[lag]).toBe('"3,771"');
  expect(line).toContain(`'=cmd()`);
});
