import { byteAt } from './bytes';
import { receivableColumns } from './layout';

/*
 * The documents and keys that most receivables have, checked on the bytes: reading each into a text
 * first takes longer than all the rest of the scan. What is not plain here may still be right
 * (letters, other places): `records.ts` decides.
 */

export function isPlainPayer(bytes: Uint8Array, from: number): boolean {
  const type = from + receivableColumns.payerType[0] - 1;
  const document = from + receivableColumns.payerDocument[0] - 1;
  if (byteAt(bytes, type) !== 0x30) return false;
  const kind = byteAt(bytes, type + 1);
  if (kind === 0x32) return hasCheckDigits(bytes, document, 14, 9);
  return (
    kind === 0x31 && hasZeros(bytes, document, 3) && hasCheckDigits(bytes, document + 3, 11, 11)
  );
}

export function isPlainInvoiceKey(bytes: Uint8Array, at: number): boolean {
  return byteAt(bytes, at) !== 0x30 && checkDigitAgrees(bytes, at, at + 43, 9);
}

function hasCheckDigits(
  bytes: Uint8Array,
  at: number,
  length: number,
  lastWeight: number,
): boolean {
  const end = at + length - 1;
  return (
    checkDigitAgrees(bytes, at, end - 1, lastWeight) &&
    checkDigitAgrees(bytes, at, end, lastWeight) &&
    !isRepeated(bytes, at, end)
  );
}

function checkDigitAgrees(
  bytes: Uint8Array,
  from: number,
  end: number,
  lastWeight: number,
): boolean {
  let sum = 0;
  let weight = 2;
  for (let at = end - 1; at >= from; at -= 1) {
    const digit = byteAt(bytes, at) - 48;
    if (digit < 0 || digit > 9) return false;
    sum += digit * weight;
    weight = weight === lastWeight ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return byteAt(bytes, end) - 48 === (rest < 2 ? 0 : 11 - rest);
}

function hasZeros(bytes: Uint8Array, from: number, count: number): boolean {
  for (let at = from; at < from + count; at += 1) if (byteAt(bytes, at) !== 0x30) return false;
  return true;
}

function isRepeated(bytes: Uint8Array, from: number, last: number): boolean {
  for (let at = from; at < last; at += 1) {
    if (byteAt(bytes, at) !== byteAt(bytes, last)) return false;
  }
  return true;
}
