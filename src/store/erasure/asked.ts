import { targetForms } from '../traces/target-forms';
import type { ErasureClass, ErasureTarget } from './catalog';
import { maskDocumentsIn } from '../../protection/redaction';
import { ErasureSubject, type QuotedWords } from './erasure-subject';

/** What a person asks to be erased, in their words: it must go nowhere unsealed. */
export type ErasureAsked =
  | { kind: 'document'; document: string }
  | { kind: 'target'; target: string }
  | { kind: 'job'; id: string }
  /** Epoch milliseconds. */
  | { kind: 'age'; class: ErasureClass; endedBefore: number }
  /** Of a term of retention. */
  | {
      kind: 'expired';
      folders: readonly string[];
      target: Extract<ErasureTarget, { kind: 'expired' }>;
    };

export function subjectOf(
  asked: Extract<ErasureAsked, { kind: 'document' | 'target' }>,
): ErasureSubject {
  return asked.kind === 'document'
    ? new ErasureSubject(asked.document)
    : new ErasureSubject(asked.target, targetForms(asked.target));
}

/** Why an erasure was made stays for ever, and must not hold what was erased. */
export function reasonOnRecord(reason: string, asked: ErasureAsked, quoted: QuotedWords): string {
  const about =
    asked.kind === 'document' || asked.kind === 'target'
      ? subjectOf(asked)
      : new ErasureSubject('-', { is: () => false, quoted: /(?!)/gu });
  about.takeQuoted(quoted);
  return maskDocumentsIn(about.scrubNote(reason));
}
