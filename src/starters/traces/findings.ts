import {
  findingSection,
  isFields,
  readFindings,
  type Fields,
  type Findings,
} from '../../domain/core/findings';

const file = 'trace.json';

/** The specification does not show how an occurrence is written. */
const known = {
  source: ['fonte', 'source', 'origem', 'plataforma', 'platform', 'site', 'provider'],
  confidence: ['confianca', 'confidence', 'probabilidade', 'probability'],
  link: ['link', 'url', 'href', 'perfilurl', 'profileurl'],
};

export function traceFindings(answer: Fields): Pick<Findings, 'facts' | 'sections'> {
  const { artifacts, coverage, partial, result = {}, strategy, type } = answer;
  const found = readFindings(result, { file, known });
  const hasArtifacts = Array.isArray(artifacts) && artifacts.length > 0;
  const beside = readFindings({ ...(hasArtifacts && { artifacts }) }, { file });
  return {
    facts: { ...readFindings({ type, strategy, partial }, { file }).facts, ...found.facts },
    sections: [...found.sections, ...sourcesOf(coverage), ...beside.sections],
  };
}

/** One row for each source, in either form of the response. */
function sourcesOf(coverage: unknown) {
  if (!isFields(coverage)) return readFindings({ coverage: coverage ?? [] }, { file }).sections;
  const rows = Object.entries(coverage).map(([source, reported]) => ({
    source,
    ...(isFields(reported) ? reported : { situacao: reported }),
  }));
  return [findingSection('coverage', rows, { file })];
}
