import { isSame } from '../erasure/rewriting';

type Wire = Record<string, unknown>;

export interface ReportedOfDocument {
  isAssignor: boolean;
  names: Set<string>;
  /** The service's ids of the payer and of its receivables. */
  ids: Set<string>;
  receivables: number;
}

export function takeReported(reported: ReportedOfDocument, document: string, tree: unknown): void {
  const assignor = objectOf(objectOf(tree)['cedente']);
  const payers = listOf(assignor['sacados']).filter((payer) => isAbout(document, payer));
  const receivables = payers.flatMap((payer) => listOf(payer['titulos']));
  const isAssignor = isAbout(document, assignor);
  for (const entity of [...(isAssignor ? [assignor] : []), ...payers, ...receivables])
    takeWords(reported, entity);
  reported.isAssignor ||= isAssignor;
  reported.receivables = Math.max(reported.receivables, receivables.length);
}

/** What an erasure leaves of a result: amounts and statuses stay, so that the summary adds up. */
export const resultShape = {
  about: ['cnpj', 'cnpjCpf'],
  stays: ['status', 'tipo', 'valor', 'titulos'],
} as const;

function isAbout(document: string, { cnpj, cnpjCpf }: Wire): boolean {
  return [cnpj, cnpjCpf].some((written) => isSame(document, written));
}

function takeWords(reported: ReportedOfDocument, { id, razaoSocial }: Wire): void {
  if (typeof id === 'string') reported.ids.add(id);
  if (typeof razaoSocial === 'string' && razaoSocial !== '') reported.names.add(razaoSocial);
}

function objectOf(value: unknown): Wire {
  return typeof value === 'object' && value !== null ? (value as Wire) : {};
}

function listOf(value: unknown): Wire[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
