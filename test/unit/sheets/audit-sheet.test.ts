import { buffer } from 'node:stream/consumers';
import { auditCells, auditColumns } from '../../../src/sheets/write/audit-sheet';
import { csvStream } from '../../../src/sheets/write/csv-file';

const record = {
  at: '2026-11-21T10:00:00.000Z',
  chain: '20261121T095959000Z-worker-0a1b2c3d',
  number: 7,
  kind: 'request',
  id: 'request/certificate/cnpj/0a1b/1',
  result: 'refused',
  by: 'ana; bruno',
  happenedAt: '2026-11-21T09:59:59.000Z',
  job: 'certificate-batch/0a1b',
  item: 0,
  subject: '0a1b',
  details: { status: 422, code: 'invalid' },
  hash: 'ab',
  intact: true,
};

async function write(records: readonly (typeof record)[], excel = false): Promise<string> {
  const sheet = csvStream(auditColumns, { excel });
  for (const one of records) sheet.write(auditCells(one));
  sheet.end();
  return (await buffer(sheet)).toString();
}

describe('a sheet of the audit trail', () => {
  it('has the published columns in the published order', () => {
    expect(auditColumns.join(',')).toBe(
      'at,happened_at,kind,result,by,job,item,subject,certidao_id,sha256,details,id,chain,number,' +
        'hash,intact',
    );
  });

  it('is plain CSV: commas, LF, no BOM, empty for what there is not', async () => {
    expect(await write([record])).toBe(
      `${auditColumns.join(',')}\n` +
        '2026-11-21T10:00:00.000Z,2026-11-21T09:59:59.000Z,request,refused,"ana; bruno",' +
        'certificate-batch/0a1b,0,0a1b,,,"{""status"":422,""code"":""invalid""}",' +
        'request/certificate/cnpj/0a1b/1,20261121T095959000Z-worker-0a1b2c3d,7,ab,true\n',
    );
  });

  it('opens in a spreadsheet program in Portuguese: semicolons, CRLF, BOM', async () => {
    const [head = '', line = ''] = (await write([record], true)).split('\r\n');
    expect(head).toBe(`\ufeff${auditColumns.join(';')}`);
    expect(line).toContain(';"ana; bruno";');
  });

  it('has its columns though nothing is on record', async () => {
    expect(await write([])).toBe(`${auditColumns.join(',')}\n`);
  });

  it('shows a record that was altered until it has no details left', () => {
    const cells = auditCells({ ...record, details: null, intact: false });
    expect([cells[10], cells.at(-1)]).toEqual(['', 'false']);
  });

  it('runs no formula that a name of an actor holds', () => {
    expect(auditCells({ ...record, by: '=HYPERLINK("x")' })[4]).toBe(`'=HYPERLINK("x")`);
  });
});
