import { phoneDigits } from '../../domain/core/documents/held-documents';
import { literally, punctuatedDigits, type ErasureForms } from '../erasure/erasure-subject';

/** A wallet address is this long; a user name hardly ever. */
const distinctiveLength = 20;

/**
 * How a search target is written: an e-mail address in any case, a phone number in any punctuation. A user name
 * counts only where it was the target: elsewhere it may be an ordinary word.
 */
export function targetForms(target: string): ErasureForms {
  const lower = target.toLowerCase();
  const digits = phoneDigits(target);
  if (digits !== null) {
    return { is: (text) => phoneDigits(text) === digits, quoted: punctuatedDigits(digits) };
  }
  if (/^[^\s@]+@[^\s@]+$/.test(target)) {
    return { is: (text) => text.toLowerCase() === lower, quoted: wholeWord(target) };
  }
  const isDistinctive = target.length >= distinctiveLength && !/\s/.test(target);
  return { is: (text) => text === target, quoted: isDistinctive ? wholeWord(target) : never };
}

const never = /(?!)/gu;

function wholeWord(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}._%+-])${literally(text)}(?![\\p{L}\\p{N}_-])`, 'giu');
}
