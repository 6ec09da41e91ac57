import type { CertificateType } from '../domain/certificates/certificates';
import { foldName } from './read/header-names';

const words: Readonly<Record<CertificateType, readonly string[]>> = {
  cnpj: [
    'cnpj',
    'cartaocnpj',
    'consultacnpj',
    'dadoscadastrais',
    'cadastral',
    'cadastro',
    'empresa',
    'company',
    'companydata',
  ],
  trabalhista: [
    'trabalhista',
    'trabalhistas',
    'cndt',
    'certidaotrabalhista',
    'debitostrabalhistas',
    'cndtrabalhista',
    'labour',
    'labor',
    'labourdebt',
    'labordebt',
  ],
};

const typeOfWord = new Map<string, CertificateType>([
  ...words.cnpj.map((word) => [word, 'cnpj'] as const),
  ...words.trabalhista.map((word) => [word, 'trabalhista'] as const),
]);

/** The certificate type of a cell, or undefined for an unknown word. */
export function certificateTypeOf(cell: string): CertificateType | undefined {
  return typeOfWord.get(foldName(cell));
}
