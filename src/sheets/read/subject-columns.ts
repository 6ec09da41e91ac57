import type { Words } from '../../domain/job';
import { certaintyOf, foldName, wordSet, wordsIn } from './header-names';
import { columnLetters, type CellFault, type SourceRow } from './row-source';
import { fileError, type SheetError } from '../sheet-error';

export type SubjectWord = 'name' | 'email' | 'phone' | 'dossier' | 'monitor';

export const subjectWords: Readonly<Record<SubjectWord, Words>> = {
  name: ['name', 'nome'],
  email: ['email', 'e-mail'],
  phone: ['phone', 'telefone'],
  dossier: ['dossier', 'dossiê'],
  monitor: ['monitor', 'monitor'],
};

export interface SubjectColumn {
  /** Position in the row, from 0. */
  at: number;
  word: SubjectWord;
}

export interface SubjectCell {
  word: SubjectWord;
  /** Trimmed. */
  text: string;
  cell: string;
  /** Why the text is not what the user typed. */
  fault?: CellFault;
}

/** A column name contains one of these, */
const namesOf: Readonly<Record<Exclude<SubjectWord, 'dossier'>, ReadonlySet<string>>> = {
  name: wordSet('nome nomes razao name'),
  email: wordSet('email emails mail mails'),
  phone: wordSet('telefone telefones fone fones tel celular celulares phone mobile'),
  monitor: wordSet('monitor'),
};
/** and otherwise only these: `Nome fantasia` and `E-mail enviado` have another meaning. */
const besideThem: typeof namesOf = {
  name: wordSet('social completo empresarial legal full company'),
  email: wordSet('e eletronico address contato contact comercial principal'),
  phone: wordSet('e numero number com ddd contato contact comercial principal whatsapp'),
  monitor: wordSet('id'),
};
const ownerWords = wordSet(
  'do da de dos das of the fornecedor cliente empresa cedente sacado contribuinte titular supplier customer',
);

export function subjectWordOf(name: string): SubjectWord | null {
  if (certaintyOf(name, 'dossiers') !== undefined) return 'dossier';
  if (foldName(name) === 'correioeletronico') return 'email';
  // `E-mail` is two words, and `e_mail2` means the same.
  const parts = wordsIn(name.replaceAll(/\d/g, ' '));
  const found = (Object.keys(namesOf) as (keyof typeof namesOf)[]).find((word) => {
    const isNamed = parts.some((part) => namesOf[word].has(part));
    const own = [namesOf[word], besideThem[word], ownerWords];
    return isNamed && parts.every((part) => own.some((known) => known.has(part)));
  });
  return found ?? null;
}

/**
 * The columns about a subject, besides its documents.
 *
 * @throws SheetError `ambiguous_columns` when two have the same meaning
 */
export function subjectColumns(
  header: readonly string[],
  taken: readonly number[],
  position: { file: string; line: number },
): SubjectColumn[] {
  const found = new Map<SubjectWord, number>();
  for (const [at, name] of header.entries()) {
    const word = taken.includes(at) ? null : subjectWordOf(name);
    if (word === null) continue;
    const other = found.get(word);
    if (other !== undefined) throw sameWord(word, [other, at], header, position);
    found.set(word, at);
  }
  return [...found].map(([word, at]) => ({ word, at }));
}

export function subjectCells(
  { cells, faults, line }: SourceRow,
  columns: readonly SubjectColumn[],
): SubjectCell[] {
  return columns.flatMap(({ at, word }) => {
    const text = (cells[at] ?? '').trim();
    if (text === '') return [];
    const fault = faults?.get(at);
    return [{ word, text, cell: `${columnLetters(at)}${line}`, ...(fault && { fault }) }];
  });
}

function sameWord(
  word: SubjectWord,
  columns: readonly number[],
  header: readonly string[],
  { file, line }: { file: string; line: number },
): SheetError {
  const names = columns.map((at) => columnName(header, at));
  const [en, pt] =
    word === 'name'
      ? ['', '']
      : [
          ', or put both into one cell with ; between them',
          ', ou ponha as duas em uma só célula, separadas por ;',
        ];
  const words: Words = [
    `, line ${line}: ${names.join(' and ')} may each be the ${word} of the subject. Rename the one that is not${en}.`,
    `, linha ${line}: ${names.join(' e ')} podem ser, cada uma, ${subjectWords[word][1]} do sujeito. Renomeie a que não é${pt}.`,
  ];
  return fileError('ambiguous_columns', file, words, { line });
}

/** `C "E-mail"`. */
export function columnName(header: readonly string[], at: number): string {
  return `${columnLetters(at)} "${(header[at] ?? '').trim().slice(0, 40)}"`;
}
