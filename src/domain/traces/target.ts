export type TargetReading =
  | { kind: 'document'; document: string; note: string }
  | { kind: 'invalid'; code: 'empty' | 'too_long' | 'unexpected_character'; message: string };

const invisible = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;
/** Our bound: the specification names none. */
const longest = 1_000;

/**
 * As sent: trimmed, without invisible characters, composed (NFC). Case and punctuation stay: wallets and user
 * names may differ by them, and the service derives the type.
 */
export function readTarget(text: string): TargetReading {
  const target = text.normalize('NFC').replaceAll(invisible, '').trim();
  if (target === '') return { kind: 'invalid', code: 'empty', message: 'The cell has no target.' };
  if (target.length > longest) {
    const message = `The target is longer than ${longest} characters.`;
    return { kind: 'invalid', code: 'too_long', message };
  }
  if (/\p{Cc}/u.test(target)) {
    const message = 'The target holds a line break or another control character.';
    return { kind: 'invalid', code: 'unexpected_character', message };
  }
  const wasHidden = text.normalize('NFC').trim() !== target;
  return {
    kind: 'document',
    document: target,
    note: wasHidden ? 'invisible characters removed' : '',
  };
}

/** For logs and screens: `j***@e***`, `***11`, `us***`. */
export function maskTarget(target: string): string {
  const [local = '', domain] = target.split('@');
  if (domain !== undefined && local !== '') return `${local[0]}***@${domain.slice(0, 1)}***`;
  const digits = target.replaceAll(/\D/g, '');
  if (digits.length >= 8 && /^[\d\s()+./-]+$/.test(target)) return `***${digits.slice(-2)}`;
  return target.length < 4 ? '***' : `${target.slice(0, 2)}***`;
}
