import {
  isValidInvoiceKey,
  maskInvoiceKey,
  withoutKeys,
} from '../../../src/domain/cnab/invoice-key';
import { cnpj } from '../../support/documents';
import { invoiceKey } from '../../support/invoice-files';

const key = invoiceKey({ issuer: cnpj(77), number: 1_234 });

describe('the key of an invoice', () => {
  test('is right when its check digit agrees', () => {
    expect(isValidInvoiceKey(key)).toBe(true);
    const digit = (Number(key.at(-1)) + 1) % 10;
    expect(isValidInvoiceKey(`${key.slice(0, -1)}${digit}`)).toBe(false);
  });

  test('may have the letters of an alphanumeric CNPJ in it', () => {
    expect(isValidInvoiceKey(invoiceKey({ issuer: '12ABC34501DE35', number: 1 }))).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['43 characters', key.slice(1)],
    ['lower case', key.replace('5', 'a')],
    ['a letter in its number', `${key.slice(0, 30)}A${key.slice(31)}`],
  ])('is not %s', (_, text) => {
    expect(isValidInvoiceKey(text)).toBe(false);
  });

  test('is shown without its issuer', () => {
    expect(maskInvoiceKey(key)).toBe(`352611...${key.slice(20)}`);
    expect(maskInvoiceKey('short')).toBe('***');
  });

  test('is masked in names of files, as are documents', () => {
    const name = `nfe/${key}-nfe.xml and ${cnpj(77)}.xml`;
    expect(withoutKeys(name)).toBe(`nfe/352611...${key.slice(20)}-nfe.xml and 100...115.xml`);
  });
});
