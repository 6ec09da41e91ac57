import { html, type Html } from '../html';
import { cardPart, morePart, smallPart, tablePart, type Column } from '../parts';
import type { Reader } from '../reader';
import { statusWord } from '../words';
import { masked, type AnalysisFigures, type ReportedIssue } from './figures';

/** Every rule that fired, with its issues. */
export function issuesPart({ issues, moreIssues }: AnalysisFigures, reader: Reader): Html {
  const { formats, language, say } = reader;
  const title = say('Issues', 'Problemas');
  if (issues.length === 0) return cardPart(title, html`<p>${say('None.', 'Nada consta.')}</p>`);
  const columns: Column[] = [
    { name: say('About', 'Sobre'), look: 'wide' },
    { name: say('Value', 'Valor'), look: 'right' },
    { name: say('Rule', 'Regra') },
    { name: say('Status', 'Situação') },
    { name: say('Found, expected', 'Encontrado, esperado') },
    { name: say('Message', 'Mensagem'), look: 'wide' },
  ];
  const level = (one: ReportedIssue): string =>
    ({
      cedente: say('Assignor', 'Cedente'),
      sacado: say('Payer', 'Sacado'),
      titulo: say('Titulo', 'Título'),
    })[one.level] ?? one.level;
  const rows = issues.map((one) => [
    [`${level(one)} ${masked(one.name)}`, smallPart(one.payer)],
    one.value === null ? null : formats.money(one.value),
    [masked(one.rule), smallPart(one.field)],
    one.status === null ? null : statusWord(one.status, language),
    [one.actual, one.expected, one.threshold]
      .filter((text) => text !== null)
      .map((text) => html`<span class="block">${text}</span>`),
    one.message,
  ]);
  return cardPart(
    title,
    html`${tablePart(columns, rows)} ${morePart(reader, moreIssues, 'issues.csv')}`,
    formats.number(issues.length + moreIssues),
  );
}

/** What a person should do about the whole result. */
export function leftWords(contradictions: readonly string[], { say }: Reader): string {
  return contradictions.length === 0
    ? say(
        'Nothing for diligence. What is alerted or blocked is for the credit desk to decide.',
        'Nada para o diligence. O que tem alerta ou está bloqueado cabe à mesa de crédito decidir.',
      )
    : say(
        'Ask the service about the contradictions above before you rely on the result.',
        'Pergunte ao serviço sobre as contradições acima antes de confiar no resultado.',
      );
}
