import { jsonOfBytes } from '../../domain/core/json-text';
import {
  fieldsOf,
  noFindings,
  readFindings,
  type Findings,
  type FindingSection,
} from '../../domain/core/findings';
import { LensRepository } from '../../store/lens/lens';
import type { Store } from '../../store/store';

const file = 'lens.json';

/** The specification does not show how a hypothesis is written. */
const known = {
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lng', 'lon', 'long'],
  confidence: ['confianca', 'confidence', 'semelhanca', 'similarity', 'probabilidade'],
};

/** Places with coordinates, or faces, with their evidence. */
export async function lensFindings(
  { folder }: { folder: string },
  store: Store,
): Promise<Findings> {
  const answer = await new LensRepository(store).answer(folder);
  if (answer === null) return noFindings;
  const result = fieldsOf(jsonOfBytes(answer));
  const { mode } = result;
  const found = readFindings(result['result'] ?? {}, { file, known });
  return {
    result,
    facts: { ...readFindings({ mode }, { file }).facts, ...found.facts },
    sections: found.sections.map((section) => ({ ...section, title: titleOf(section, mode) })),
  };
}

function titleOf({ name, rows }: FindingSection, mode: unknown): string {
  const has = (column: string): boolean => rows.some((row) => row[column] !== null);
  if (has('latitude') && has('longitude')) return 'places';
  return mode === 'face' && has('confidence') ? 'faces' : name;
}
