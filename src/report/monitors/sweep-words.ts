import type { ScanNote } from '../../domain/monitors/scan';
import type { UnknownHealth } from '../../domain/monitors/stored';
import { sweepWorkflowId, type Fault, type SweepFault } from '../../domain/monitors/sweep';
import type { SweepLeft, SweepWarning } from '../../domain/monitors/sweep';
import type { Words } from '../../domain/job';
import type { Reader } from '../reader';

/** What sweeps left and met, and what is noted about monitors, for people. */

/** Each names the variable or command that helps. */
const warningWords: Readonly<Record<SweepWarning, Words>> = {
  'status ignored': [
    'the service lists acknowledged changes although open ones were requested: it may know the filter by another name than lists.statusParam says',
    'o serviço lista alterações já confirmadas, embora tenham sido pedidas as abertas: o filtro pode ter outro nome que o de lists.statusParam',
  ],
  'severity ignored': [
    'the service lists other severities than the one requested: it may know the filter by another name than lists.severityParam says',
    'o serviço lista outras gravidades que a pedida: o filtro pode ter outro nome que o de lists.severityParam',
  ],
  'page size ignored': [
    'the service sends pages of another size than requested: it may know the parameter by another name than lists.pageSizeParam says',
    'o serviço envia páginas de outro tamanho que o pedido: o parâmetro pode ter outro nome que o de lists.pageSizeParam',
  ],
  'no cursor': [
    'the service says that there is more and names no cursor: a later sweep lists again',
    'o serviço informa que há mais e não traz cursor: uma varredura posterior lista de novo',
  ],
  'disabled sink': [
    'a sink takes nothing any more (410): changes stay open until it is enabled (`diligence monitor sink --enable webhook`) or another one is configured',
    'um destino não recebe mais nada (410): as alterações ficam em aberto até que ele seja reativado (`diligence monitor sink --enable webhook`) ou outro seja configurado',
  ],
  'disabled optional sink': [
    'a sink that is not required takes nothing any more (410): changes are acknowledged without it until it is enabled (`diligence monitor sink --enable webhook`)',
    'um destino não obrigatório não recebe mais nada (410): as alterações são confirmadas sem ele até que seja reativado (`diligence monitor sink --enable webhook`)',
  ],
  'slow sink': [
    'a sink is so slow that some changes were not attempted in the time of their page: they stay open for a later sweep',
    'um destino está tão lento que algumas alterações não foram tentadas a tempo: ficam em aberto para uma varredura posterior',
  ],
  'digest waits': [
    'a digest could not be delivered: its changes are acknowledged, and the store holds it until it is',
    'um resumo não pôde ser entregue: as suas alterações estão confirmadas, e ele fica guardado até a entrega',
  ],
};

export const faultNames: Readonly<Record<SweepFault, Words>> = {
  'no monitor': ['no monitor', 'o serviço não conhece o monitor'],
  credentials: ['credentials', 'o serviço recusa a credencial'],
  'cursor repeated': ['cursor repeated', 'a lista se repete'],
  'no cursor': ['no cursor', 'a lista não traz cursor'],
  refused: ['refused', 'recusado pelo serviço'],
  unavailable: ['unavailable', 'o serviço não respondeu'],
};

function faultWords({ fault, message }: Fault, { say, stored }: Reader): string {
  return `${say(...faultNames[fault])}: ${stored(message)}`;
}

/** One line for each thing that a sweep left or met. */
export function leftLines(
  monitorId: string,
  { backlog, fault, warnings }: SweepLeft,
  reader: Reader,
): string[] {
  const { count, say } = reader;
  const { escalated, undelivered, unreadable } = backlog;
  const messages = count(undelivered, ['message', 'messages'], ['mensagem', 'mensagens']);
  const items = count(unreadable, ['item', 'items'], ['item', 'itens']);
  const show = `\`diligence show ${sweepWorkflowId(monitorId)}\``;
  return [
    ...(fault === null ? [] : [faultWords(fault, reader)]),
    ...lineOf(
      undelivered,
      `${messages} could not be delivered or acknowledged`,
      `sem entrega ou confirmação: ${messages}`,
    ),
    ...lineOf(
      unreadable,
      `${items} of the list cannot be read: ${show} names them`,
      `sem leitura possível na lista: ${items}; ${show} diz quais`,
    ),
    ...lineOf(
      escalated,
      `${escalated} of them need a person`,
      `precisam de uma pessoa: ${escalated}`,
    ),
    ...warnings.map((warning) => say(...warningWords[warning])),
  ];

  function lineOf(n: number, en: string, pt: string): string[] {
    return n === 0 ? [] : [say(en, pt)];
  }
}

/** Kinds of notes, in the order in which they are shown. */
export const noteKinds: Readonly<Record<ScanNote['kind'], Words>> = {
  failing: ['could not be listed', 'não pôde ser listado'],
  blocked: ['may not run, and detects nothing', 'impedido de rodar: não detecta nada'],
  unwell: ["the service's own checks of it fail", 'as verificações do próprio serviço falham'],
  unknown: ['health unknown', 'saúde desconhecida'],
  unfinished: ['left by its last sweep', 'deixado pela última varredura'],
};

const unknowns: Readonly<Record<UnknownHealth, Words>> = {
  not_read: ['it could not be read yet', 'ainda não pôde ser lida'],
  unreadable: [
    'the service reports it in a shape that we cannot read',
    'o serviço a informa em um formato que não pode ser lido',
  ],
  no_route: [
    'the service does not report it (#): monitors.readPath is an assumption',
    'o serviço não a informa (#): monitors.readPath é uma suposição',
  ],
  refused: ['the service does not report it (#)', 'o serviço não a informa (#)'],
};

/** A warning or a kind of note, by its code. */
export function noteOf(code: string): Words {
  const known = { ...warningWords, ...noteKinds } as Readonly<Record<string, Words>>;
  return known[code] ?? [code, code];
}

/** Why it is noted. */
export function noteWhy(note: ScanNote & { monitorId?: string }, reader: Reader): string {
  const { formats, say } = reader;
  switch (note.kind) {
    case 'failing':
      return reader.stored(note.why);
    case 'blocked':
      return note.why ?? say('execution not allowed', 'execução não permitida');
    case 'unknown':
      return say(...unknowns[note.why]).replace('#', String(note.status));
    case 'unfinished':
      return leftLines(note.monitorId ?? '', note.left, reader).join('; ');
    case 'unwell': {
      const { failures, health, lastCycleAt: at } = note;
      const failed =
        failures === 0
          ? ''
          : say(`, ${failures} in a row failed`, `, falhas seguidas: ${failures}`);
      const last = say(
        `the last one at ${at ?? 'an instant not told'}`,
        `a última em ${at === null ? 'instante não informado' : formats.instant(at)}`,
      );
      return `${health ?? say('health not told', 'saúde não informada')}${failed}, ${last}`;
    }
  }
}

export function noteLine(note: ScanNote & { monitorId?: string }, reader: Reader): string {
  return `${reader.say(...noteKinds[note.kind])}: ${noteWhy(note, reader)}`;
}
