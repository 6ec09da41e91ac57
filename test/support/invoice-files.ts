import { cnpj } from './documents';

export interface KeyTerms {
  /** CNPJ, or CPF with zeros in front. */
  issuer: string;
  number: number;
}

/** The key of an invoice of November 2026, model 55, series 1, with its check digit. */
export function invoiceKey({ issuer, number }: KeyTerms): string {
  const base = `352611${issuer.padStart(14, '0')}55001${pad(number, 9)}1${pad(number % 10 ** 8, 8)}`;
  return base + invoiceKeyDigit(base);
}

/** Modulo 11 with weights 2 to 9 from the right; letters count as their ASCII code less 48. */
function invoiceKeyDigit(base: string): string {
  let sum = 0;
  for (const [index, character] of base.split('').reverse().entries()) {
    sum += (character.charCodeAt(0) - 48) * (2 + (index % 8));
  }
  const digit = 11 - (sum % 11);
  return String(digit > 9 ? 0 : digit);
}

export interface TestInvoice {
  issuer: string;
  recipient: string;
  number: number;
  /** As it stands in vNF. */
  value: string;
  /** `YYYY-MM-DD` and value of each instalment. */
  instalments: readonly (readonly [dueOn: string, value: string])[];
  key: string;
}

/** An invented invoice, of which anything may be told otherwise. */
export function testInvoice(given: Partial<TestInvoice> = {}): TestInvoice {
  const issuer = given.issuer ?? cnpj(77);
  const number = given.number ?? 1;
  return {
    issuer,
    recipient: cnpj(501),
    number,
    value: '1500.00',
    instalments: [
      ['2031-01-10', '750.00'],
      ['2031-02-10', '750.00'],
    ],
    key: invoiceKey({ issuer, number }),
    ...given,
  };
}

/** `<infNFe>` with what is read of it, and a line item that is not. */
export function invoiceElement(invoice: TestInvoice): string {
  const party = (document: string): string =>
    document.length === 11 ? `<CPF>${document}</CPF>` : `<CNPJ>${document}</CNPJ>`;
  const instalments = invoice.instalments
    .map(
      ([dueOn, value], index) =>
        `<dup><nDup>${pad(index + 1, 3)}</nDup><dVenc>${dueOn}</dVenc><vDup>${value}</vDup></dup>`,
    )
    .join('');
  return [
    `<infNFe Id="NFe${invoice.key}" versao="4.00">`,
    `<ide><mod>55</mod><serie>1</serie><nNF>${invoice.number}</nNF><dhEmi>2026-11-02T10:00:00-03:00</dhEmi></ide>`,
    `<emit>${party(invoice.issuer)}<xNome>Fornecedora &amp; Filhos</xNome></emit>`,
    `<dest>${party(invoice.recipient)}<xNome>Compradora Inventada</xNome></dest>`,
    '<det nItem="1"><prod><cProd>1</cProd><CNPJFab>00000000000000</CNPJFab><vProd>1.00</vProd></prod></det>',
    `<total><ICMSTot><vProd>1.00</vProd><vNF>${invoice.value}</vNF></ICMSTot></total>`,
    `<cobr>${instalments}</cobr>`,
    '</infNFe>',
  ].join('');
}

/** The document as the tax authority hands it out, with its protocol. */
export function invoiceXml(invoice: TestInvoice, encoding = 'UTF-8'): string {
  return [
    `<?xml version="1.0" encoding="${encoding}"?>`,
    '<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00">',
    `<NFe>${invoiceElement(invoice)}</NFe>`,
    `<protNFe versao="4.00"><infProt><chNFe>${invoice.key}</chNFe><cStat>100</cStat></infProt></protNFe>`,
    '</nfeProc>',
  ].join('');
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
