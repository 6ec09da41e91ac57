import type { Words } from '../job';
import type { JsonText } from '../core/json-text';
import { isUuid } from '../core/documents/documents';

export interface EngineFields {
  name?: string;
  description?: string;
  /** Rule configuration, passed as it is: the specification does not show its shape. */
  rules?: object | JsonText;
}

/** Characters as people count them (specification: "Limits"). */
export const longestEngineName = 100;
export const longestEngineDescription = 500;

export function lengthFault({ name, description }: EngineFields): Words | null {
  const letters = (text: string): number => Array.from(text).length;
  if (name !== undefined && (letters(name) < 1 || letters(name) > longestEngineName)) {
    return [
      `--name: expected 1 to ${longestEngineName} characters, not ${letters(name)}`,
      `--name: espera-se de 1 a ${longestEngineName} caracteres, não ${letters(name)}`,
    ];
  }
  if (description !== undefined && letters(description) > longestEngineDescription) {
    return [
      `--description: expected at most ${longestEngineDescription} characters, not ${letters(description)}`,
      `--description: espera-se no máximo ${longestEngineDescription} caracteres, não ${letters(description)}`,
    ];
  }
  return null;
}

interface Named {
  id: string;
  name: string;
}

export type EngineChoice<Engine> =
  | { kind: 'found'; engine: Engine }
  | { kind: 'none'; engines: readonly Engine[] }
  /** Several have the name: only an id is unique. */
  | { kind: 'several'; engines: Engine[] };

/** Chooses by id, else by name. An id takes precedence over an equal name. */
export function chooseEngine<Engine extends Named>(
  engines: readonly Engine[],
  idOrName: string,
): EngineChoice<Engine> {
  const wanted = idOrName.trim();
  const byId = engines.find(({ id }) => id.toLowerCase() === wanted.toLowerCase());
  const found = byId ? [byId] : engines.filter(({ name }) => sameName(name, idOrName));
  const [first, ...others] = found;
  if (first === undefined) return { kind: 'none', engines };
  return others.length === 0
    ? { kind: 'found', engine: first }
    : { kind: 'several', engines: found };
}

export function sameName(one: string, other: string): boolean {
  return normalName(one) === normalName(other);
}

function normalName(name: string): string {
  return name.normalize('NFC').trim();
}

export function engineKey(idOrName: string): string {
  return isUuid(idOrName) ? idOrName.trim().toLowerCase() : `named ${normalName(idOrName)}`;
}
