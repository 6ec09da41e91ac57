import { maskDocumentsIn } from '../../../src/report/masked-text';

describe('text of other people', () => {
  it.each([
    ['12345678909', '***.456.789-**'],
    ['123.456.789-09', '***.456.789-**'],
    ['123 456 789 09', '***.456.789-**'],
    ['(11222333000181)', '(11.***.***/****-81)'],
    ['11.222.333/0001-81;', '11.***.***/****-81;'],
    ['12.ABC.345/01DE-35', '12.***.***/****-35'],
    ['111.111.111-11 and 11222333000180', '***.111.111-** and 11.***.***/****-80'],
  ])('that reads %j is shown as %j, also when the digits do not agree', (text, shown) => {
    expect(maskDocumentsIn(text)).toBe(shown);
  });

  it.each([
    'order 2026110312',
    'NF-e 123456',
    'certificate-batch/318eb6ede1bfc4fa1055338604451b92/20261121T101530123Z',
    '6a0c2b1e-3f5d-4c7a-9b8e-1d2f3a4b5c6d',
    'PAGAMENTOSRECENTES',
    '21/11/2026 18:00:00',
  ])('that reads %j stays as it is', (text) => {
    expect(maskDocumentsIn(text)).toBe(text);
  });
});
