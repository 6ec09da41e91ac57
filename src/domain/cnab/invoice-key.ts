import { checkDigit } from '../core/documents/documents';

/**
 * The key of an electronic invoice (chave de acesso da NF-e), 44 characters: state, year and month, issuer (12 places
 * of 14 may hold letters when it is an alphanumeric CNPJ), model, series, number, and a check digit.
 */
const keyShape = /^[0-9]{6}[A-Z0-9]{12}[0-9]{26}$/;

/** Whether this has the shape of a key and its check digit agrees (letters count as ASCII - 48). */
export function isValidInvoiceKey(key: string): boolean {
  if (!keyShape.test(key)) return false;
  return checkDigit(key.slice(0, -1), 9) === Number(key.at(-1));
}

/**
 * The key without its issuer, who may be a person: `352611...550010000012341000012341`. `***` for
 * what is no key: a document may stand anywhere in it.
 */
export function maskInvoiceKey(key: string): string {
  return isValidInvoiceKey(key) ? `${key.slice(0, 6)}...${key.slice(20)}` : '***';
}

/** Text in which every key is masked, and every run of digits that may be a CPF or CNPJ. */
export function withoutKeys(text: string): string {
  return text
    .replaceAll(/(?<![0-9A-Z])[0-9]{6}[A-Z0-9]{12}[0-9]{26}(?![0-9A-Z])/g, maskInvoiceKey)
    .replaceAll(/(?<!\d)(\d{3})\d{5,8}(\d{3})(?!\d)/g, '$1...$2');
}
