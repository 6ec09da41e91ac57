import type { DossierOutcome } from '../../domain/dossiers/follow';
import { html, type Html } from '../html';
import { barsPart, cardPart, factsPart, tablePart, type Bar, type Tile } from '../parts';
import type { Reader } from '../reader';
import { statusWord } from '../words';
import { costWords, type FindingsReport, type SpecialPart } from './report';

/** The risk with the rules that matched, the progress of the phases, and every attempt. */
export function dossierPart(report: FindingsReport, reader: Reader): SpecialPart {
  const { say } = reader;
  const outcome = report.outcome as DossierOutcome;
  return {
    kicker: say('Dossier', 'Dossiê'),
    headline: headline(outcome, reader),
    tiles: tiles(outcome, reader),
    parts: [rulesPart(report, reader)],
    more: [attemptsPart(outcome, reader), reviewPart(outcome, reader)],
    views: { 'risk.matched_rules': null },
  };
}

function headline({ risk, stale }: DossierOutcome, { language, say }: Reader): string {
  const old =
    stale === true ? say(' The service holds newer data.', ' O serviço tem dados mais novos.') : '';
  if (risk === null || risk.form === 'omitted') {
    return `${say('Without a classification of the risk.', 'Sem classificação de risco.')}${old}`;
  }
  if (risk.form === 'insufficient_data') {
    const words = say(
      'The data are insufficient for a classification of the risk.',
      'Dados insuficientes para classificar o risco.',
    );
    return `${words}${old}`;
  }
  const level = risk.level ?? statusWord(risk.status ?? 'unknown', language);
  const rules = say(
    `${risk.matchedRules} rules matched.`,
    `${risk.matchedRules} regras acionadas.`,
  );
  return `${say('Risk', 'Risco')}: ${level}. ${rules}${old}`;
}

function tiles(outcome: DossierOutcome, { formats, language, say }: Reader): Tile[] {
  const { attempts, coverage, stored, possibleAttempt, risk, notStored } = outcome;
  const { completed = null, eligible = null, status = null } = coverage ?? {};
  const isPartial = completed !== null && eligible !== null && completed < eligible;
  return [
    {
      name: say('Risk', 'Risco'),
      value: risk?.level ?? '–',
      note:
        risk?.status == null ? say('no matrix', 'sem matriz') : statusWord(risk.status, language),
      look: risk?.form === 'insufficient_data' ? 'warn' : '',
    },
    {
      name: say('Score', 'Pontuação'),
      value: risk?.score == null ? '–' : formats.number(risk.score),
      note: say(
        `${risk?.matchedRules ?? 0} rules matched`,
        `${risk?.matchedRules ?? 0} regras acionadas`,
      ),
    },
    {
      name: say('Phases completed', 'Etapas concluídas'),
      value: `${completed ?? '?'} / ${eligible ?? '?'}`,
      note: status === null ? '' : statusWord(status, language),
      look: isPartial ? 'warn' : 'good',
    },
    {
      name: say('Attempts', 'Tentativas'),
      value: formats.number(attempts.length),
      note: possibleAttempt ? say('perhaps one more', 'talvez mais uma') : '',
      look: possibleAttempt ? 'warn' : '',
    },
    {
      name: say('Files', 'Arquivos'),
      value: formats.number(stored.length),
      note:
        notStored.length === 0
          ? ''
          : say(`${notStored.length} missing`, `${notStored.length} faltando`),
      look: notStored.length === 0 ? '' : 'warn',
    },
  ];
}

function rulesPart({ findings }: FindingsReport, reader: Reader): Html | null {
  const { formats, say } = reader;
  const rules = findings.sections.find(({ title }) => title === 'risk.matched_rules');
  if (rules === undefined || rules.rows.length === 0) return null;
  const bars = rules.rows.map(({ description, id, score }): Bar => ({
    name: String(description ?? id ?? '–'),
    amount: typeof score === 'number' ? score : 0,
    shown: typeof score === 'number' ? formats.number(score) : '–',
    means: String(id ?? ''),
    look: 'warn',
  }));
  const whole = bars.reduce((sum, { amount }) => sum + amount, 0);
  return cardPart(
    say('Rules that matched', 'Regras acionadas'),
    barsPart(reader, bars, {
      heads: [say('Rule', 'Regra'), say('Score', 'Pontuação')],
      whole,
      total: formats.number(whole),
    }),
  );
}

function attemptsPart({ attempts }: DossierOutcome, reader: Reader): Html | null {
  const { language, say } = reader;
  if (attempts.length === 0) return null;
  const columns = [
    { name: say('Number', 'Número'), look: 'line' as const },
    { name: say('Status', 'Situação') },
    { name: say('Cost', 'Custo') },
  ];
  const rows = attempts.map(({ billing, number, status }) => {
    const billed = billing === null ? [] : [{ ...billing, count: 1 }];
    const { note, value } = costWords(billed, reader);
    return [
      number,
      status === null ? null : statusWord(status, language),
      [value, ' ', note ?? ''],
    ];
  });
  return cardPart(say('Attempts', 'Tentativas'), tablePart(columns, rows));
}

function reviewPart(
  { note, review, notStored }: DossierOutcome,
  { formats, language, say, stored }: Reader,
): Html | null {
  const missing = notStored.map(({ type, why }) => `${type ?? '–'}: ${stored(why)}`).join('; ');
  const by =
    review &&
    `${statusWord(review.action, language)} (${review.by}, ${formats.instant(review.at)}): ${review.note}`;
  if (note === null && review === null && missing === '') return null;
  const facts = factsPart([
    [say('Review', 'Revisão'), by],
    [say('Note', 'Observação'), note && stored(note)],
    [say('Missing', 'Faltando'), missing],
  ]);
  return cardPart(say('What to know', 'O que saber'), html`${facts}`);
}
