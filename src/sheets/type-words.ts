import { certificateTypes, type CertificateType } from '../domain/certificates/certificates';
import { foldName, wordSet } from './read/header-names';

const words: Readonly<Record<CertificateType, ReadonlySet<string>>> = {
  cnpj: wordSet(
    'cnpj cartaocnpj consultacnpj dadoscadastrais cadastral cadastro empresa company companydata',
  ),
  trabalhista: wordSet(
    'trabalhista trabalhistas cndt certidaotrabalhista debitostrabalhistas cndttrabalhista labour labor labourdebt labordebt',
  ),
};

export function certificateTypeOf(cell: string): CertificateType | undefined {
  return certificateTypes.find((type) => words[type].has(foldName(cell)));
}
