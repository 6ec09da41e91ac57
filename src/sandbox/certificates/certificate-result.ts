/** What a source finds, invented. */

import { draw } from '../core/chance';
import { fictionalName } from '../core/fictional-name';
import type { JsonObject } from '../http/answer';

/** As the service names them in `tipo`; `nome` is readable there but nobody can request it here. */
export type IssuableTipo = 'cnpj' | 'cndt';

/** The `result` of an issuance. A company query has no classification: there is nothing to owe. */
export function fictionalResult(
  seed: number,
  tipo: IssuableTipo,
  document: string,
  capturedAt: string,
  isDivergent: boolean,
): JsonObject {
  const name = fictionalName(seed, document);
  const officialName = isDivergent ? `${name} EM LIQUIDACAO` : name;
  return {
    nome_base: name,
    nome_oficial: officialName,
    divergente: isDivergent,
    fonte_nome: tipo === 'cndt' ? 'Justica do Trabalho (simulada)' : 'Cadastro CNPJ (simulado)',
    capturado_em: capturedAt,
    titular: { nome: officialName },
    ...(tipo === 'cndt' ? { classificacao: classification(seed, document) } : {}),
  };
}

function classification(seed: number, document: string): string {
  const chance = draw(seed, 'classification', document);
  if (chance < 0.8) return 'negativa';
  return chance < 0.9 ? 'positiva' : 'positiva_com_efeito_de_negativa';
}
