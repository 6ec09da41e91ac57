export function isUuid(text: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text.trim());
}

/**
 * Brazilian tax documents: the CPF of a person (11 digits) and the CNPJ of a company (14 places;
 * since IN RFB 2.229/2024 the first twelve may hold letters).
 */
export type DocumentType = 'cpf' | 'cnpj';

export const documentLengths: Readonly<Record<DocumentType, number>> = { cpf: 11, cnpj: 14 };

export const alphanumericShape = /^[0-9A-Z]{12}[0-9]{2}$/;
export const repeatedShape = /^(.)\1*$/;
export function cpfCheckDigits(base: string): string {
  const first = checkDigit(base, 11);
  return `${first}${checkDigit(`${base}${first}`, 11)}`;
}

export function cnpjCheckDigits(base: string): string {
  const first = checkDigit(base, 9);
  return `${first}${checkDigit(`${base}${first}`, 9)}`;
}

export function isValidCpf(digits: string): boolean {
  return (
    /^\d{11}$/.test(digits) &&
    !repeatedShape.test(digits) &&
    cpfCheckDigits(digits.slice(0, 9)) === digits.slice(9)
  );
}

export function isValidCnpj(text: string): boolean {
  return (
    alphanumericShape.test(text) &&
    !repeatedShape.test(text) &&
    cnpjCheckDigits(text.slice(0, 12)) === text.slice(12)
  );
}

/**
 * The document as logs and screens show it: `***.123.456-**` (digits 4 to 9 of a CPF) or
 * `12.***.***\/****-90`; `***` for anything that is neither.
 */
export function maskDocument(document: string): string {
  if (/^\d{11}$/.test(document)) return `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**`;
  if (alphanumericShape.test(document)) {
    return `${document.slice(0, 2)}.***.***/****-${document.slice(12)}`;
  }
  return '***';
}

/** `123.456.789-09` or `12.345.678/0001-90`; anything else comes back as it is. */
export function punctuateDocument(document: string): string {
  if (/^\d{11}$/.test(document)) {
    return document.replace(/^(...)(...)(...)(..)$/, '$1.$2.$3-$4');
  }
  if (alphanumericShape.test(document)) {
    return document.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5');
  }
  return document;
}

/**
 * Modulo 11 with weights 2, 3, ... from the right, starting over after `lastWeight`; letters count
 * as their ASCII code less 48.
 */
export function checkDigit(text: string, lastWeight: number): number {
  let sum = 0;
  let weight = 2;
  for (let position = text.length - 1; position >= 0; position -= 1) {
    sum += (text.charCodeAt(position) - 48) * weight;
    weight = weight === lastWeight ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}
