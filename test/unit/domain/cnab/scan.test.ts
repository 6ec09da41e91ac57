import { type CnabCode, cnabChecks } from '../../../../src/domain/cnab/checks';
import { cnpjCheckDigits } from '../../../../src/domain/core/documents/documents';
import { CnabScan } from '../../../../src/domain/cnab/scan';
import {
  type BankName,
  banks,
  cnabFile,
  cnabLines,
  type FileTerms,
  testAssignor,
  type TestReceivable,
  testReceivable,
} from '../../../support/cnab-files';
import { scanned, testToday } from '../../../support/cnab-scans';
import { cpf } from '../../../support/documents';

/** A finding in short: `sequence 3 395-400`. */
function inShort(bytes: Buffer): string[] {
  return scanned(bytes).findings.map(({ code, line, columns }) =>
    [code, line ?? '-', columns === null ? '-' : columns.join('-')].join(' '),
  );
}

function linesOf(terms?: FileTerms): string[] {
  return [...cnabLines(terms)];
}

function fileOf(lines: readonly string[], lineEnd = '\n'): Buffer {
  return Buffer.from(lines.map((line) => line + lineEnd).join(''), 'latin1');
}

/** A file of three receivables, the second of which is otherwise. */
function withReceivable(change: Partial<TestReceivable>, terms: FileTerms = {}): Buffer {
  const receivables = [0, 1, 2].map((index) => testReceivable(index));
  receivables[1] = { ...testReceivable(1), ...change };
  return cnabFile({ ...terms, receivables });
}

function withLine(index: number, change: (line: string) => string, terms?: FileTerms): Buffer {
  return fileOf(linesOf(terms).map((line, at) => (at === index ? change(line) : line)));
}

function over(line: string, column: number, text: string): string {
  return line.slice(0, column - 1) + text + line.slice(column - 1 + text.length);
}

const bankNames = Object.keys(banks) as BankName[];

describe('the scan of a file that is right', () => {
  test.each(bankNames)('finds nothing to refuse in one of %s', (bank) => {
    const report = scanned(cnabFile({ bank }));
    const codes = report.findings.map(({ code }) => code);
    expect(codes).toEqual(bank === 'paulista' ? ['extended_layout'] : []);
    expect(report).toMatchObject({ records: 5, receivables: 3, totalCents: 323_757n });
    expect(report.header).toMatchObject({
      bank: banks[bank].code,
      companyName: testAssignor.name,
    });
  });

  test('reads the assignor and the dates where the bank has them', () => {
    const report = scanned(cnabFile({ bank: 'sicoob' }));
    expect(report.assignorDocument).toBe(testAssignor.document);
    expect(report).toMatchObject({ dueFrom: '2031-01-01', dueTo: '2031-03-03' });
    expect(report.layout).toBe('BANCOOBCED, CNAB 400');
    expect(scanned(cnabFile({ bank: 'bradesco' })).assignorDocument).toBeNull();
    expect(scanned(cnabFile({ bank: 'paulista' })).assignorDocument).toBe(testAssignor.document);
  });

  test.each([
    ['CRLF', cnabFile({ lineEnd: '\r\n' })],
    ['no line end after the last line', cnabFile().subarray(0, -1)],
    ['latin1 accents', withReceivable({ payerName: 'CONSTRUÇÃO SÃO JOSÉ' })],
    [
      'a CPF with blanks behind it',
      withReceivable({ payer: `${cpf(9)}   `, columns: [[219, '01']] }),
    ],
    [
      'a payer type of one digit',
      withReceivable({ columns: [[219, `2${testAssignor.document} `]] }),
    ],
    [
      'a CNPJ with letters',
      withReceivable({ payer: `12ABC34501DE${cnpjCheckDigits('12ABC34501DE')}` }),
    ],
  ])('takes %s', (_, bytes) => {
    expect(inShort(bytes)).toEqual([]);
  });

  test('gives the NF-e key of each receivable', () => {
    const receivables: unknown[] = [];
    const terms: FileTerms = { bank: 'itau', shape: 'mixed', receivables: 1 };
    scanned(cnabFile(terms), { onReceivable: (receivable) => receivables.push(receivable) });
    const { invoiceKey } = testReceivable(0);
    expect(receivables).toEqual([
      {
        line: 2,
        invoiceKey,
        invoiceKeyColumns: [401, 444],
      },
    ]);
  });

  test('adds up values beyond what a number holds exactly', () => {
    const most = Array.from({ length: 1_000 }, (_, index) => ({
      ...testReceivable(index),
      cents: 9_999_999_999_999,
    }));
    const { totalCents } = scanned(cnabFile({ receivables: most }));
    expect(totalCents).toBe(9_999_999_999_999_000n);
  });
});

