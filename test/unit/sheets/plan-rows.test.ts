import type { CertificateType, ManifestRow } from '../../../src/domain/certificates/certificates';
import { planRows } from '../../../src/sheets/read/plan-rows';
import type { DocumentCell, SheetRow } from '../../../src/sheets/read/read-rows';
import { SheetError } from '../../../src/sheets/sheet-error';
import { certificateTypeOf } from '../../../src/sheets/type-words';

const acme = '11222333000181';
const bank = '00000000000191';
const person = '12345678909';

let line = 1;
beforeEach(() => {
  line = 1;
});

type Written = Omit<DocumentCell, 'cell'>;

function row(document: string | Written[], type = '', reference = ''): SheetRow {
  line += 1;
  const cell = `A${line}`;
  const written = typeof document === 'string' ? [{ text: document }] : document;
  const documents = written.flatMap((one) => (one.text === '' ? [] : [{ ...one, cell }]));
  return { kind: 'row', line, documents, subject: [], type, reference, cell };
}

async function* inOrder(rows: readonly SheetRow[]): AsyncGenerator<SheetRow> {
  yield* rows;
}

async function plan(rows: readonly SheetRow[], type?: CertificateType) {
  const planned = planRows(inOrder(rows), type === undefined ? {} : { type });
  const lines: ManifestRow[] = [];
  for await (const each of planned) lines.push(each);
  return { lines, counts: planned.counts };
}

describe('planRows', () => {
  it('numbers what is to be bought from 0, in order', async () => {
    const { lines } = await plan([row('1', 'cnpj'), row(acme, 'cnpj', 'r1'), row(bank, 'cndt')]);
    expect(lines.map(({ kind }) => kind)).toEqual(['invalid', 'item', 'item']);
    expect(lines[1]).toEqual({
      kind: 'item',
      item: 0,
      line: 3,
      type: 'cnpj',
      document: acme,
      reference: 'r1',
      note: '',
    });
    expect(lines[2]).toMatchObject({ item: 1, line: 4, type: 'trabalhista' });
  });

  it('points a repeated type and document at its first line, however it is written', async () => {
    const { lines } = await plan(
      [row('191', '', 'a'), row('00.000.000/0001-91', '', 'b'), row(bank, 'cndt'), row(bank)],
      'cnpj',
    );
    expect(lines[0]).toMatchObject({ note: '11 leading zeros restored' });
    expect(lines[1]).toEqual({
      line: 3,
      kind: 'duplicate',
      item: 0,
      duplicateOf: 2,
      type: 'cnpj',
      document: bank,
      reference: 'b',
      note: '',
    });
    expect(lines[2]).toMatchObject({ kind: 'item', item: 1, type: 'trabalhista' });
    expect(lines[3]).toMatchObject({ kind: 'duplicate', item: 0, duplicateOf: 2 });
  });

  it('lets the type of a row win over the default', async () => {
    const { lines } = await plan([row(person, 'Trabalhista'), row(person)], 'cnpj');
    expect(lines).toMatchObject([
      { kind: 'item' },
      { kind: 'invalid', code: 'cpf_not_served', type: 'cnpj', document: person },
    ]);
  });

  it('refuses the row, not the file, for a type it does not know or that is missing', async () => {
    const { lines } = await plan([row(acme, 'fgts', 'r'), row(acme), row(acme, 'cnpj')]);
    expect(lines).toMatchObject([
      { kind: 'invalid', code: 'unknown_type', type: '', document: acme, reference: 'r' },
      { kind: 'invalid', code: 'missing_type', type: '' },
      { kind: 'item', item: 0 },
    ]);
  });

  it('names the cell of the type where that is at fault', async () => {
    const typed = { ...row(acme, 'fgts'), cell: 'C2', typeCell: 'D2' };
    const { lines } = await plan([typed, row(acme, 'cnpj')]);
    expect(lines[0]).toMatchObject({ message: expect.stringMatching(/^D2: The row names a type/) });
  });

  it('keeps the cell of a refused row as found, and out of the message', async () => {
    const { lines } = await plan([row('12.abc.345/01DE-35'), row('11.222.333/0001-82')], 'cnpj');
    expect(lines[0]).toMatchObject({
      kind: 'unsupported',
      code: 'alphanumeric_cnpj',
      document: '12.abc.345/01DE-35',
    });
    expect(lines[1]).toMatchObject({ kind: 'invalid', document: '11.222.333/0001-82' });
    expect(JSON.stringify(lines)).not.toMatch(/message":"[^"]*11\.222/);
  });

  it('refuses a row with two documents', async () => {
    const cells = [
      { text: person, length: 'cpf' },
      { text: acme, length: 'cnpj' },
    ] as const;
    const { lines } = await plan([row([...cells])], 'trabalhista');
    expect(lines[0]).toMatchObject({ kind: 'invalid', code: 'ambiguous' });
  });

  it('uses what the column says of the length', async () => {
    const { lines } = await plan([row([{ text: '191', length: 'cpf' }])], 'trabalhista');
    expect(lines[0]?.document).toBe('00000000191');
  });

  it('counts every line once', async () => {
    const { counts } = await plan(
      [
        row(acme),
        { kind: 'blank', line: 3 },
        row(acme),
        row(''),
        row('12ABC34501DE35'),
        row(person, 'cndt'),
      ],
      'cnpj',
    );
    expect(counts).toEqual({
      lines: 5,
      blank: 1,
      items: 2,
      duplicates: 1,
      invalid: 1,
      unsupported: 1,
    });
  });

  it('refuses the sheet when no row names a type and there is no default', async () => {
    const refused = plan([row(acme), row(bank)]);
    await expect(refused).rejects.toThrow(SheetError);
    await expect(refused).rejects.toMatchObject({ code: 'no_type' });
  });
});

describe('words for types', () => {
  it.each([
    ['cnpj', 'cnpj'],
    ['Empresa', 'cnpj'],
    ['Cartão CNPJ', 'cnpj'],
    ['TRABALHISTA', 'trabalhista'],
    ['CNDT', 'trabalhista'],
    ['Certidão Trabalhista', 'trabalhista'],
    ['labour', 'trabalhista'],
    ['fgts', undefined],
    ['', undefined],
  ])('%j means %s', (word, type) => {
    expect(certificateTypeOf(word)).toBe(type);
  });
});
