/** People and companies that do not exist, the same ones for the same seed. */

import { pick } from './chance';

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
