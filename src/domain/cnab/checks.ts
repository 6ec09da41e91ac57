import type { Check } from './finding';

/**
 * What a CNAB 400 or 444 file is looked at for. Banks differ, so only what no bank can read is
 * `block`; the rest of the shape is `override`; what a bank may well take is `warn`.
 */
export const cnabChecks = {
  empty: {
    level: 'block',
    expected: 'a header, receivables and a trailer',
    sentence: 'The file is empty.',
  },
  utf16: {
    level: 'block',
    expected: 'ISO-8859-1, one byte a column',
    sentence: 'The file is text in UTF-16: save it as ISO-8859-1 (Windows-1252).',
  },
  nul_byte: {
    level: 'block',
    expected: 'text',
    sentence: 'A NUL byte stands inside the file: it is damaged, or it is not text.',
  },
  returned: {
    level: 'block',
    expected: '01REMESSA',
    sentence:
      'This is a return file (retorno), which the bank writes: the service reads remittances (remessa).',
  },
  cnab_240: {
    level: 'block',
    expected: '400 or 444 columns',
    sentence: 'Every line has 240 columns: this is a CNAB 240 file; export it again as CNAB 400.',
  },
  cnab_500: {
    level: 'override',
    expected: '400 or 444 columns',
    sentence: 'Every line has 500 columns: this is a CNAB 500 file; export it again as CNAB 400.',
  },
  other_format: {
    level: 'override',
    expected: 'a CNAB 400 file',
    sentence: 'The file begins like one of another format.',
  },
  utf8_mark: {
    level: 'override',
    expected: 'the header from the first byte',
    sentence:
      'The file begins with the mark of UTF-8, which moves the header by three columns: save it as ISO-8859-1 (Windows-1252).',
  },
  utf8_width: {
    level: 'override',
    expected: 'ISO-8859-1, one byte a column',
    sentence:
      'Accents are written in UTF-8, two bytes each, so that what follows them is in the wrong column: save the file as ISO-8859-1 (Windows-1252).',
  },
  width: {
    level: 'override',
    expected: '400 or 444 columns',
    sentence: 'The line does not have the width of a record.',
  },
  blank_line: {
    level: 'override',
    expected: 'a record',
    sentence: 'A blank line stands between records.',
  },
  cut_short: {
    level: 'override',
    expected: 'a whole record',
    sentence: 'The file ends in the middle of a line: it was cut short.',
  },
  first_record: {
    level: 'override',
    expected: 'record type 0',
    sentence: 'The file does not begin with a header.',
  },
  last_record: {
    level: 'override',
    expected: 'record type 9',
    sentence: 'The file does not end with a trailer: it may have been cut short.',
  },
  header_inside: {
    level: 'override',
    expected: 'one header, on line 1',
    sentence: 'A second header stands inside: two files may have been joined.',
  },
  trailer_inside: {
    level: 'override',
    expected: 'one trailer, on the last line',
    sentence: 'Records follow a trailer: two files may have been joined.',
  },
  no_receivable: {
    level: 'override',
    expected: 'at least one receivable',
    sentence: 'The file holds no receivable.',
  },
  sequence: {
    level: 'override',
    expected: 'the number after that of the record before',
    sentence: 'Records are missing, repeated or out of order.',
  },
  trailer_count: {
    level: 'override',
    expected: 'the number of records',
    sentence: 'The trailer does not count the records that are there.',
  },
  sequence_wraps: {
    level: 'warn',
    expected: 'at most 999999 records',
    sentence: 'Six digits do not hold the number of records: the sequence starts over at 000000.',
  },
  extended_layout: {
    level: 'warn',
    expected: '400 columns',
    sentence:
      'Lines of 444 columns carry an NF-e key; the service documents CNAB 400, and does not say whether it takes them.',
  },
  mixed_widths: {
    level: 'warn',
    expected: 'one width',
    sentence:
      'Some lines have 400 columns and some 444; the service documents CNAB 400, and does not say whether it takes them.',
  },
  record_type: {
    level: 'warn',
    expected: 'one of 0 to 9',
    sentence: 'The type of the record is not known.',
  },
  bank_differs: {
    level: 'warn',
    expected: 'the bank of the header',
    sentence: 'The receivable names another bank than the header.',
  },
  end_mark: {
    level: 'warn',
    expected: 'the end of the trailer',
    sentence: 'Blank lines, NUL or 0x1A stand at the end; the file is sent as it is.',
  },
  line_end: {
    level: 'warn',
    expected: 'one kind of line end, CRLF or LF',
    sentence: 'The line ends in another way than the first one, or in a lone CR.',
  },
  control_character: {
    level: 'warn',
    expected: 'printable characters',
    sentence: 'A control character stands in the line.',
  },
  utf8_text: {
    level: 'warn',
    expected: 'ISO-8859-1',
    sentence: 'The line fits, but its accents look like UTF-8: names may be read wrongly.',
  },
  payer_document: {
    level: 'warn',
    expected: 'a CPF or CNPJ whose check digits agree',
    sentence: 'The document of the payer cannot be right.',
  },
  due_date: {
    level: 'warn',
    expected: 'a date as DDMMYY',
    sentence: 'The due date cannot be read (000000, 888888 and 999999 stand for "on demand").',
  },
  due_date_past: {
    level: 'warn',
    expected: 'today or later',
    sentence: 'The receivable is overdue.',
  },
  value: {
    level: 'warn',
    expected: '13 digits, the last two of them cents',
    sentence: 'The value cannot be read.',
  },
  value_zero: {
    level: 'warn',
    expected: 'more than zero',
    sentence: 'The value of the receivable is zero.',
  },
  invoice_key: {
    level: 'warn',
    expected: 'an NF-e key of 44 characters whose check digit agrees',
    sentence: 'The NF-e key cannot be right.',
  },
  repeated_line: {
    level: 'warn',
    expected: 'different receivables',
    sentence: 'The line is the same as an earlier one but for its sequence number.',
  },
  repeated_receivable: {
    level: 'warn',
    expected: 'different receivables',
    sentence: 'Payer, number, due date and value are those of an earlier receivable.',
  },
} as const satisfies Record<string, Check>;

export type CnabCode = keyof typeof cnabChecks;

/** What the file is instead; next to one of these, everything else that was found is noise. */
export const identityCodes: ReadonlySet<CnabCode> = new Set([
  'empty',
  'utf16',
  'returned',
  'cnab_240',
  'cnab_500',
  'other_format',
]);
