import {
  readFindings,
  type Fields,
  type Findings,
  type FindingSection,
} from '../../domain/core/findings';

const file = 'lens.json';

/** The specification does not show how a hypothesis is written. */
const known = {
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lng', 'lon', 'long'],
  confidence: ['confianca', 'confidence', 'semelhanca', 'similarity', 'probabilidade'],
};

/** Places with coordinates, or faces, with their evidence. */
export function lensFindings({ mode, result = {} }: Fields): Pick<Findings, 'facts' | 'sections'> {
  const found = readFindings(result, { file, known });
  return {
    facts: { ...readFindings({ mode }, { file }).facts, ...found.facts },
    sections: found.sections.map((section) => ({ ...section, title: titleOf(section, mode) })),
  };
}

function titleOf({ name, rows }: FindingSection, mode: unknown): string {
  const has = (column: string): boolean => rows.some((row) => row[column] !== null);
  if (has('latitude') && has('longitude')) return 'places';
  return mode === 'face' && has('confidence') ? 'faces' : name;
}
