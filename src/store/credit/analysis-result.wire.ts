import type { ErasureSubject } from '../erasure/erasure-subject';
import { normaliseDocument } from '../../domain/documents';

/**
 * What a purge of a document leaves of a stored result, in the service's own shape: amounts and
 * statuses of whoever is erased stay, so that the summary still adds up; nothing that tells of him
 * does. What is about others stays as it was, without quotations.
 */

type Wire = Record<string, unknown>;

/** What a result tells of a document. */
export interface ToldOfDocument {
  /** The whole analysis is about it. */
  isAssignor: boolean;
  names: Set<string>;
  /** The service's ids of the payer and of its receivables. */
  ids: Set<string>;
  receivables: number;
}

export function toldOf(document: string, tree: unknown): ToldOfDocument {
  const assignor = objectOf(objectOf(tree)['cedente']);
  const told: ToldOfDocument = {
    isAssignor: isAbout(document, assignor),
    names: new Set(),
    ids: new Set(),
    receivables: 0,
  };
  if (told.isAssignor) takeWords(told, assignor);
  for (const payer of listOf(assignor['sacados'])) {
    if (!isAbout(document, payer)) continue;
    takeWords(told, payer);
    for (const receivable of listOf(payer['titulos'])) {
      takeWords(told, receivable);
      told.receivables += 1;
    }
  }
  return told;
}

/** The tree without the payer; the very same text when it told nothing of him. */
export function erasedResult(tree: unknown, subject: ErasureSubject): unknown {
  return erased(tree, '', subject);
}

function erased(value: unknown, field: string, subject: ErasureSubject): unknown {
  if (typeof value === 'string') {
    const bare = withoutIssuer(value, subject.document);
    return ofPeople.has(field) ? subject.scrubNote(bare) : subject.scrub(bare);
  }
  if (typeof value === 'number') return isSame(subject.document, value) ? null : value;
  if (Array.isArray(value)) return value.map((one) => erased(one, field, subject));
  if (typeof value !== 'object' || value === null) return value;
  if (isAbout(subject.document, value as Wire)) return tombstone(value as Wire);
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, one]) => [name, erased(one, name, subject)]));
}

/** Sentences and values of rules, which may quote a name. */
const ofPeople = new Set(['message', 'actual', 'expected', 'threshold']);
const kept = new Set(['status', 'tipo', 'valor']);

function tombstone(entity: Wire): Wire {
  const left: Wire = {};
  for (const [name, value] of Object.entries(entity)) {
    if (name === 'titulos') left[name] = listOf(value).map(tombstone);
    else if (name === 'issues') left[name] = [];
    else left[name] = kept.has(name) ? value : null;
  }
  return left;
}

function isAbout(document: string, { cnpj, cnpjCpf }: Wire): boolean {
  return [cnpj, cnpjCpf].some((told) => isSame(document, told));
}

/** With or without punctuation, as text or as a number, and with zeros in front that are not its own. */
function isSame(document: string, told: unknown): boolean {
  if (typeof told !== 'string' && typeof told !== 'number') return false;
  const bare = normaliseDocument(String(told));
  const places = Math.max(bare.length, document.length);
  if (typeof told === 'number' && bare.length < fewestDigits) return false;
  return bare !== '' && bare.padStart(places, '0') === document.padStart(places, '0');
}

/** Smaller numbers are amounts. */
const fewestDigits = 8;

/** The key of an invoice holds its issuer. */
function withoutIssuer(text: string, document: string): string {
  const issuer = document.padStart(14, '0');
  const keys = new RegExp(`(?<!\\d)\\d{6}${issuer}\\d{24}(?!\\d)`, 'g');
  return text.includes(issuer) ? text.replaceAll(keys, '[erased]') : text;
}

function takeWords(told: ToldOfDocument, { id, razaoSocial }: Wire): void {
  if (typeof id === 'string') told.ids.add(id);
  if (typeof razaoSocial === 'string' && razaoSocial !== '') told.names.add(razaoSocial);
}

function objectOf(value: unknown): Wire {
  return typeof value === 'object' && value !== null ? (value as Wire) : {};
}

function listOf(value: unknown): Wire[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
