import type { Words } from '../../domain/job';
import { maskTextOfPeople } from '../../protection/redaction';
import { resolveLine } from '../command-line';
import { html, type Content, type Html } from '../html';
import { commandPart, leftPart as leftCard, morePart, smallPart, tablePart } from '../parts';
import { problemWords } from '../problem-words';
import { statusWord } from '../words';
import { actionFor, batchCommandLine, type Advice, type StatusLeft } from './next-steps';
import { looks, type Page } from './page';
import type { LeftGroup } from './report-figures';

const meanings: Record<StatusLeft, Words> = {
  unknown_outcome: [
    'The request left and its answer was lost. Asking again may be charged twice, so nothing asks again by itself. In this order:',
    'O pedido saiu e a resposta se perdeu. Pedir de novo pode gerar cobrança em dobro; por isso, nada é reenviado automaticamente. Nesta ordem:',
  ],
  failed: [
    'Read the message first. Asking again is a new request, which may be charged.',
    'Leia a mensagem antes. Pedir de novo é um novo pedido, que pode ser cobrado.',
  ],
  expired: [
    'The service had not finished in the time given. Looking again sends no new request.',
    'O serviço não terminou dentro do prazo dado. Consultar de novo não envia um novo pedido.',
  ],
  invalid: [
    'Correct these lines in the spreadsheet and run the file again, which makes a new batch. What was issued within --max-age (7 days) is not bought again; lines that failed are asked for again.',
    'Corrija estas linhas na planilha e execute o arquivo de novo, como um novo lote. O que foi emitido dentro de --max-age (7 dias) não é comprado outra vez; as linhas que falharam são pedidas de novo.',
  ],
  unsupported: [
    'Alphanumeric CNPJs are valid, but the service does not take them yet. Nothing can be done today.',
    'CNPJs alfanuméricos são válidos, mas o serviço ainda não os atende. Por ora, não há o que fazer.',
  ],
  cancelled: [
    'These count as done. If they are wanted after all:',
    'Contam como encerradas. Se ainda assim forem necessárias:',
  ],
};

/** In this order. */
const unknownSteps = [
  [
    'watch',
    'Look for an answer that came late. Sends nothing.',
    'Procure uma resposta que tenha chegado depois. Não envia nada.',
  ],
  [
    'adopt',
    'Ask the service’s support about the line. If they name an id, take it over:',
    'Pergunte ao suporte do serviço sobre a linha. Se informarem um id, adote-o:',
  ],
  [
    'reissue',
    'Send again, and accept that both may be charged:',
    'Envie de novo, aceitando que os dois pedidos possam ser cobrados:',
  ],
  ['abandon', 'Or give it up:', 'Ou desista dela:'],
] as const;

const adviceWords: Record<Advice, Words> = {
  look_for_late_answer: [
    'Look for a late answer first. Sends nothing.',
    'Procure antes uma resposta tardia. Não envia nada.',
  ],
  ask_again: ['Ask for it again.', 'Peça de novo.'],
  ask_again_in_doubt: [
    'The service says that asking again does not help. If the cause is gone:',
    'O serviço diz que pedir de novo não adianta. Se a causa foi resolvida:',
  ],
  read_again: [
    'Look at it again. Sends no new request.',
    'Consulte de novo. Não envia um novo pedido.',
  ],
  correct: ['Correct the line.', 'Corrija a linha.'],
  wait: ['Wait.', 'Aguarde.'],
  nothing: [
    'Nothing: it was given up on purpose.',
    'Nada: houve desistência por decisão de uma pessoa.',
  ],
};

