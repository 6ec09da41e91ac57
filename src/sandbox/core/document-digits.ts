/** Check digits, by the service's own arithmetic: a character counts its ASCII code less 48. */

function remainder(text: string, factors: readonly number[]): number {
  let sum = 0;
  for (const [index, weight] of factors.entries()) sum += (text.charCodeAt(index) - 48) * weight;
  return sum % 11;
}

const digit = (rest: number) => (rest < 2 ? 0 : 11 - rest);

/** Weights 2, 3, ... from the right, back to 2 after the highest. */
function weights(length: number, highest: number): number[] {
  return Array.from({ length }, (_, index) => 2 + ((length - 1 - index) % (highest - 1)));
}

const cnpjWeights = [weights(12, 9), weights(13, 9)] as const;
const cpfWeights = [weights(9, 11), weights(10, 11)] as const;

/** Whether a CPF or CNPJ has the shape of one and the right check digits. */
export function isDocument(text: string): boolean {
  if (/^(.)\1*$/.test(text)) return false;
  const [first, second] = /^\d{11}$/.test(text)
    ? cpfWeights
    : /^[0-9A-Z]{12}\d\d$/.test(text)
      ? cnpjWeights
      : [];
  if (first === undefined || second === undefined) return false;
  const digits = `${digit(remainder(text, first))}${digit(remainder(text, second))}`;
  return text.endsWith(digits);
}

/** The CPF of nine digits, or the CNPJ of twelve, with its check digits. */
export function withCheckDigits(base: string): string {
  const [first, second] = base.length === 9 ? cpfWeights : cnpjWeights;
  const once = `${base}${digit(remainder(base, first))}`;
  return `${once}${digit(remainder(once, second))}`;
}