const third = linesOf()[2] ?? '';

/** Each kind of finding, once: the file, and all that is found in it. */
const cases: Record<Exclude<CnabCode, 'sequence_wraps'>, [bytes: Buffer, found: string[]][]> = {
  empty: [
    [Buffer.alloc(0), ['empty - -']],
    [Buffer.from('\n  \n\x1a'), ['empty - -']],
    [Buffer.alloc(5_000), ['empty - -']],
  ],
  utf16: [
    [Buffer.from(`\ufeff${linesOf().join('\r\n')}`, 'utf16le'), ['utf16 1 1-2']],
    [Buffer.from(linesOf().join('\r\n'), 'utf16le'), ['utf16 1 1-2']],
  ],
  nul_byte: [
    [withLine(2, (line) => over(line, 50, '\0')), ['nul_byte 3 50-50']],
    [withLine(2, (line) => over(line, 398, '\0')), ['sequence 3 395-400', 'nul_byte 3 398-398']],
    [fileOf(linesOf().map((line, at) => (at === 1 ? `${line}\0` : line))), ['nul_byte 2 -']],
  ],
  returned: [
    [withLine(0, (line) => over(line, 1, '02RETORNO')), ['returned 1 1-9']],
    [withLine(0, (line) => over(line, 1, '02REMESSA')), ['returned 1 1-9']],
  ],
  cnab_240: [
    [fileOf(['0', '1', '3', '9'].map((type) => `237${type}`.padEnd(240))), ['cnab_240 1 1-240']],
  ],
  cnab_500: [[fileOf(['0', '1', '9'].map((type) => type.padEnd(500))), ['cnab_500 1 1-500']]],
  other_format: [
    [Buffer.from('PK\x03\x04\0\0\0\0\0'), ['other_format 1 1-1']],
    [Buffer.from('%PDF-1.7\n...\n'), ['other_format 1 1-1']],
  ],
  utf8_mark: [[Buffer.concat([Buffer.from('\ufeff'), cnabFile()]), ['utf8_mark 1 1-3']]],
  utf8_width: [
    [
      Buffer.from(withReceivable({ payerName: 'CONSTRUÇÃO' }).toString('latin1'), 'utf8'),
      ['utf8_width 3 242-243'],
    ],
  ],
  width: [
    [withLine(2, (line) => `${line}  `), ['width 3 401-402']],
    [withLine(2, (line) => line.slice(0, 399)), ['width 3 400-400']],
    [withLine(2, (line) => line.padEnd(5_000, 'x')), ['width 3 401-5000']],
  ],
  blank_line: [
    [fileOf([...linesOf().slice(0, 2), '', ...linesOf().slice(2)]), ['blank_line 3 1-1']],
  ],
  cut_short: [[cnabFile().subarray(0, 401 * 4 + 120), ['cut_short 5 121-400']]],
  first_record: [[withLine(0, (line) => over(line, 1, 'X')), ['first_record 1 1-1']]],
  last_record: [[cnabFile().subarray(0, 401 * 4), ['last_record 4 1-1']]],
  header_inside: [[withLine(2, (line) => over(line, 1, '0')), ['header_inside 3 1-1']]],
  trailer_inside: [[withLine(2, (line) => over(line, 1, '9')), ['trailer_inside 3 1-1']]],
  no_receivable: [[cnabFile({ receivables: 0 }), ['no_receivable 2 1-1']]],
  sequence: [
    [fileOf(linesOf().toSpliced(2, 1)), ['sequence 3 395-400', 'trailer_count 4 395-400']],
    [withLine(2, (line) => over(line, 395, '00000X')), ['sequence 3 395-400']],
    [
      withLine(2, (line) => over(line, 439, '000009'), { bank: 'paulista' }),
      ['extended_layout - 1-444', 'sequence 3 439-444', 'sequence 4 439-444'],
    ],
  ],
  trailer_count: [[withLine(4, (line) => over(line, 395, '000009')), ['trailer_count 5 395-400']]],
  extended_layout: [[cnabFile({ bank: 'paulista' }), ['extended_layout - 1-444']]],
  mixed_widths: [[cnabFile({ bank: 'itau', shape: 'mixed' }), ['mixed_widths - 401-444']]],
  record_type: [[withLine(2, (line) => over(line, 1, 'Z')), ['record_type 3 1-1']]],
  bank_differs: [[withReceivable({ columns: [[140, '341']] }), ['bank_differs 3 140-142']]],
  end_mark: [
    [Buffer.concat([cnabFile(), Buffer.from('\x1a')]), ['end_mark 6 -']],
    [Buffer.concat([cnabFile().subarray(0, -1), Buffer.from('\x1a')]), ['end_mark 5 -']],
    [
      Buffer.concat([cnabFile(), Buffer.from('\r\n   \r\n')]),
      ['line_end 6 -', 'end_mark 6 -', 'line_end 7 -'],
    ],
    [Buffer.concat([cnabFile().subarray(0, -1), Buffer.alloc(9_000)]), ['end_mark 5 -']],
  ],
  line_end: [
    [
      Buffer.concat([cnabFile().subarray(0, 401 * 4), fileOf(linesOf().slice(4), '\r\n')]),
      ['line_end 5 -'],
    ],
    [cnabFile({ lineEnd: '\r', receivables: 1 }), ['line_end 1 -', 'line_end 2 -', 'line_end 3 -']],
  ],
  control_character: [
    [withLine(2, (line) => over(line, 300, '\t')), ['control_character 3 300-300']],
  ],
  utf8_text: [
    [
      withReceivable({ payerName: Buffer.from('JOSÉ').toString('latin1') }),
      ['utf8_text 3 238-238'],
    ],
  ],
  payer_document: [
    [withReceivable({ payer: '12345678000100' }), ['payer_document 3 221-234']],
    [withReceivable({ payer: ' '.repeat(14) }), ['payer_document 3 221-234']],
    [withReceivable({ payer: '00000000000000' }), ['payer_document 3 221-234']],
    [withReceivable({ payer: '00012345678901' }), ['payer_document 3 221-234']],
  ],
  due_date: [
    [withReceivable({ due: '310231' }), ['due_date 3 121-126']],
    [withReceivable({ due: '000000' }), ['due_date 3 121-126']],
  ],
  due_date_past: [[withReceivable({ due: '201126' }), ['due_date_past 3 121-126']]],
  value: [[withReceivable({ columns: [[127, '00000000 1000']] }), ['value 3 127-139']]],
  value_zero: [[withReceivable({ cents: 0 }), ['value_zero 3 127-139']]],
  invoice_key: [
    [
      withReceivable({ invoiceKey: '9'.repeat(44) }, { bank: 'paulista' }),
      ['extended_layout - 1-444', 'invoice_key 3 395-438'],
    ],
  ],
  repeated_line: [
    [withReceivable(testReceivable(0), { bank: 'banrisul' }), ['repeated_line 3 1-400']],
  ],
  repeated_receivable: [
    [
      withReceivable({ ...testReceivable(0), payerName: 'COM OUTRO NOME' }),
      ['repeated_receivable 3 111-139'],
    ],
  ],
};

