import { fieldsOf, noFindings, readFindings, type Findings } from '../../domain/core/findings';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { Store } from '../../store/store';

const file = 'dossier.json';

/** The risk with the rules that matched, the report's sections, and the progress of each phase. */
export async function dossierFindings(
  { folder }: { folder: string },
  store: Store,
): Promise<Findings> {
  const answers = await new DossierRepository(store).answers(folder);
  if (answers === null) return noFindings;
  const status = fieldsOf(answers.status);
  const whole = fieldsOf(answers.whole);
  // Fields missing in the status response are in the report response.
  const { risk_classification: within, ...report } = {
    ...fieldsOf(whole['result']),
    ...fieldsOf(status['result']),
  };
  const read = (value: unknown, name: string) => readFindings(value, { file, name });
  const parts = [
    read(status['risk_classification'] ?? within ?? whole['risk_classification'] ?? {}, 'risk'),
    read(report, ''),
    read(status['coverage'] ?? whole['coverage'] ?? {}, 'coverage'),
  ];
  const { subject_type, mode, kind, stale } = { ...whole, ...status };
  return {
    result: answers,
    facts: Object.assign(
      read({ subject_type, mode, kind, stale }, '').facts,
      ...parts.map(({ facts }) => facts),
    ) as Findings['facts'],
    sections: parts.flatMap(({ sections }) => sections),
  };
}
