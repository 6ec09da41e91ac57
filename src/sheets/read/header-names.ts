import type { DocumentType } from '../../domain/core/documents/documents';

/**
 * `targets`: e-mail addresses, phone numbers, user names, wallets; `dossiers`: their ids; `subjects`:
 * documents, and other columns about the same subject.
 */
export type ColumnContent = 'documents' | 'targets' | 'dossiers' | 'subjects';

/** `likely` names count only when no name is `certain`. */
export type Certainty = 'certain' | 'likely';

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const documentNames = wordSet('documento documentos document documentnumber taxid');
const targetNames = wordSet(
  'alvo target email emails correioeletronico telefone fone celular phone phonenumber usuario username user wallet carteira',
);
const dossierNames = wordSet('dossie dossieid iddossie dossier dossierid');

const taxWords = wordSet('cnpj cnpjs cpf cpfs cgc cgcs');
const documentWords = wordSet(
  'doc docs docto documento documentos numerodocumento numerododocumento inscricao insc inscr document',
);
/** Beside a tax word: the column is about the number, or the name is a title. */
const otherWords = wordSet(
  'tipo type data dt date situacao sit status valor vlr validade vencimento venc qtd qtde quantidade total raiz base basico nome razao certidao resultado link url arquivo pdf obs observacao erro relacao lista listagem relatorio planilha consulta report list',
);
/** Beside a document word: it is still the document of a person or company, and not of an invoice. */
const ownerWords = wordSet(
  'n no nr nro num numero number id do da de dos das o a of the federal oficial principal cadastro fornecedor fornecedores cliente clientes empresa sacado cedente pagador beneficiario favorecido contribuinte titular credor devedor tomador prestador parceiro participante pessoa interessado supplier vendor customer company',
);

/** A name without accents, case, spaces and punctuation: `CPF / CNPJ` and `cpf_cnpj` are equal. */
export function foldName(name: string): string {
  return withoutAccents(name).replaceAll(/[^a-z0-9]/g, '');
}

/** Whether a column of that name has this content; undefined: no. */
export function certaintyOf(name: string, holds: ColumnContent): Certainty | undefined {
  const folded = foldName(name);
  if (holds === 'targets' || holds === 'dossiers') {
    return (holds === 'targets' ? targetNames : dossierNames).has(folded) ? 'certain' : undefined;
  }
  if (documentNames.has(folded) || taxWords.has(folded)) return 'certain';
  // A title may contain a document itself.
  if ((name.match(/\d/g) ?? []).length > 4) return undefined;
  const parts = wordsIn(name);
  if (
    parts.some((word) => taxWords.has(word)) ||
    /^(?:cpf|cnpj)(?:ou)?(?:cpf|cnpj)$/.test(folded)
  ) {
    return parts.some((word) => otherWords.has(word)) ? undefined : 'certain';
  }
  const isDocument = parts.some((word) => documentWords.has(word));
  const isOwners = parts.every((word) => documentWords.has(word) || ownerWords.has(word));
  return isDocument && isOwners ? 'likely' : undefined;
}

/** The length that a name implies; undefined: none. */
export function lengthOf(name: string): DocumentType | undefined {
  const folded = foldName(name);
  const saysCpf = folded.includes('cpf');
  const saysCnpj = folded.includes('cnpj') || folded.includes('cgc');
  if (saysCpf === saysCnpj) return undefined;
  return saysCpf ? 'cpf' : 'cnpj';
}

/** `C.N.P.J.` is one word, `Doc.Forn` and `docForn` are two. */
export function wordsIn(name: string): string[] {
  return withoutAccents(name.replaceAll(/([a-z])(?=[A-Z])/g, '$1 '))
    .replaceAll(/\b(\w)\.(?=\w\b)/g, '$1')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function withoutAccents(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '');
}