describe.each(Object.entries(cases))('%s', (code, files) => {
  test.each(files)(`is found where it stands (file %#)`, (bytes, found) => {
    const { findings } = scanned(bytes);
    expect(inShort(bytes)).toEqual(found);
    const check = cnabChecks[code as CnabCode];
    const finding = findings.find((one) => one.code === code);
    const [sentence, portuguese] = check.sentence;
    expect(finding).toMatchObject({
      level: check.level,
      sentence,
      portuguese: { sentence: portuguese },
    });
    expect(portuguese).not.toBe(sentence);
    expect(finding?.found).not.toBe('');
  });
});

describe('the scan', () => {
  test('keeps twenty findings of a kind and counts them all', () => {
    const receivables = Array.from({ length: 50 }, (_, index) => ({
      ...testReceivable(index),
      due: '010120',
    }));
    const report = scanned(cnabFile({ receivables }));
    expect(report.findings).toHaveLength(20);
    expect(report.counts).toEqual({ due_date_past: 50 });
  });

  test('names no document and no key in full', () => {
    const bytes = withReceivable(
      { payer: '12345678000100', invoiceKey: '9'.repeat(44), payerName: 'FULANO DE TAL' },
      { bank: 'paulista' },
    );
    const told = JSON.stringify(scanned(bytes).findings);
    expect(told).not.toMatch(/9{7}|FULANO|12345678/);
    expect(told).toContain('12.***.***/****-00 (CNPJ)');
  });

  test('starts the sequence over after 999999, and says so', () => {
    const scan = new CnabScan({ today: testToday });
    const bytes = Buffer.from(third, 'latin1');
    for (let sequence = 1; sequence <= 1_000_001; sequence += 1) {
      bytes.write(sequence === 1 ? '0' : '3');
      bytes.write(String(sequence % 1_000_000).padStart(6, '0'), 394);
      scan.line(bytes, 0, 400, 'lf');
    }
    const { counts, findings } = scan.finish();
    expect(counts).toEqual({ sequence_wraps: 1, last_record: 1, no_receivable: 1 });
    expect(findings.find(({ code }) => code === 'sequence_wraps')?.line).toBe(1_000_000);
  });

  test('takes a date of today as not overdue', () => {
    const [year = '', month = '', day = ''] = testToday.split('-');
    expect(inShort(withReceivable({ due: `${day}${month}${year.slice(2)}` }))).toEqual([]);
  });

  test('tells one thing of a file that is something else', () => {
    const both = withLine(0, (line) => over(line.slice(0, 399), 1, '02RETORNO'));
    expect(inShort(both)).toEqual(['returned 1 1-9']);
  });

  test('lets the header of BRB pass when forced: nothing in it is refused outright', () => {
    const lines = linesOf();
    const odd = fileOf(['DCB0010750000000000000020261102000005'.padEnd(39), ...lines.slice(1)]);
    const { findings } = scanned(odd);
    expect(findings.map(({ code }) => code)).toEqual(['first_record', 'width']);
    expect(findings.map(({ level }) => level)).toEqual(['override', 'override']);
  });

  test('finds the same receivable again however many lie between', () => {
    const receivables = Array.from({ length: 3_000 }, (_, index) => testReceivable(index));
    const again = [...receivables, ...receivables.slice(0, 3)];
    const { counts, findings } = scanned(cnabFile({ bank: 'banrisul', receivables: again }));
    expect(counts).toEqual({ repeated_line: 3 });
    expect(findings[0]).toMatchObject({ line: 3_002, found: 'the same as line 2' });
  });
});
