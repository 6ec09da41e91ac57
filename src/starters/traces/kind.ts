import { traceSubject } from '../../domain/core/service/attempts';
import type { TraceOutcome, TraceRecord } from '../../domain/traces/search';
import { maskTarget } from '../../domain/traces/target';
import { stateWord } from '../../report/words';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { CommandError } from '../jobs/errors';
import { singleKind, type Fact } from '../jobs/single-kind';
import { billingWords } from '../jobs/text';
import {
  findingSection,
  isFields,
  readFindings,
  type Fields,
  type Findings,
} from '../../domain/core/findings';

export const traceKind = singleKind<TraceRecord, TraceOutcome>({
  kind: 'trace',
  noun: ['search for', 'busca de'],
  describe: ({ target }) => maskTarget(target),
  facts: ({ seen, traceId }, reader) => [
    [['search', 'busca'], traceId],
    [
      ['partial', 'parcial'],
      seen?.partial === true
        ? reader.say('some sources did not answer', 'algumas fontes não responderam')
        : null,
    ],
    [['sha256', 'sha256'], seen?.sha256 ?? null],
    [['billing', 'cobrança'], billingWords(seen?.billing ?? null, reader)],
    ...Object.entries(seen?.sources ?? {}).map(([name, word]): Fact => [
      ['source', 'fonte'],
      `${name}: ${stateWord(word, reader.language)}`,
    ]),
  ],
  answer: {
    file: 'trace.json',
    sha256: ({ seen }) => seen?.sha256 ?? null,
    findings: traceFindings,
  },
  charges: ({ outcome: { seen, traceId } }) => [
    { of: `trace/${traceId}`, billing: seen?.billing ?? null },
  ],
  subject: (_, { input }) => traceSubject(input.name),
  async checkResolution({ store }, { id, input }, { externalId }) {
    const holder = externalId === null ? null : await store.attempts.holderOfTrace(externalId);
    if (holder !== null && holder !== traceSubject(input.name))
      throw new CommandError([
        `${id}: the search ${externalId} was made for another target`,
        `${id}: a busca ${externalId} foi feita para outro alvo`,
      ]);
  },
});

export const traceBatchKind = jobBatchKind({
  child: traceKind,
  noun: ['searches', 'buscas'],
  columns: {
    trace_id: ({ traceId }) => traceId,
    type: ({ seen }) => seen?.type ?? null,
    partial: ({ seen }) => seen?.partial ?? null,
    sources: ({ seen }) => {
      const words = Object.entries(seen?.sources ?? {}).map(([name, word]) => `${name}: ${word}`);
      return words.join(' | ') || null;
    },
    billing_status: ({ seen }) => seen?.billing?.status ?? null,
    billing_amount: ({ seen }) => seen?.billing?.amount ?? null,
    sha256: ({ seen }) => seen?.sha256 ?? null,
    billing_unit: ({ seen }) => seen?.billing?.unit ?? null,
  },
  chargeColumns: ['billing_status', 'billing_amount', 'billing_unit'],
});

const file = 'trace.json';

/** The specification does not show how an occurrence is written. */
const known = {
  source: ['fonte', 'source', 'origem', 'plataforma', 'platform', 'site', 'provider'],
  confidence: ['confianca', 'confidence', 'probabilidade', 'probability'],
  link: ['link', 'url', 'href', 'perfilurl', 'profileurl'],
};

function traceFindings(answer: Fields): Pick<Findings, 'facts' | 'sections'> {
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
