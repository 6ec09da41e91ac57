import type { DecisionAction } from '../../domain/certificates/job';
import type { Words } from '../../domain/job';
import { maskTextOfPeople } from '../../protection/redaction';
import { html, type Html } from '../html';
import { aboutPart, cardPart, smallPart, tablePart } from '../parts';
import type { Page } from './page';

const mostDecisions = 200;
const mostLinesNamed = 20;

const actions: Record<DecisionAction, Words> = {
  reissue: ['send again', 'enviar de novo'],
  abandon: ['give up', 'desistir'],
  watch: ['look again', 'consultar de novo'],
  adopt: ['take over an id', 'adotar um id'],
};

export function decisionsPart({ reader, decisions }: Page): Html | null {
  if (decisions.length === 0) return null;
  const { count, formats, say } = reader;
  const rows = decisions
    .slice(-mostDecisions)
    .map(({ number, action, externalId, note, by, at, rows: of }) => {
      const named = of.slice(0, mostLinesNamed).map(({ line }) => line);
      const lines = count(of.length, ['line', 'lines'], ['linha', 'linhas']);
      return [
        number,
        [formats.instant(at), smallPart(by)],
        [
          say(...actions[action as DecisionAction]),
          externalId === null ? null : ` ${externalId}`,
          smallPart(`${lines}: ${named.join(', ')}${of.length > mostLinesNamed ? ' …' : ''}`),
        ],
        maskTextOfPeople(note),
      ];
    });
  const columns = [
    { name: 'Nº', look: 'line' },
    { name: say('When, who', 'Quando, quem') },
    { name: say('Decision', 'Decisão') },
    { name: say('Reason', 'Motivo') },
  ] as const;
  return cardPart(say('Decisions taken', 'Decisões tomadas'), tablePart(columns, rows));
}

export function detailsPart({ reader, record, summary }: Page): Html {
  const { count, formats, say } = reader;
  const took = formats.duration(Date.parse(summary.finishedAt) - Date.parse(summary.startedAt));
  const code = (text: string | null | undefined): Html | null =>
    text == null ? null : html`<code>${text}</code>`;
  return aboutPart(reader, [
    ['Id', code(summary.batchId)],
    [say('Input', 'Entrada'), record.inputName && maskTextOfPeople(record.inputName)],
    [
      say('Blank lines left out', 'Linhas em branco deixadas de fora'),
      summary.blankLines === 0 ? null : formats.number(summary.blankLines),
    ],
    [say('sha256 of the input', 'sha256 da entrada'), code(record.inputSha256)],
    [say('Label', 'Rótulo'), record.label && maskTextOfPeople(record.label)],
    [
      say('Type for lines without one', 'Tipo das linhas que não o informam'),
      record.inputName && record.type,
    ],
    [say('Started by', 'Iniciado por'), record.createdBy],
    [say('Started', 'Início'), formats.instant(summary.startedAt)],
    [
      say('Ended', 'Fim'),
      `${formats.instant(summary.finishedAt)} (${say(`after ${took}`, `após ${took}`)})`,
    ],
    [
      say('Results written', 'Resultados gravados'),
      count(summary.edition + 1, ['time', 'times'], ['vez', 'vezes']),
    ],
    [say('Terms', 'Condições'), terms({ reader, record })],
    [say('Audit trail, head', 'Trilha de auditoria, cabeça'), code(summary.auditHead)],
  ]);
}

function terms({ reader: { formats, say }, record }: Pick<Page, 'reader' | 'record'>) {
  if (record.terms === undefined) return null;
  const { onUnknown, ...instants } = record.terms;
  const deadline = formats.duration(instants.rowDeadlineMs);
  const since = formats.instant(instants.reuseSince);
  return [
    say(
      `a row has ${deadline} from its request`,
      `cada linha tem ${deadline} a partir do seu pedido`,
    ),
    say(
      `what was issued since ${since} is taken over, not bought again`,
      `o que foi emitido desde ${since} é aproveitado, sem nova compra`,
    ),
    onUnknown === 'report'
      ? say(
          'a lost answer waits for a person',
          'uma resposta perdida espera pela decisão de uma pessoa',
        )
      : say(
          'a lost answer is sent again once, by itself',
          'uma resposta perdida leva a um único reenvio automático',
        ),
  ].join('; ');
}
