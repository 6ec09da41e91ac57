import { cnpjCheckDigits, cpfCheckDigits } from '../../src/domain/core/documents/documents';

/** Invented numbers with right check digits, the same for the same number. */
export function cnpj(number: number): string {
  const base = `${String(10_000_000 + number).slice(-8)}0001`;
  return base + cnpjCheckDigits(base);
}

export function cpf(number: number): string {
  const base = String(100_000_000 + number).slice(-9);
  return base + cpfCheckDigits(base);
}

/** A sheet of distinct company numbers, types in turn, as CSV. */
export function sheetOf(count: number, from = 1): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const type = index % 2 === 0 ? 'cnpj' : 'trabalhista';
    return `${cnpj(from + index)},${type},R${from + index}`;
  });
  return `documento,tipo,referencia\n${lines.join('\n')}\n`;
}
