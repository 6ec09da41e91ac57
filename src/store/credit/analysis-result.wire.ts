import { isSame } from '../erasure/rewriting';

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

/**
 * What an erasure leaves of a stored result: amounts and statuses of whoever is erased stay, so that the
 * summary still adds up; nothing that tells of him does.
 */
export const resultShape = {
  about: ['cnpj', 'cnpjCpf'],
  stays: ['status', 'tipo', 'valor', 'titulos'],
} as const;

function isAbout(document: string, { cnpj, cnpjCpf }: Wire): boolean {
  return [cnpj, cnpjCpf].some((written) => isSame(document, written));
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
