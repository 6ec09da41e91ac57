import type { DossierOutcome } from '../../domain/dossiers/follow';
import type { Section, Tile } from '../page';
import type { Reader } from '../reader';
import { costWords } from '../sections';
import { statusWord } from '../words';
import type { FindingsReport, SpecialPart } from './report';

/** The risk with the rules that matched, the progress of the phases, and every attempt. */
export function dossierPart(report: FindingsReport, reader: Reader): SpecialPart {
  const outcome = report.outcome as DossierOutcome;
  return {
    kicker: ['Dossier', 'Dossiê'],
    headline: headline(outcome, reader),
    tiles: tiles(outcome, reader),
    parts: [rulesSection(report)],
    more: [attemptsSection(outcome, reader), reviewSection(outcome, reader)],
    views: { 'risk.matched_rules': null },
  };
}

function headline({ risk, stale }: DossierOutcome, { language, say }: Reader): string {
  const old =
    stale === true ? say(' The service holds newer data.', ' O serviço tem dados mais novos.') : '';
  if (risk === null || risk.form === 'omitted')
    return `${say('Without a classification of the risk.', 'Sem classificação de risco.')}${old}`;
  if (risk.form === 'insufficient_data')
    return `${say('The data are insufficient for a classification of the risk.', 'Dados insuficientes para classificar o risco.')}${old}`;
  const level = risk.level ?? statusWord(risk.status ?? 'unknown', language);
  const rules = say(
    `${risk.matchedRules} rules matched.`,
    `${risk.matchedRules} regras acionadas.`,
  );
  return `${say('Risk', 'Risco')}: ${level}. ${rules}${old}`;
}

function tiles(outcome: DossierOutcome, { language, say }: Reader): Tile[] {
  const { attempts, coverage, stored, possibleAttempt, risk, notStored } = outcome;
  const { completed = null, eligible = null, status = null } = coverage ?? {};
  const isPartial = completed !== null && eligible !== null && completed < eligible;
  return [
    {
      name: ['Risk', 'Risco'],
      value: risk?.level ?? '–',
      note:
        risk?.status == null ? say('no matrix', 'sem matriz') : statusWord(risk.status, language),
      look: risk?.form === 'insufficient_data' ? 'warn' : '',
    },
    { name: ['Score', 'Pontuação'], value: risk?.score ?? '–' },
    {
      name: ['Phases completed', 'Etapas concluídas'],
      value: `${completed ?? '?'} / ${eligible ?? '?'}`,
      note: status === null ? '' : statusWord(status, language),
      look: isPartial ? 'warn' : 'good',
    },
    {
      name: ['Attempts', 'Tentativas'],
      value: attempts.length,
      note: possibleAttempt ? say('perhaps one more', 'talvez mais uma') : '',
      look: possibleAttempt ? 'warn' : '',
    },
    {
      name: ['Files', 'Arquivos'],
      value: stored.length,
      note:
        notStored.length === 0
          ? ''
          : say(`${notStored.length} missing`, `${notStored.length} faltando`),
      look: notStored.length === 0 ? '' : 'warn',
    },
  ];
}

function rulesSection({ findings }: FindingsReport): Section | null {
  const { rows = [] } = findings.sections.find(({ title }) => title === 'risk.matched_rules') ?? {};
  if (rows.length === 0) return null;
  const bars = rows.map(({ description, id, score }) => ({
    name: String(description ?? id ?? '–'),
    amount: typeof score === 'number' ? score : 0,
    known: typeof score === 'number',
    means: String(id ?? ''),
    look: 'warn' as const,
  }));
  return {
    title: ['Rules that matched', 'Regras acionadas'],
    blocks: {
      bars,
      of: ['Rule', 'Regra'],
      amount: ['Score', 'Pontuação'],
    },
  };
}

function attemptsSection({ attempts }: DossierOutcome, reader: Reader): Section | null {
  if (attempts.length === 0) return null;
  const unbilled = reader.say('not reported', 'não informado');
  const rows = attempts.map(({ billing, number, status }) => [
    number,
    status,
    billing === null ? unbilled : costWords({ ...billing, count: 1 }, reader).join(' '),
  ]);
  return {
    title: ['Attempts', 'Tentativas'],
    blocks: {
      columns: [
        { name: ['Number', 'Número'], as: 'line' },
        { name: ['Status', 'Situação'], as: 'status' },
        { name: ['Cost', 'Custo'] },
      ],
      rows,
    },
  };
}

function reviewSection(
  { note, notStored, review }: DossierOutcome,
  { formats, language, stored }: Reader,
): Section | null {
  const missing = notStored.map(({ type, why }) => `${type ?? '–'}: ${stored(why)}`).join('; ');
  if (note === null && review === null && missing === '') return null;
  const by =
    review &&
    `${statusWord(review.action, language)} (${review.by}, ${formats.instant(review.at)}): ${review.note}`;
  return {
    title: ['What to know', 'O que saber'],
    blocks: {
      facts: [
        [['Review', 'Revisão'], by],
        [['Note', 'Observação'], note && stored(note)],
        [['Missing', 'Faltando'], missing],
      ],
    },
  };
}