/** Rows that need attention, by status, each with its next step. Null when there is none. */
export function leftPart(page: Page): Html | null {
  const { left } = page.figures;
  const { say } = page.reader;
  if (left.length === 0) return null;
  const hasCommands = left.some(({ advised }) => [...advised].some((one) => actionFor(one)));
  const intro = say(
    'Copy a command, put your reason into --note, and run it where diligence is set up. The reason goes on record.',
    'Copie um comando, escreva o motivo em --note e execute-o onde o diligence está configurado. O motivo fica registrado.',
  );
  return leftCard(page.reader, [
    hasCommands ? html`<p class="muted">${intro}</p>` : null,
    left.map((group) => leftGroup(group, page)),
  ]);
}

function leftGroup(group: LeftGroup, page: Page): Html {
  const { reader } = page;
  const { formats, language, say } = reader;
  const { status, count, rows } = group;
  const ofRows = rows.some(({ advice }) => actionFor(advice) !== null || advice === 'nothing');
  const columns = [
    { name: say('Line', 'Linha'), look: 'line' },
    { name: say('Document', 'Documento'), look: 'wide' },
    { name: say('What happened', 'O que aconteceu') },
    ...(ofRows ? [{ name: say('What to do next', 'O que fazer agora') }] : []),
  ] as const;
  return html`<div class="group">
    <div class="group-head">
      <h3>${statusWord(status, language)}</h3>
      <span class="badge ${looks[status]}">${formats.number(count)}</span>
    </div>
    <p>${say(...meanings[status])}</p>
    ${groupSteps(group, page)}
    ${tablePart(
      columns,
      rows.map((row) => leftRow(row, page)),
    )}
    ${morePart(reader, count - rows.length, 'results.csv')}
  </div>`;
}

/** Next steps common to all rows of a status. */
function groupSteps({ status, advised }: LeftGroup, { reader, record, summary }: Page) {
  const { say } = reader;
  const line = (action: (typeof unknownSteps)[number][0], which: string): Html =>
    commandPart(resolveLine(summary.batchId, { action, which, note: say('why', 'motivo') }));
  const all = `--status ${status}`;
  if (status === 'unknown_outcome') {
    const steps = unknownSteps.map(([action, en, pt]) => {
      return html`<li>${say(en, pt)}${line(action, action === 'adopt' ? '--line N' : all)}</li>`;
    });
    return html`<ol>
      ${steps}
    </ol>`;
  }
  if (status === 'invalid') {
    const input = maskTextOfPeople(record.inputName ?? '');
    return input === '' ? null : commandPart(batchCommandLine(input, record.type));
  }
  // Rows with a final failure are not requested again in bulk.
  if (advised.has('ask_again_in_doubt')) return null;
  const actions = new Set([...advised].map(actionFor));
  const [action] = actions;
  if (actions.size !== 1 || action == null) return null;
  return html`<p class="small muted">${say('All of them at once', 'Todas de uma vez')}</p>
    ${line(action, all)}`;
}

function leftRow(row: LeftGroup['rows'][number], { reader, summary }: Page): Content[] {
  const { formats, language, say, stored } = reader;
  const { line, document, type, reference, certidaoId, requestedAt, advice } = row;
  const facts = [
    row.errorCode,
    row.note === '' ? null : stored(row.note),
    requestedAt && `${say('requested', 'pedido em')} ${formats.instant(requestedAt)}`,
    certidaoId && `certidao_id ${certidaoId}`,
  ];
  const named = [type, reference && `${say('reference', 'referência')} ${reference}`];
  const small = (words: readonly (string | null)[]): Html =>
    html`${smallPart(words.filter((one) => one !== null && one !== '').join(' · '))}`;
  const action = actionFor(advice);
  const message = row.errorMessage ?? row.errorCode ?? '';
  const which = { which: `--line ${line}`, note: say('why', 'motivo') };
  return [
    line,
    [html`<span class="number">${document}</span>`, small(named)],
    [
      problemWords({ code: row.errorCode, category: row.errorCategory, message }, language),
      small(facts),
    ],
    [
      say(...adviceWords[advice]),
      action && commandPart(resolveLine(summary.batchId, { ...which, action })),
    ],
  ];
}
