import { jsonOfBytes } from '../../domain/core/json-text';
import {
  fieldsOf,
  findingSection,
  isFields,
  noFindings,
  readFindings,
  type Findings,
} from '../../domain/core/findings';
import { TraceRepository } from '../../store/traces/traces';
import type { Store } from '../../store/store';

const file = 'trace.json';

/** The specification does not show how an occurrence is written. */
const known = {
  source: ['fonte', 'source', 'origem', 'plataforma', 'platform', 'site', 'provider'],
  confidence: ['confianca', 'confidence', 'probabilidade', 'probability'],
  link: ['link', 'url', 'href', 'perfilurl', 'profileurl'],
};

/** The hits of a search, and the status of each source. */
export async function traceFindings(
  { folder }: { folder: string },
  store: Store,
): Promise<Findings> {
  const answer = await new TraceRepository(store).answer(folder);
  if (answer === null) return noFindings;
  const result = fieldsOf(jsonOfBytes(answer));
  const found = readFindings(result['result'] ?? {}, { file, known });
  const { artifacts, coverage, partial, strategy, type } = result;
  const reported = readFindings({ type, strategy, partial }, { file }).facts;
  const beside = readFindings({ ...(isList(artifacts) && { artifacts }) }, { file });
  return {
    result,
    facts: { ...reported, ...found.facts },
    sections: [...found.sections, ...sourcesOf(coverage), ...beside.sections],
  };
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
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
