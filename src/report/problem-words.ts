import type { ReportLanguage } from './formats';
import { inPortuguese } from './sentences-pt';

/** Errors by the codes of this program. The service's messages are unchanged. */

/** English messages that add nothing to their code. A message that says more is not here. */
const portuguese: Readonly<Record<string, string>> = {
  address_refused: 'O endereço do PDF não é permitido (DILIGENCE_ALLOWED_HOSTS).',
  alphanumeric_cnpj: 'É um CNPJ alfanumérico, que o serviço ainda não aceita.',
  ambiguous:
    'A célula pode ser um CPF ou um CNPJ, ou há documento em mais de uma coluna: escreva-o com a pontuação, em uma coluna chamada cpf ou cnpj.',
  another_analysis: 'O serviço respondeu com outra análise: nada mais é pedido.',
  answer_lost:
    'Um pedido pode ter chegado: o mesmo comando pede de novo com a mesma chave, sem comprar duas vezes.',
  answers_lost:
    'Foi consultado várias vezes, e cada resposta se perdeu: cada uma pode ter sido cobrada.',
  attempt_not_shown: 'O serviço não mostra a tentativa que iniciou: ela pode ser cobrada.',
  cpf_not_served: 'A célula é um CPF, e esta coluna ou esta certidão é só para CNPJ.',
  credentials: 'O serviço recusou a nossa credencial até o fim do prazo.',
  deadline: 'Não tinha terminado no fim do prazo.',
  empty: 'A célula está vazia.',
  ended: 'Já terminou.',
  evidence_mismatch: 'O PDF recebido não confere com a soma sha256 informada pelo serviço.',
  evidence_missing: 'A emissão terminou sem PDF, e certificates.pdf=required.',
  evidence_unavailable: 'O PDF não pôde ser baixado.',
  lane_failed: 'O grupo desta linha falhou antes que ela fosse pedida.',
  left_at_the_service:
    'Cancelado enquanto o serviço trabalhava: `diligence resolve ID --action watch` retoma.',
  left_outstanding: 'O trabalho terminou antes da emissão, que segue no serviço com o seu id.',
  missing_type:
    'A linha não informa o tipo da certidão (cnpj ou trabalhista), e nenhum foi dado para o arquivo.',
  never_sent: 'Nunca foi enviado.',
  not_cancelled: 'O serviço não informou o fim de um dossiê que foi pedido para cancelar.',
  not_sent: 'O pedido nunca saiu, como mostra um recibo tardio: pode ser feito de novo.',
  repeated_digits: 'A célula repete um único dígito: não é um documento.',
  result_unavailable: 'O resultado completo não pôde ser obtido.',
  scientific_notation:
    'A planilha converteu o documento em notação científica e os últimos dígitos se perderam: digite-o de novo como texto.',
  several_documents: 'A célula tem mais de um documento: ponha cada um em uma linha.',
  too_long: 'O texto da célula é longo demais para uma busca.',
  unexpected_cell:
    'A célula é uma data, um valor lógico, um erro ou uma fórmula não calculada: escreva o documento como texto.',
  unexpected_character:
    'A célula tem um caractere que não se espera aqui, ou é um número decimal: escreva-a de novo como texto.',
  unknown_outcome: 'A resposta ao pedido se perdeu ou não pôde ser lida.',
  unknown_type: 'A linha informa um tipo de certidão desconhecido: escreva cnpj ou trabalhista.',
  unreadable_result: 'O resultado completo não pôde ser lido.',
  upload_expired: 'O arquivo não chegou ao serviço a tempo.',
  wrong_digits: 'Os dígitos verificadores não conferem.',
  wrong_length: 'A quantidade de dígitos não é a de um CPF (11) nem a de um CNPJ (14).',
  wrong_shape: 'A célula deveria ter o id de um dossiê (um UUID).',
};

/** With the cell that an English message names. */
export function problemWords(
  { category, code, message }: { category?: string | null; code: string | null; message: string },
  language: ReportLanguage,
): string {
  if (language === 'pt' && category === 'refused') {
    return `O serviço recusou o pedido (${code ?? 'sem código'}).`;
  }
  const known = code !== null && Object.hasOwn(portuguese, code) ? portuguese[code] : undefined;
  if (language === 'en') return message;
  if (known === undefined) return inPortuguese(message);
  const [, before, within] = /^([A-Z]{1,3}\d+): |\bcell ([A-Z]{1,3}\d+)\b/.exec(message) ?? [];
  const cell = before ?? within;
  return cell === undefined ? known : `${cell}: ${known}`;
}
