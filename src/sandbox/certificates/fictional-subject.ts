/** People, companies and findings that do not exist, the same ones for the same seed. */

import { draw, pick } from '../chance';
import type { JsonObject } from '../engine/answer';

/** As the service names them in `tipo`; `nome` is readable there but nobody can request it here. */
export type IssuableTipo = 'cnpj' | 'cndt';

const givenNames = ['Ana', 'Bruno', 'Carla', 'Davi', 'Elisa', 'Fabio', 'Gilda', 'Hugo'] as const;
const familyNames = ['Araujo', 'Barros', 'Castro', 'Duarte', 'Esteves', 'Falcao', 'Goes'] as const;
const trades = ['Comercio', 'Transportes', 'Alimentos', 'Tecnologia', 'Engenharia'] as const;

export function fictionalName(seed: number, document: string): string {
  const family = pick(familyNames, seed, 'family', document);
  if (document.length === 11) {
    const second = pick(familyNames, seed, 'second', document);
    return `${pick(givenNames, seed, 'given', document)} ${family} ${second}`.toUpperCase();
  }
  const trade = pick(trades, seed, 'trade', document);
  return `${family} ${trade} ${document.slice(0, 4)} Ltda`.toUpperCase();
}

function classification(seed: number, document: string): string {
  const chance = draw(seed, 'classification', document);
  if (chance < 0.8) return 'negativa';
  return chance < 0.9 ? 'positiva' : 'positiva_com_efeito_de_negativa';
}

export interface Finding {
  seed: number;
  tipo: IssuableTipo;
  document: string;
  capturedAt: string;
  /** Whether the name in the source differs from the one on file. */
  divergent: boolean;
}

/** The `result` of an issuance. A company query has no classification: there is nothing to owe. */
export function fictionalResult(finding: Finding): JsonObject {
  const { seed, tipo, document, capturedAt, divergent } = finding;
  const name = fictionalName(seed, document);
  const officialName = divergent ? `${name} EM LIQUIDACAO` : name;
  return {
    nome_base: name,
    nome_oficial: officialName,
    divergente: divergent,
    fonte_nome: tipo === 'cndt' ? 'Justica do Trabalho (simulada)' : 'Cadastro CNPJ (simulado)',
    capturado_em: capturedAt,
    titular: { nome: officialName },
    ...(tipo === 'cndt' ? { classificacao: classification(seed, document) } : {}),
  };
}
